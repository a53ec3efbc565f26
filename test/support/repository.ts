import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { temporaryFolder } from "./folder.ts";

/** A commit of a test's repository. */
export interface TestCommit {
  message: string;
  /** Path → text; null removes the file. */
  files?: Readonly<Record<string, string | Uint8Array | null>>;
  /** ISO day. */
  date?: string;
  /** Name and address. */
  author?: readonly [name: string, address: string];
  /** Names of tags at the commit. */
  tags?: readonly string[];
}

/** A repository with a working tree in a temporary folder. */
export interface Repository extends AsyncDisposable {
  path: string;
  git(...args: string[]): string;
  /** Commits and returns the full id. */
  commit(commit: TestCommit): Promise<string>;
}

/** Creates a repository below a temporary folder, which also has room for configuration and data. */
export async function openRepository(): Promise<Repository> {
  const folder = await temporaryFolder();
  const root = path.join(folder.path, "work");
  await mkdir(root);
  let env: Record<string, string> = {};
  const git = (...args: string[]) => {
    const quiet = ["-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false", "-c", "protocol.file.allow=always"];
    const own = {
      HOME: folder.path,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_COMMITTER_NAME: "C",
      GIT_COMMITTER_EMAIL: "c@c.example",
    };
    return execFileSync("git", [...quiet, ...args], {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, ...own, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
  };
  git("init", "--quiet", "--initial-branch=main");
  return {
    path: root,
    git,
    async commit({
      message,
      files = {},
      date = "2024-01-01",
      author: [name, address] = ["Ada", "ada@example.com"],
      tags = [],
    }) {
      for (const [file, text] of Object.entries(files)) {
        const place = path.join(root, file);
        await mkdir(path.dirname(place), { recursive: true });
        if (text === null) await rm(place);
        else await writeFile(place, text);
      }
      const at = `${date}T12:00:00+00:00`;
      env = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: address, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
      return git("-c", `alias.record=${recording}`, "record", message, ...tags).trim();
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/**
 * Commits everything with a message and tags, and prints the id. A small process starts the others: a start from a test's
 * takes 20 ms, as it copies the page tables of a large one.
 */
const recording = `!record() {
  git add --all && git commit --quiet --allow-empty --message="$1" || return
  shift
  for tag; do git tag "$tag" || return; done
  git rev-parse HEAD
}; record`;
