import path from "node:path";
import * as z from "zod";
import type { Declared } from "./declared.ts";
import { foldersUpFrom, readJsonFile, readTextFile } from "../files.ts";
import { readBunLock } from "./lockfiles/bun-lock.ts";
import type { Locked, LockfileReader } from "./lockfiles/lockfile.ts";
import { readNpmLock } from "./lockfiles/npm-lock.ts";
import { readPnpmLock } from "./lockfiles/pnpm-lock.ts";
import { readYarnLock } from "./lockfiles/yarn-lock.ts";

/**
 * By precedence: within a folder, the first file that contains the package applies; a shrinkwrap is first, as in npm.
 */
const lockfileReaders: Readonly<Record<string, LockfileReader>> = {
  "npm-shrinkwrap.json": readNpmLock,
  "package-lock.json": readNpmLock,
  "pnpm-lock.yaml": readPnpmLock,
  "yarn.lock": readYarnLock,
  "bun.lock": readBunLock,
};

/** The entry for a package in the nearest lockfile above `cwd` that contains it, with that file's path. */
export async function findLocked(
  name: string,
  { cwd, dependent }: { cwd: string; dependent: Pick<Declared, "folder" | "specifier"> },
): Promise<{ folder: string; file: string; locked: Locked } | undefined> {
  for (const folder of foldersUpFrom(cwd)) {
    for (const [file, read] of Object.entries(lockfileReaders)) {
      const text = await readTextFile(path.join(folder, file));
      if (text === undefined) continue;
      const importer = path.relative(folder, dependent.folder).split(path.sep).join("/");
      const { resolutions } = Root.parse((await readJsonFile(path.join(folder, "package.json"))) ?? {});
      const locked = read(text, { package: name, importer, wanted: dependent.specifier, resolutions });
      if (locked !== undefined) return { folder, file, locked };
    }
  }
  return undefined;
}

const Root = z.object({ resolutions: z.record(z.string(), z.string()).catch({}) }).catch({ resolutions: {} });
