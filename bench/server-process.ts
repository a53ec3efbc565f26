import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Where `citewell serve` listens. */
export async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the server has no output");
  const [line] = await once(stdout, "data");
  return String(line)
    .replace(/^listening on /, "")
    .trim();
}
