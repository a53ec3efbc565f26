import { access, constants, readdir, stat, statfs } from "node:fs/promises";
import path from "node:path";
import semver from "semver";
import { engines } from "../../package.json";
import type { ConfigLocation } from "../../server/config/config.ts";
import { gitEnvironment } from "../../server/config/environment.ts";
import { configPaths } from "../../server/config/paths.ts";
import { requireGit } from "../../server/resources/git/git-version.ts";
import { gitEnvironment as safeGitEnvironment } from "../../server/resources/git/git-environment.ts";
import { createGitRunner } from "../../server/resources/git/run-git.ts";
import { formatSize } from "../render/table.ts";
import { fail, type Finding, fromError, ok, warn } from "./check.ts";

/** Checks the version of Node. */
export function checkNode(): Finding {
  const { version } = process;
  if (semver.satisfies(version, engines.node)) return ok("node", version);
  return fail("node", `${version}, and ${engines.node} is needed`, "install a newer Node: https://nodejs.org");
}

/** Checks that git can be run, and its version. */
export async function checkGit(location: ConfigLocation, signal: AbortSignal): Promise<Finding> {
  const environment = safeGitEnvironment(gitEnvironment(location), { settings: [] });
  const limits = { silentMs: 5000, totalMs: 5000 };
  try {
    return ok("git", await requireGit(createGitRunner(), { environment, limits, signal }));
  } catch (error) {
    return fromError("git", error, "fail", "install git: https://git-scm.com");
  }
}

/** Whether a folder, or the nearest one above it that is there, can be written. Nothing is. */
export async function checkWritable(check: string, folder: string): Promise<Finding> {
  const there = await nearestThere(folder);
  const found = await stat(there).catch(() => undefined);
  if (found?.isDirectory() !== true)
    return fail(check, `${there} is not a folder`, "remove it, or choose another folder");
  try {
    await access(there, constants.W_OK);
    return ok(check, there === folder ? folder : `${folder}, to be made`);
  } catch {
    return fail(
      check,
      `${there} cannot be written`,
      "give yourself access to it, or set CITEWELL_HOME or dataDirectory",
    );
  }
}

/** Clones of a few repositories, and then of one. */
const enoughBytes = 2e9;
const leastBytes = 200e6;

/** Checks the free space of a folder's disk. */
export async function checkDisk(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestThere(folder));
  const free = bavail * bsize;
  const message = `${formatSize(free)} free for ${folder}`;
  const fix = "free some space (citewell clear), or set dataDirectory to another disk";
  if (free < leastBytes) return fail("disk", message, fix);
  return free < enoughBytes ? warn("disk", message, fix) : ok("disk", message);
}

/** A lock that its process renews is younger; the next process takes an older one over. */
const staleMs = 60_000;

/** Locks that a killed process left behind do no harm; many of them say that something keeps dying. */
export async function checkLocks(location: ConfigLocation, resourcesDirectory: string): Promise<Finding> {
  const { globalFile, projectFile } = configPaths(location);
  const folders = [path.dirname(globalFile), path.dirname(projectFile), resourcesDirectory];
  const found = await Promise.all([...new Set(folders)].map(findLocks));
  const stale = found.flat();
  if (stale.length === 0) return ok("locks", "no stale locks");
  return warn("locks", `left over: ${stale.join(", ")}`, "remove them if no citewell runs");
}

async function findLocks(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const locks = names.filter((name) => name.endsWith(".lock") && !name.startsWith("package-lock"));
  const files = await Promise.all(
    locks.map(async (name) => {
      const file = path.join(folder, name);
      const found = await stat(file).catch(() => undefined);
      return found?.isDirectory() === true && Date.now() - found.mtimeMs > staleMs ? [file] : [];
    }),
  );
  return files.flat();
}

async function nearestThere(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  const parent = path.dirname(folder);
  return isThere || parent === folder ? folder : nearestThere(parent);
}
