import { kindOf } from "../protocol/kinds/kinds.ts";
import { messageOf } from "../errors.ts";
import { untilAborted } from "../lib/abort.ts";
import type { Log } from "../lib/log.ts";
import type { WatchFolder } from "../lib/watch-folder.ts";
import { isAlwaysLeftOut } from "../resources/ignore-rules.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Retrieval } from "../retrieval/retrieval.ts";
import type { Target } from "./targets.ts";

/**
 * Local folders used since the start. Once edits have settled, their indexes are updated in the background, so that the
 * next question finds them ready. A question still opens the folder anew: no answer depends on a change being reported.
 */
export interface FollowedFolders extends AsyncDisposable {
  /** `services` update the folders that are used through the result. */
  over(services: FollowServices): Following;
}

export interface Following {
  /**
   * Starts following the folder of a snapshot of `target`, if users edit it. Returns the snapshot to use in its place:
   * until it is disposed of, the question indexes the folder itself.
   */
  asked(target: Target, snapshot: Snapshot): Snapshot;
}

/** An update uses those of the last question. */
export interface FollowServices {
  resources: Pick<Resources, "open">;
  retrieval: Pick<Retrieval, "prepare">;
}

export interface FollowedFoldersOptions {
  watchFolder: WatchFolder;
  log: Log;
  /** How long nothing may have changed before edits count as settled, in milliseconds. */
  settleMs?: number;
}

interface Followed {
  directory: string;
  /** As it was asked for the last time. */
  target: Target;
  services: FollowServices;
  /** Of which the index is there, as far as a question has waited for it. */
  revision: string;
  questionCount: number;
  hasChanged: boolean;
  settling?: NodeJS.Timeout;
  /** What runs now; `revision` once it is open. */
  update?: { leaving: AbortController; revision?: string };
}

export function createFollowedFolders({ watchFolder, log, settleMs = 1000 }: FollowedFoldersOptions): FollowedFolders {
  const closing = new AbortController();
  const folders = new Map<string, Followed>();
  const watches: Disposable[] = [];
  /** One at a time: people wait for other things. */
  let queue = Promise.resolve();

  function follow(directory: string, asked: Pick<Followed, "target" | "services" | "revision">): Followed {
    const folder: Followed = { directory, ...asked, questionCount: 0, hasChanged: false };
    folders.set(directory, folder);
    watches.push(
      watchFolder(directory, (files) => {
        if (files.every(isAlwaysLeftOut)) return;
        folder.hasChanged = true;
        updateOnceSettled(folder);
      }),
    );
    return folder;
  }

  function updateOnceSettled(folder: Followed): void {
    if (closing.signal.aborted) return;
    clearTimeout(folder.settling);
    folder.settling = setTimeout(() => {
      queue = queue.then(() => update(folder));
    }, settleMs).unref();
  }

  async function update(folder: Followed): Promise<void> {
    // The end of the last question comes back to it.
    if (!folder.hasChanged || folder.questionCount > 0 || closing.signal.aborted) return;
    folder.hasChanged = false;
    const leaving = new AbortController();
    const running: Followed["update"] = (folder.update = { leaving });
    const signal = AbortSignal.any([closing.signal, leaving.signal]);
    try {
      const { resources, retrieval } = folder.services;
      await using snapshot = await resources.open(folder.target, { signal });
      running.revision = snapshot.revision;
      if (snapshot.revision === folder.revision) return;
      await using preparation = retrieval.prepare(snapshot);
      await untilAborted(preparation.done, signal);
      folder.revision = snapshot.revision;
    } catch (error) {
      // The next question does it, and reports the failure.
      if (!signal.aborted) log.debug("folder-not-followed", { directory: folder.directory, error: messageOf(error) });
    } finally {
      delete folder.update;
    }
  }

  function use(target: Target, snapshot: Snapshot, services: FollowServices): Snapshot {
    const { directory } = snapshot.info;
    if (kindOf(target).isFetched || directory === undefined) return snapshot;
    const folder = folders.get(directory) ?? follow(directory, { target, services, revision: snapshot.revision });
    // The question waits for an update to its own revision; an update to any other one is in its way.
    if (folder.update?.revision !== snapshot.revision) folder.update?.leaving.abort();
    Object.assign(folder, { target, services, revision: snapshot.revision });
    folder.questionCount += 1;
    let isAsked = true;
    return {
      ...snapshot,
      async [Symbol.asyncDispose]() {
        if (isAsked) folder.questionCount -= 1;
        isAsked = false;
        if (folder.questionCount === 0 && folder.hasChanged) updateOnceSettled(folder);
        await snapshot[Symbol.asyncDispose]();
      },
    };
  }

  return {
    over: (services) => ({ asked: (target, snapshot) => use(target, snapshot, services) }),
    async [Symbol.asyncDispose]() {
      closing.abort();
      for (const { settling } of folders.values()) clearTimeout(settling);
      for (const watch of watches) watch[Symbol.dispose]();
      await queue;
    },
  };
}
