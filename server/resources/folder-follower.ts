import { statSync } from "node:fs";
import { untilAborted } from "../lib/abort.ts";
import { debounce } from "../lib/debounce.ts";
import { createDirectoryWatches, type WatchLimits } from "../lib/directory-watches.ts";
import { describeLocalMounts } from "../lib/local-mounts.ts";
import { createTurns } from "../lib/turns.ts";
import type { WatchFolder } from "../lib/watch-folder.ts";
import { createFollowedFolder, type FollowedFolder, type Look, type LookOver } from "./followed-folder.ts";
import { readOuterRules } from "./ignore-rules.ts";

/**
 * Follows folders with the system's watcher, so that one that has not changed need not be looked over again
 * (docs/decisions/0022-followed-folders.md).
 */
export interface FolderFollower extends Disposable {
  /**
   * The current look at a folder (a real path): the last one if nothing has changed since, else what `lookOver` returns.
   * A change made before the call is always seen.
   */
  look(root: string, lookOver: LookOver, options: { signal: AbortSignal }): Promise<Look>;
  /** Looks over a folder completely for the next question: something has changed without an event. */
  distrust(root: string): void;
  /** Reports changes in folders that are looked at. */
  watchFolder: WatchFolder;
}

/** Capacity of the LRU cache, in folders. */
const folderLimit = 8;
/** Idle time until all folders are let go, in milliseconds. */
const idleMs = 10 * 60_000;
/** Some changes have no event, such as writing through a memory map: a folder is looked over completely after this time. */
const completeLookMs = 10 * 60_000;

interface Entry {
  folder: FollowedFolder;
  surroundings: string;
  since: number;
}

/** Creates a follower with nothing to follow. */
export function createFolderFollower({
  limits,
  now = Date.now,
}: { limits?: WatchLimits | undefined; now?: () => number } = {}): FolderFollower {
  const entries = new Map<string, Entry>();
  const listeners = new Map<string, Parameters<WatchFolder>[1]>();
  const inTurn = createTurns();
  const watches = createDirectoryWatches({ limits, onLost: stopAll });
  const stopWhenIdle = debounce(idleMs, stopAll);

  function stop(root: string): void {
    entries.get(root)?.folder.stop();
    entries.delete(root);
  }

  function stopAll(): void {
    for (const root of entries.keys()) stop(root);
  }

  /** Without others, the folder alone has too many directories: it stays stopped. */
  function stopOthers(root: string): void {
    const others = [...entries.keys()].filter((other) => other !== root);
    for (const other of others) stop(other);
    if (others.length > 0) entries.delete(root);
  }

  function entryOf(root: string, surroundings: string): Entry {
    const known = entries.get(root);
    const isValid = known?.surroundings === surroundings && now() - known.since < completeLookMs;
    if (!isValid) stop(root);
    const entry = isValid ? known : start(root, surroundings);
    entries.delete(root);
    entries.set(root, entry);
    for (const oldest of entries.keys()) if (entries.size > folderLimit) stop(oldest);
    return entry;
  }

  function start(root: string, surroundings: string): Entry {
    const folder = createFollowedFolder(root, {
      watches,
      onChange: (file) => listeners.get(root)?.([file]),
      onExhausted: () => stopOthers(root),
      now,
    });
    return { folder, surroundings, since: now() };
  }

  async function lookNow(root: string, lookOver: LookOver, signal: AbortSignal): Promise<Look> {
    await watches.drained();
    signal.throwIfAborted();
    const surroundings = describeSurroundings(root);
    if (surroundings === undefined) return lookOver(undefined);
    const { folder } = entryOf(root, surroundings);
    return folder.recallLook() ?? folder.lookAgain(lookOver);
  }

  return {
    async look(root, lookOver, { signal }) {
      stopWhenIdle();
      return untilAborted(
        inTurn(root, () => lookNow(root, lookOver, signal)),
        signal,
      );
    },
    distrust: stop,
    watchFolder(folder, onChange) {
      listeners.set(folder, onChange);
      return {
        [Symbol.dispose]() {
          if (listeners.get(folder) === onChange) listeners.delete(folder);
        },
      };
    },
    [Symbol.dispose]() {
      stopAll();
      watches[Symbol.dispose]();
    },
  };
}

/**
 * What decides about a folder's files from outside, as text: its place, its mounts, and the ignore rules above it.
 * Undefined if the folder cannot be followed.
 */
function describeSurroundings(root: string): string | undefined {
  const mounts = describeLocalMounts(root);
  const stats = statSync(root, { throwIfNoEntry: false });
  if (mounts === undefined || stats === undefined) return undefined;
  return JSON.stringify([mounts, stats.dev, stats.ino, readOuterRules(root)]);
}
