import path from "node:path";
import * as z from "zod";
import { foldersUpFrom, ownValue, readJsonFile, readTextFile } from "./files.ts";
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
  { cwd }: { cwd: string },
): Promise<{ folder: string; file: string; locked: Locked } | undefined> {
  const dependent = await findDependent(cwd);
  for (const folder of foldersUpFrom(cwd)) {
    for (const [file, read] of Object.entries(lockfileReaders)) {
      const text = await readTextFile(path.join(folder, file));
      if (text === undefined) continue;
      const importer = path.relative(folder, dependent.folder).split(path.sep).join("/");
      const { resolutions } = Root.parse((await readJsonFile(path.join(folder, "package.json"))) ?? {});
      const locked = read(text, { package: name, importer, wanted: dependent.wanted(name), resolutions });
      if (locked !== undefined) return { folder, file, locked };
    }
  }
  return undefined;
}

const Ranges = z.record(z.string(), z.string()).catch({});
const Asking = z.object({
  dependencies: Ranges,
  devDependencies: Ranges,
  optionalDependencies: Ranges,
  peerDependencies: Ranges,
});
const Root = z.object({ resolutions: Ranges }).catch({ resolutions: {} });

/** The nearest folder with a `package.json`, and its dependencies. */
async function findDependent(cwd: string): Promise<{ folder: string; wanted: (name: string) => string | undefined }> {
  for (const folder of foldersUpFrom(cwd)) {
    const manifest = Asking.safeParse(await readJsonFile(path.join(folder, "package.json"))).data;
    if (manifest === undefined) continue;
    const kinds = [
      manifest.dependencies,
      manifest.devDependencies,
      manifest.optionalDependencies,
      manifest.peerDependencies,
    ];
    return { folder, wanted: (name) => kinds.map((kind) => ownValue(kind, name)).find((range) => range !== undefined) };
  }
  return { folder: cwd, wanted: () => undefined };
}
