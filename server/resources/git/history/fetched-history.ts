import { appendFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { CitewellError } from "../../../errors.ts";
import { type FetchLimit, fetchWithin, type ReadFetchLimit } from "../../fetch-limit.ts";
import type { OnProgress, Source } from "../../source.ts";
import type { Store } from "../../store.ts";
import type { StoredTree } from "../../shelf.ts";
import type { GitResult } from "../git-call.ts";
import { gitEnvironment } from "../git-environment.ts";
import type { GitRoutes } from "../git-routes.ts";
import { progressReader } from "../git-tree.ts";
import type { GitRunner } from "../run-git.ts";
import {
  type HistoryRepository,
  type HistoryRun,
  isMissing,
  readingSettings,
  readingVariables,
} from "./history-repository.ts";

/** A repository whose history is wanted, seen from one commit. */
export interface FetchedHistorySpec {
  url: string;
  /** The same for all spellings of the URL. */
  key: string;
  /** Without it, the history must be on disk. */
  commit: string | undefined;
}

export interface FetchedHistoryOptions {
  runner: GitRunner;
  routes: GitRoutes;
  /** Contacts the host, and fails unless the repository can be read. */
  prove(options: { signal: AbortSignal }): Promise<void>;
  /** The user's environment. */
  environment: Readonly<Record<string, string>>;
  store: Store;
  fetchLimit?: ReadFetchLimit | undefined;
  waitMs?: number | undefined;
  /** Whether it must be on disk already; contents of files may still be fetched. */
  isStoredOnly?: boolean | undefined;
  signal: AbortSignal;
  onProgress?: OnProgress | undefined;
}

/** Commits and trees of a large repository take some 100 MB; the contents of files are fetched for what is asked. */
const historyLimit: FetchLimit = {
  bytes: 1024 ** 3,
  name: "the 1 GB that the history of a repository may have",
  hint: "clone the repository, and ask about the folder",
};
const fetchMs = 10 * 60_000;
const lookMs = 30_000;
/** Contents that one request fetches at most, in one call for so many. */
const contentsLimit = 20_000;
const contentsInCall = 1000;
/** Larger files are no source code. */
const contentBytes = 1024 ** 2;

/** The key in a store of the history of a repository. @param key the same for all spellings of its URL */
export function historyKey(key: string): string {
  return JSON.stringify(["git-history", key]);
}

/** The name of the snapshot's commit in the stored repository. */
const snapshotRef = "refs/citewell/snapshot";
/** Its presence means that all contents up to `contentBytes` are in the repository. */
const wholeFile = "citewell-whole";

/**
 * The history of a repository, fetched when it is first needed: a bare repository without the contents of files, which
 * follow for the paths that are compared. It is kept in the store as one-offs are, one for each URL; where it lacks the
 * commit it is fetched again, and if that fails, the history on disk is used and `notes` says so.
 * @throws as `Store.open` and the errors of `reach` in git-routes; ResourceTooLarge; NotReadyYet (it is not on disk, and
 * must be)
 */
export async function openFetchedHistory(
  { url, key, commit }: FetchedHistorySpec,
  {
    runner,
    routes,
    prove,
    environment: user,
    store,
    fetchLimit,
    waitMs,
    isStoredOnly,
    signal,
    onProgress,
  }: FetchedHistoryOptions,
): Promise<HistoryRepository> {
  const local = {
    ...gitEnvironment(user, { settings: readingSettings }),
    ...readingVariables,
  };
  const source: Source = {
    key: historyKey(key),
    prove,
    resolving: "looking for the history",
    // Only what has a commit is fetched.
    resolve: async () => commit ?? "",
    async fetch(directory, { revision: commit, signal, onProgress }) {
      await runLocally(["init", "--bare", "--template="], { directory, signal, timeMs: lookMs });
      await appendFile(path.join(directory, "config"), "[core]\n\tquotePath = false\n");
      await writeFile(path.join(directory, "HEAD"), `${commit}\n`);
      await fetchInto(directory, ["--filter=blob:none", "--", "URL", `+${commit}:${snapshotRef}`, allTags], {
        signal,
        onProgress,
      });
      // With the paths that each commit changes, the commits of a path are found several times as fast.
      const graph = ["commit-graph", "write", "--reachable", "--changed-paths"];
      await runLocally(graph, { directory, signal, timeMs: fetchMs });
      return {};
    },
  };
  const tree = isStoredOnly === true || commit === undefined ? await openAsStored() : await openWith(commit);
  const directory = tree.directory;
  const hasCommit = commit !== undefined && (await contains(tree, commit));
  return {
    revision: hasCommit ? commit : tree.revision,
    root: "",
    diskBytes: tree.diskBytes,
    isPartial: true,
    notes:
      hasCommit || commit === undefined
        ? []
        : [`the history on disk ends at ${tree.revision.slice(0, 10)}: ${tree.stale ?? "it was not updated"}`],
    toRepository: (file) => file,
    toResource: (file) => file,
    run: (args, options) => run(args, options),
    [Symbol.asyncDispose]: async () => tree[Symbol.asyncDispose](),
  };

  async function openAsStored(): Promise<StoredTree> {
    const stored = await store.openStored(source.key, { isOneOff: true, signal });
    if (stored !== undefined) return stored;
    throw new CitewellError("NotReadyYet", `the history of ${url} is not on disk`, {
      hint: "ask for the history of one of its files: that fetches it",
    });
  }

  async function limit(): Promise<FetchLimit> {
    const given = await fetchLimit?.();
    return given !== undefined && given.bytes < historyLimit.bytes ? given : historyLimit;
  }

  async function openWith(commit: string): Promise<StoredTree> {
    const options = { oneOff: `history of ${url}`, fetchLimit: limit, waitMs, signal, onProgress };
    const kept = await store.open(source, { refresh: "manual", ...options });
    if (await contains(kept, commit)) return kept;
    await kept[Symbol.asyncDispose]();
    return store.open(source, { refresh: "always", ...options });
  }

  async function contains({ directory }: StoredTree, commit: string): Promise<boolean> {
    const args = ["cat-file", "-e", `${commit}^{commit}`];
    const { code } = await runLocally(args, { directory, signal, timeMs: lookMs });
    return code === 0;
  }

  /** With what is there; where contents are missing again, after they were fetched. */
  async function run(args: readonly string[], options: HistoryRun): Promise<GitResult> {
    const result = await runLocally(args, { directory, ...options });
    if (result.code === 0 || !isMissing(result.stderr)) return result;
    const { paths, contents, signal } = options;
    // A commit that is not in this history.
    if (contents?.length === 0) return result;
    await removeLeftovers(directory, { olderThanMs: fetchMs });
    try {
      await fetchWithin(directory, { limit: await limit(), signal }, ({ signal }) => {
        if (contents !== undefined) return fetchIds(contents, signal);
        return paths === undefined ? fetchAllContents(signal) : fetchContents(paths, signal);
      });
      return await runOnline(args, options);
    } catch (error) {
      // Git leaves what it could not write. Fetches of other processes fail on this disk as well.
      const isFull = error instanceof CitewellError && error.tag === "StorageFailed";
      if (isFull) await removeLeftovers(directory, { olderThanMs: 0 });
      throw error;
    } finally {
      await tree.measure();
    }
  }

  function runLocally(
    args: readonly string[],
    { directory, ...options }: HistoryRun & { directory: string },
  ): Promise<GitResult> {
    return runner.run(args, callIn(directory, local, options));
  }

  /** Git fetches what is still missing itself: files that a rename is compared with. */
  async function runOnline(args: readonly string[], options: HistoryRun): Promise<GitResult> {
    const { result } = await routes.reach(
      url,
      ({ environment }) => {
        options.onRepeat?.();
        return runner.run(args, callIn(directory, environment, options));
      },
      { signal: options.signal, directory },
    );
    return result;
  }

  function callIn(
    directory: string,
    environment: Readonly<Record<string, string>>,
    { signal, timeMs, input, onOutput }: HistoryRun,
  ) {
    const limits = { silentMs: timeMs, totalMs: timeMs };
    const variables = { GIT_DIR: directory, GIT_LITERAL_PATHSPECS: "1" };
    return {
      directory,
      environment: { ...environment, ...variables },
      purpose: `reading the history of ${url}`,
      limits,
      signal,
      input,
      onOutput,
    };
  }

  async function fetchInto(
    directory: string,
    args: readonly string[],
    { signal, onProgress }: { signal: AbortSignal; onProgress?: OnProgress | undefined },
  ): Promise<void> {
    await routes.reach(
      url,
      (route) => {
        const plain = ["fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
        const written = args.map((arg) => (arg === "URL" ? route.url : arg));
        return runner.run([...plain, ...written], {
          ...callIn(directory, route.environment, { signal, timeMs: fetchMs }),
          purpose: `fetching the history of ${url}`,
          onErrorOutput: onProgress && progressReader(onProgress),
        });
      },
      { signal, directory },
    );
  }

  /** The contents that a path had, in few calls: git itself would fetch them one by one. */
  async function fetchContents(paths: readonly string[], signal: AbortSignal): Promise<void> {
    const follow = paths.length === 1 ? ["--follow"] : [];
    const args = ["log", ...follow, "-M", "--format=", "--raw", "--no-abbrev", tree.revision, "--", ...paths];
    const { stdout } = await runOnline(args, { signal, timeMs: fetchMs });
    const ids = new Set(
      [...stdout.matchAll(/^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) /gm)].flatMap(([, a = "", b = ""]) => [a, b]),
    );
    await fetchIds([...ids].filter((id) => !/^0+$/.test(id)).slice(0, contentsLimit), signal);
  }

  async function fetchIds(wanted: readonly string[], signal: AbortSignal): Promise<void> {
    for (let start = 0; start < wanted.length; start += contentsInCall) {
      const part = wanted.slice(start, start + contentsInCall);
      await fetchInto(directory, ["--filter=blob:none", "--", "URL", ...part], { signal, onProgress });
    }
  }

  /** Once for a repository: a text may have been in any file. */
  async function fetchAllContents(signal: AbortSignal): Promise<void> {
    const isWhole = await stat(path.join(directory, wholeFile)).catch(() => undefined);
    if (isWhole !== undefined) return;
    const args = ["--refetch", `--filter=blob:limit=${contentBytes}`, "--", "URL", `+${tree.revision}:${snapshotRef}`];
    await fetchInto(directory, args, { signal, onProgress });
    await writeFile(path.join(directory, wholeFile), "");
  }
}

/** Removes packs that a process was receiving when it was killed: git does so only when it packs anew. */
async function removeLeftovers(directory: string, { olderThanMs }: { olderThanMs: number }): Promise<void> {
  const packs = path.join(directory, "objects", "pack");
  for (const name of await readdir(packs).catch(() => [])) {
    const file = path.join(packs, name);
    const modifiedAt = (await stat(file).catch(() => undefined))?.mtimeMs;
    // Another process may still be receiving a newer one.
    const isOld = modifiedAt !== undefined && Date.now() - modifiedAt >= olderThanMs;
    if (name.startsWith("tmp_") && isOld) await rm(file, { force: true });
  }
}

const allTags = "+refs/tags/*:refs/tags/*";
