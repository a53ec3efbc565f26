import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Writes this number of files of plausible code of varying length into 100 folders; returns their size in bytes. */
export function writeSourceTree(root: string, fileCount: number): number {
  let total = 0;
  for (let index = 0; index < fileCount; index++) {
    const directory = path.join(root, `module-${index % 100}`);
    const functions = Array.from({ length: 2 + (index % 24) }, (_, part) => functionText(index, part));
    const text = functions.join("\n");
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, `file-${Math.floor(index / 100)}.ts`), text);
    total += Buffer.byteLength(text);
  }
  return total;
}

function functionText(file: number, part: number): string {
  return `/** Runs job ${part} of queue ${file}; a failed one is retried after a delay. */
export async function runJob${file}Part${part}(queue: Queue, job: Job): Promise<Result> {
  const retryDelay${file} = ${part} * 100;
  const result = await queue.execute(job, { attempts: ${part % 5}, delayMs: retryDelay${file} });
  if (result.status === "failed") return queue.schedule(job, retryDelay${file});
  return result;
}
`;
}
