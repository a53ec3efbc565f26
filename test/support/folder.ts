import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseFixture } from "./fixture.ts";

/** A temporary folder. */
export interface Folder extends AsyncDisposable {
  path: string;
  /** Writes the files of a fixture string below the folder. */
  write(source: string): Promise<void>;
}

/** Creates a temporary folder with the files of a fixture string (`//- a.ts` starts a file). */
export async function temporaryFolder(source = ""): Promise<Folder> {
  const root = await mkdtemp(path.join(os.tmpdir(), "citewell-test-"));
  const folder: Folder = {
    path: root,
    async write(files) {
      for (const [name, text] of parseFixture(files)) {
        const file = path.join(root, name);
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, text);
      }
    },
    async [Symbol.asyncDispose]() {
      await rm(root, { recursive: true, force: true, maxRetries: 10 });
    },
  };
  await folder.write(source);
  return folder;
}
