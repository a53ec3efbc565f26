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
    // What the commit contains is checked out as it is, and nothing of it is run.
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "core.autocrlf=false", "-c", "core.hooksPath=/dev/null", ...args], {
        cwd: partial,
        env: { PATH: process.env["PATH"], GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" },
        stdio: ["ignore", "ignore", "pipe"],
      });
    git("init", "--quiet");
    git(
      "fetch",
      "--quiet",
      "--depth",
      "1",
      copies === undefined ? `https://github.com/${repo}.git` : copyOf(copies, name),
      commit,
    );
    git("checkout", "--quiet", "--detach", "FETCH_HEAD");
    renameSync(partial, folder);
  }
  const local = createLocal({ workingDirectory: kept, homeDirectory: kept });
  return await local.open({ name: path.basename(repo), path: folder }, { signal: new AbortController().signal });
}

function copyOf(copies: string, name: string): string {
  const folder = path.resolve(copies, name);
  const inside = path.join(folder, "repo");
  return existsSync(inside) ? inside : folder;
}
