import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { CitewellError, codeOf } from "../../../errors.ts";
import type { Source } from "../../source.ts";
import type { Store } from "../../store.ts";
import type { GitResult } from "../git-call.ts";
import type { GitRunner } from "../run-git.ts";

/** Where commit graphs of other people's repositories are kept. */
export interface CommitGraphs {
  store: Store;
  /** Whether this process writes them: worthwhile if it answers several questions. */
  isWriter: boolean;
}

/** A repository into which nothing is written. */
export interface GraphedRepository {
  runner: GitRunner;
  /** The environment of commands that read it. */
  environment: Readonly<Record<string, string>>;
  /** Its root. */
  directory: string;
  /** The folder of its objects, absolute: worktrees share one. */
  objects: string;
  /** The commit that history is read from. */
  revision: string;
  signal: AbortSignal;
}

/** Disposing of it also has a graph written, in the background, if there is none or the one on disk is behind. */
export interface CommitGraph extends AsyncDisposable {
  /** Variables with which git reads the graph; none if there is no graph. */
  variables: Readonly<Record<string, string>>;
}

/** A graph of 100,000 commits takes 10 s. One that takes longer than this is not made. */
const writeMs = 10 * 60_000;
const lookMs = 10_000;
/** Git reads newer commits as it does without a graph: of so many, that takes some 50 ms. */
const renewedAfter = 1000;

/** The key in a store of the graph of a repository. @param objects the absolute path of its objects */
export function graphKey(objects: string): string {
  return JSON.stringify(["commit-graph", objects]);
}

/**
 * A commit graph with the paths that each commit changes (https://git-scm.com/docs/commit-graph), kept in a store as
 * one-offs are. Git reads it, because the folder in the store is its object directory, and the repository's own is an
 * alternate: git takes the first graph that it finds, and `git gc` makes one without paths in the repository.
 *
 * What a graph says of a commit follows from the commit's id, so one of another or a rewritten repository is harmless. Git
 * does not check it for damage, and would give wrong answers: that is done here.
 */
export async function openCommitGraph(repository: GraphedRepository, graphs: CommitGraphs): Promise<CommitGraph> {
  const { objects, revision, signal, ...call } = repository;
  const { store, isWriter } = graphs;
  const key = graphKey(objects);
  const stored = await store.openStored(key, { isOneOff: true, signal });
  const state = stored === undefined ? "absent" : await check(path.join(stored.directory, "info", "commit-graph"));
  const known = stored !== undefined && state === "intact" ? [stored.directory] : [];
  const source: Source = {
    key,
    resolve: async () => revision,
    async fetch(directory, { signal }) {
      const args = ["commit-graph", "write", "--reachable", "--changed-paths"];
      const variables = variablesFor(directory, [...known, objects]);
      // Of a shallow repository, or one that lacks folders of its commits, git makes none. The empty folder is kept, so that
      // the next attempt follows when the repository has grown.
      await run(args, { variables, timeMs: writeMs, signal }).catch((error: unknown) => {
        if (!(error instanceof CitewellError && error.tag === "RepositoryTimeout")) throw error;
      });
      return {};
    },
  };
  const [folder] = known;
  const variables = folder === undefined ? {} : variablesFor(folder, [objects]);
  return {
    variables,
    async [Symbol.asyncDispose]() {
      try {
        if (isWriter) await keep();
      } finally {
        await stored?.[Symbol.asyncDispose]();
      }
    },
  };

  /** Never fails: without a graph, git is only slower. */
  async function keep(): Promise<void> {
    try {
      const refresh = (await isBehind()) ? "always" : "manual";
      const kept = await store.open(source, { refresh, oneOff: `commit graph of ${objects}`, waitMs: 0 });
      await kept[Symbol.asyncDispose]();
    } catch {
      // It is being written, or cannot be: the store has logged why.
    }
  }

  async function isBehind(): Promise<boolean> {
    if (stored === undefined || stored.revision === revision) return false;
    if (state === "damaged") return true;
    const range = `${stored.revision}..${revision}`;
    const { code, stdout } = await run(["log", `--max-count=${renewedAfter}`, "--format=%h", range, "--"], {
      variables,
      timeMs: lookMs,
      signal,
    });
    // Without the commit of the graph, the history was rewritten.
    return code !== 0 || stdout.trimEnd().split("\n").length === renewedAfter;
  }

  function run(
    args: readonly string[],
    options: { variables: Readonly<Record<string, string>>; timeMs: number; signal: AbortSignal },
  ): Promise<GitResult> {
    const { variables, timeMs, signal } = options;
    return call.runner.run(args, {
      directory: call.directory,
      environment: { ...call.environment, ...variables },
      purpose: "git commit-graph",
      limits: { silentMs: timeMs, totalMs: timeMs },
      signal,
    });
  }
}

/** https://git-scm.com/docs/git#Documentation/git.txt-codeGITALTERNATEOBJECTDIRECTORIEScode */
function variablesFor(directory: string, alternates: readonly string[]): Record<string, string> {
  // Quoted, a path may contain the separator.
  const quoted = alternates.map((one) => `"${one.replaceAll(/["\\]/g, String.raw`\$&`)}"`);
  return {
    GIT_OBJECT_DIRECTORY: directory,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted.join(path.delimiter),
  };
}

/** By the version of its hash, which is in the sixth byte: the function and the length of the checksum at the end. */
const checksums: Readonly<Record<number, readonly [algorithm: string, bytes: number]>> = {
  1: ["sha1", 20],
  2: ["sha256", 32],
};

/** Compares a graph with its checksum: https://git-scm.com/docs/gitformat-commit-graph */
async function check(file: string): Promise<"absent" | "damaged" | "intact"> {
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    const { buffer: header } = await handle.read(Buffer.alloc(8), 0, 8, 0);
    const [algorithm, length] = checksums[header[5] ?? 0] ?? ["sha1", size];
    if (size <= length) return "damaged";
    const hash = createHash(algorithm);
    for await (const chunk of createReadStream(file, { end: size - length - 1 })) hash.update(chunk);
    const { buffer: checksum } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return hash.digest().equals(checksum) ? "intact" : "damaged";
  } catch (error) {
    return codeOf(error) === "ENOENT" ? "absent" : "damaged";
  }
}
