import path from "node:path";
import { kindOf } from "../protocol/kinds/kinds.ts";
import { messageOf } from "../errors.ts";
import { untilAborted } from "../lib/abort.ts";
import type { Log } from "../lib/log.ts";
import type { WatchFolder } from "../lib/watch-folder.ts";
import type { LocalResource } from "../protocol/kinds/local.ts";
import type { ResourceSpec } from "../protocol/resource.ts";
import { realPath } from "../resources/real-paths.ts";
import { isAlwaysLeftOut } from "../resources/ignore-rules.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Retrieval } from "../retrieval/retrieval.ts";
import type { Target } from "./targets.ts";

/**
 * The open projects and the local folders of recent questions. Their indexes are built in the background, and updated
 * once edits have settled, so that the next question finds them ready. No answer depends on a change being reported
 * here.
 */
export interface FollowedFolders extends AsyncDisposable {
  /** `services` update the folders of questions that use the result. */
  over(services: FollowServices): Following;
}

/** Passes the folders of questions on to `FollowedFolders`. */
export interface Following {
  /**
   * Follows the folder of a snapshot of `target`, if it is a local folder. Returns a snapshot to use instead: until it
   * is disposed of, the question indexes the folder itself.
   */
  asked(target: Target, snapshot: Snapshot): Snapshot;
  /**
   * Builds the index of a project, and follows its folder. Resolves when that is over, with whether it was built: a
   * question may go first.
   */
  prepare(project: LocalResource): Promise<boolean>;
  /** How much of a folder is indexed, as a share of 1, while that is done in the background. */
  indexedShareOf(spec: ResourceSpec): Promise<number | undefined>;
}

/** What an update works with: the services of the last question. */
export interface FollowServices {
  resources: Pick<Resources, "open">;
  retrieval: Pick<Retrieval, "prepare">;
}

/** The dependencies of `createFollowedFolders`. */
export interface FollowedFoldersOptions {
  watchFolder: WatchFolder;
  log: Log;
  /** Edits have settled after this time without a change, in milliseconds. */
  settleMs?: number;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Capacity of the LRU cache, in folders. */
const folderLimit = 8;
/** How long a folder is updated after its last question, in milliseconds. */
export const updatedMs = 60 * 60_000;

interface Followed {
  directory: string;
  /** The target of the last question. */
  target: Target;
  services: FollowServices;
  askedAt: number;
  /** The indexed revision, as far as a question has waited for the index. */
  revision: string;
  /** Questions that are running. */
  questionCount: number;
  hasChanged: boolean;
  /** Whether an update has built its index. */
  hasIndex: boolean;
  /** Whether an update was to build its index and has not. */
  isUnfinished: boolean;
  watch?: Disposable;
  settling?: NodeJS.Timeout;
  /** The running update; it has a revision once the folder is open, and then the share that is indexed. */
  update?: { leaving: AbortController; revision?: string; indexed?: number };
}

/** Creates an empty set of followed folders. */
export function createFollowedFolders({
  watchFolder,
  log,
  settleMs = 1000,
  now = Date.now,
}: FollowedFoldersOptions): FollowedFolders {
  const closing = new AbortController();
  const folders = new Map<string, Followed>();
  /** One update at a time leaves the processor to questions. */
  let queue: Promise<unknown> = Promise.resolve();

  function follow(directory: string, asked: Pick<Followed, "target" | "services" | "revision">): Followed {
    const unknown = { questionCount: 0, hasChanged: false, hasIndex: false, isUnfinished: false };
    const folder: Followed = { directory, ...asked, askedAt: now(), ...unknown };
    folder.watch = watchFolder(directory, (files) => {
      if (files.every(isAlwaysLeftOut)) return;
      if (folder.questionCount === 0 && now() - folder.askedAt > updatedMs) return stopFollowing(folder);
      folder.hasChanged = true;
      updateOnceSettled(folder);
    });
    return folder;
  }

  function stopFollowing(folder: Followed): void {
    folders.delete(folder.directory);
    clearTimeout(folder.settling);
    folder.hasChanged = false;
    folder.isUnfinished = false;
    folder.watch?.[Symbol.dispose]();
  }

  /** Makes it the most recent one. */
  function keep(folder: Followed): void {
    folders.delete(folder.directory);
    folders.set(folder.directory, folder);
    for (const oldest of folders.values()) if (folders.size > folderLimit) stopFollowing(oldest);
  }

  function updateOnceSettled(folder: Followed): void {
    if (closing.signal.aborted) return;
    clearTimeout(folder.settling);
    folder.settling = setTimeout(() => void updateInTurn(folder), settleMs).unref();
  }

  function updateInTurn(folder: Followed): Promise<boolean> {
    const updated = queue.then(() => update(folder));
    queue = updated;
    return updated;
  }

  async function prepare(project: LocalResource, services: FollowServices): Promise<boolean> {
    const directory = await realPath(path.resolve(project.path));
    if (directory === undefined || closing.signal.aborted) return false;
    const folder = folders.get(directory) ?? follow(directory, { target: project, services, revision: "" });
    keep(folder);
    folder.isUnfinished ||= !folder.hasIndex;
    return updateInTurn(folder);
  }

  async function indexedShareOf(spec: ResourceSpec): Promise<number | undefined> {
    if (spec.type !== "local" || folders.size === 0) return undefined;
    const directory = await realPath(path.resolve(spec.path));
    return directory === undefined ? undefined : folders.get(directory)?.update?.indexed;
  }

  const needsUpdate = ({ hasChanged, isUnfinished }: Followed) => hasChanged || isUnfinished;

  async function update(folder: Followed): Promise<boolean> {
    // The end of the last question starts it again.
    if (!needsUpdate(folder) || folder.questionCount > 0 || closing.signal.aborted) return false;
    folder.hasChanged = false;
    const leaving = new AbortController();
    const running: Followed["update"] = (folder.update = { leaving });
    const signal = AbortSignal.any([closing.signal, leaving.signal]);
    try {
      const { resources, retrieval } = folder.services;
      await using snapshot = await resources.open(folder.target, { signal });
      running.revision = snapshot.revision;
      if (!folder.isUnfinished && snapshot.revision === folder.revision) return false;
      folder.isUnfinished = true;
      running.indexed = 0;
      await using preparation = retrieval.prepare(snapshot, {
        isBackground: true,
        onProgress: (fraction) => (running.indexed = fraction),
      });
      await untilAborted(preparation.done, signal);
      Object.assign(folder, { revision: snapshot.revision, hasIndex: true, isUnfinished: false });
      return true;
    } catch (error) {
      // A question goes first; its end starts the update again.
      if (leaving.signal.aborted) return false;
      // The next question opens the folder itself, and reports the failure.
      folder.isUnfinished = false;
      if (!signal.aborted) log.debug("folder-not-followed", { directory: folder.directory, error: messageOf(error) });
      return false;
    } finally {
      delete folder.update;
    }
  }

  function use(target: Target, snapshot: Snapshot, services: FollowServices): Snapshot {
    const { directory } = snapshot.info;
    if (kindOf(target).isFetched || directory === undefined) return snapshot;
    const folder = folders.get(directory) ?? follow(directory, { target, services, revision: snapshot.revision });
    keep(folder);
    // The question waits for an update to its own revision; an update to another revision would delay it.
    if (folder.update?.revision !== snapshot.revision) folder.update?.leaving.abort();
    Object.assign(folder, { target, services, revision: snapshot.revision, askedAt: now() });
    folder.questionCount += 1;
    let isAsked = true;
    return {
      ...snapshot,
      async [Symbol.asyncDispose]() {
        if (isAsked) folder.questionCount -= 1;
        isAsked = false;
        if (folder.questionCount === 0 && needsUpdate(folder)) updateOnceSettled(folder);
        await snapshot[Symbol.asyncDispose]();
      },
    };
  }

  return {
    over: (services) => ({
      asked: (target, snapshot) => use(target, snapshot, services),
      prepare: (project) => prepare(project, services),
      indexedShareOf,
    }),
    async [Symbol.asyncDispose]() {
      closing.abort();
      for (const folder of folders.values()) stopFollowing(folder);
      await queue;
    },
  };
}
