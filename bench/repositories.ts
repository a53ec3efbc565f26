import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { createLocal } from "../server/resources/local/local.ts";
import type { Snapshot } from "../server/resources/snapshot.ts";

/** A public repository on GitHub at a commit, whose hash is its checksum. */
export interface Repository {
  /** `owner/name` */
  repo: string;
  commit: string;
}

const kept = path.resolve("node_modules/.cache/bench/repositories");

/**
 * Opens a fresh checkout, fetched once. `copies` has clones to fetch from in place of GitHub, as `owner+name` or
 * `owner+name/repo`.
 * @throws Error (git fails, such as without a network)
 */
export async function openRepository(
  { repo, commit }: Repository,
  { copies }: { copies: string | undefined },
): Promise<Snapshot> {
  const name = repo.replace("/", "+");
  const folder = path.join(kept, `${name}@${commit}`);
  if (!existsSync(folder)) {
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    const git = runGit(partial);
    git(["init", "--quiet"]);
    git(["fetch", "--quiet", "--depth", "1", copies === undefined ? urlOf(repo) : copyOf(copies, name), commit]);
    git(["checkout", "--quiet", "--detach", "FETCH_HEAD"]);
    renameSync(partial, folder);
  }
  const local = createLocal({ workingDirectory: kept, homeDirectory: kept });
  return await local.open({ name: path.basename(repo), path: folder }, { signal: new AbortController().signal });
}

/** Runs git and returns what it prints. @throws Error (git fails) */
export type ReadGit = (args: readonly string[], input?: string) => Buffer;

/**
 * Reads a repository on GitHub: the tree of `commit` whole, and the messages of `commits`. They are fetched once, and
 * other files of `commits` when they are read. `copies` as for `openRepository`, but with the whole history.
 * @throws Error (git fails, such as without a network)
 */
export function openHistory(
  { repo, commit }: Repository,
  { commits, copies }: { commits: readonly string[]; copies: string | undefined },
): ReadGit {
  const name = repo.replace("/", "+");
  if (copies !== undefined) return runGit(copyOf(copies, name));
  const folder = path.join(kept, `${name}@${commit}.git`);
  if (!existsSync(folder)) {
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    const git = runGit(partial);
    git(["init", "--quiet", "--bare"]);
    git(["remote", "add", "origin", urlOf(repo)]);
    git(["fetch", "--quiet", "--depth", "1", "origin", commit]);
    git(["fetch", "--quiet", "--depth", "1", "--filter=blob:none", "origin", ...new Set(commits)]);
    renameSync(partial, folder);
  }
  return runGit(folder);
}

function urlOf(repo: string): string {
  return `https://github.com/${repo}.git`;
}

/** Files are checked out as the commit has them, and nothing of it is run. */
function runGit(cwd: string): ReadGit {
  return (args, input) =>
    execFileSync("git", ["-c", "core.autocrlf=false", "-c", "core.hooksPath=/dev/null", ...args], {
      cwd,
      input: input ?? "",
      maxBuffer: 2 ** 30,
      env: { PATH: process.env["PATH"], GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" },
      stdio: ["pipe", "pipe", "pipe"],
    });
}

function copyOf(copies: string, name: string): string {
  const folder = path.resolve(copies, name);
  const inside = path.join(folder, "repo");
  return existsSync(inside) ? inside : folder;
}
