import path from "node:path";
import type { Opened } from "../citations/cited-resources.ts";
import { mayHaveCommits, type Revisions } from "../citations/sources.ts";
import { toCitewellError } from "../errors.ts";
import { createSemaphore } from "../lib/semaphore.ts";
import { openCommitSnapshot } from "../resources/git/history/commit-snapshot.ts";
import type { HistoryRepository } from "../resources/git/history/history-repository.ts";
import { resolveRevision } from "../resources/git/history/resolve-revision.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { nameOf, type Target } from "./targets.ts";

/** Revisions of resources that stay open until disposal. */
export interface OpenedRevisions extends AsyncDisposable {
  /**
   * The snapshot of a commit, or why there is none; undefined if the resource has no commits. `revision` is that of the
   * snapshot that history is read from, `path` the cited file.
   */
  open(target: Target, cited: { revision: string | undefined; path: string; at: string }): Promise<Opened | undefined>;
  snapshots(): readonly Snapshot[];
}

interface RevisionOptions {
  openHistory: Resources["openHistory"];
  /** Whether the history must be on disk already. */
  isStoredOnly?: boolean;
  waitMs?: number | undefined;
  signal: AbortSignal;
}

/** A text may name any number of revisions. */
const commitLimit = 50;

/** The citations of a paragraph are checked at once. */
const gitProcesses = 4;

/** Fewer digits of an id are no citation: it soon names several commits. */
const fewestDigits = 7;

/** The revision of a folder, which is no commit. */
const isContentHash = /^content-/;

/** Opens each history and each commit once. */
export function createRevisions({ openHistory, ...options }: RevisionOptions): OpenedRevisions {
  const { signal } = options;
  const histories = new Map<string, Promise<HistoryRepository | undefined>>();
  const commits = new Map<string, Promise<Opened | undefined>>();
  const snapshots: Snapshot[] = [];
  const processes = createSemaphore(gitProcesses);

  async function openOne(
    target: Target,
    place: { revision: string | undefined; below: string | undefined },
  ): Promise<HistoryRepository | undefined> {
    const repository = await limited(() => openHistory(target, { ...place, ...options }));
    return repository && { ...repository, run: (args, run) => limited(() => repository.run(args, run)) };
  }

  async function limited<Result>(work: () => Promise<Result>): Promise<Result> {
    await processes.acquire();
    try {
      return await work();
    } finally {
      processes.release();
    }
  }

  async function openCommit(
    target: Target,
    { history, at, withFiles }: { history: Promise<HistoryRepository | undefined>; at: string; withFiles: boolean },
  ): Promise<Opened | undefined> {
    const resource = nameOf(target);
    try {
      const repository = await history;
      if (repository === undefined) return undefined;
      const commit = await resolveRevision(repository, at, { signal });
      if (at.length < fewestDigits && commit.startsWith(at)) {
        const reason = `${at} is too short for the id of a commit: give ${fewestDigits} digits`;
        return { type: "failed", resource, reason, isGone: true };
      }
      const url = target.type === "git" ? target.url : undefined;
      const spec = { resource, type: target.type, commit, url, withFiles };
      const snapshot = await openCommitSnapshot(repository, spec, { signal });
      snapshots.push(snapshot);
      return { type: "snapshot", snapshot };
    } catch (cause) {
      signal.throwIfAborted();
      const error = toCitewellError(cause);
      if (error.tag === "RepositoryNotFound" && target.type === "local") return undefined;
      return { type: "failed", resource, reason: error.message, isGone: error.tag === "BranchNotFound" };
    }
  }

  async function openBelow(
    target: Target,
    {
      revision,
      at,
      file,
      below,
    }: { revision: string | undefined; at: string; file: string; below: string | undefined },
  ): Promise<Opened | undefined> {
    const key = keyOf(target, { revision, below });
    const withFiles = file !== "";
    const commitKey = `${key} ${withFiles} ${at}`;
    const before = commits.get(commitKey);
    if (before !== undefined) return before;
    if (commits.size >= commitLimit) {
      const reason = `more than ${commitLimit} other revisions are cited`;
      return { type: "failed", resource: nameOf(target), reason, isGone: false };
    }
    const history = histories.get(key) ?? openOne(target, { revision, below });
    histories.set(key, history);
    const opening = openCommit(target, { history, at, withFiles });
    commits.set(commitKey, opening);
    return opening;
  }

  /** A commit that is named without a path, and that the folder's own repository lacks. */
  async function openInSubmodule(target: Target, { revision, at }: { revision: string | undefined; at: string }) {
    const outer = await histories.get(keyOf(target, { revision, below: undefined }));
    for (const submodule of outer === undefined ? [] : await submodulesOf(outer, { signal })) {
      const inner = await openBelow(target, { revision, at, file: "", below: `${submodule}/-` });
      if (inner?.type === "snapshot") return inner;
    }
    return undefined;
  }

  return {
    async open(target, { revision, path: file, at }) {
      if (isContentHash.test(at)) return undefined;
      const whole = await openBelow(target, { revision, at, file, below: undefined });
      if (whole === undefined || target.type !== "local" || hasFile(whole, file)) return whole;
      // A folder may contain several repositories, such as submodules.
      if (file === "") return (await openInSubmodule(target, { revision, at })) ?? whole;
      const inner = await openBelow(target, { revision, at, file, below: file });
      return inner !== undefined && (hasFile(inner, file) || whole.type === "failed") ? inner : whole;
    },
    snapshots: () => snapshots,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(commits.values());
      const opened = await Promise.allSettled(histories.values());
      for (const result of opened) {
        if (result.status === "fulfilled") await result.value?.[Symbol.asyncDispose]();
      }
    },
  };
}

function keyOf(
  target: Target,
  { revision, below }: { revision: string | undefined; below: string | undefined },
): string {
  return JSON.stringify([nameOf(target), revision, below === undefined ? "" : path.posix.dirname(below)]);
}

/** A repository may list any number of them. */
const submoduleLimit = 20;

/** The folders of submodules, relative to the resource. https://git-scm.com/docs/gitmodules */
async function submodulesOf(
  repository: HistoryRepository,
  { signal }: { signal: AbortSignal },
): Promise<readonly string[]> {
  const args = [
    "config",
    "--blob",
    `${repository.revision}:.gitmodules`,
    "--null",
    "--get-regexp",
    "^submodule\\..*\\.path$",
  ];
  const { stdout } = await repository.run(args, { signal, timeMs: submoduleMs, contents: [] });
  const folders = stdout.split("\0").flatMap((entry) => entry.split("\n").slice(1));
  const inside = folders.map((folder) => repository.toResource(folder)).filter((folder) => !folder.startsWith(".."));
  return inside.slice(0, submoduleLimit);
}

const submoduleMs = 10_000;

/** Whether a commit was found, and a file in it, unless none is named. */
function hasFile(opened: Opened, file: string): boolean {
  if (opened.type === "failed") return false;
  if (file === "") return true;
  const { files, skipped } = opened.snapshot;
  return [...files, ...skipped].some(({ path }) => path === file);
}

/** The revisions of the snapshots of an answer. */
export function revisionsOf(opened: OpenedRevisions, targetOf: (resource: string) => Target): Revisions {
  return {
    async open(snapshot, { path: file, revision: at }) {
      const { resource, revision } = snapshot;
      return mayHaveCommits(snapshot) ? opened.open(targetOf(resource), { revision, path: file, at }) : undefined;
    },
  };
}
