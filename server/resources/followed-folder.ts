import path from "node:path";
import { codeOf } from "../errors.ts";
import type { DirectoryWatches } from "../lib/directory-watches.ts";
import { isIgnoreFile } from "./ignore-rules.ts";
import {
  areLinksUnchanged,
  clockStepMs,
  type FolderContent,
  type FolderMemory,
  isUnchanged,
  permanentFailures,
  type Walk,
} from "./walk.ts";

/** The files of a folder, and a hash of their contents. */
export interface Look {
  walk: Walk;
  hash: string;
}

/** Walks a folder and hashes its files. Folders that `memory` recalls are not read again. */
export type LookOver = (memory: FolderMemory | undefined) => Promise<Look>;

/** A folder whose directories are watched. The caller drains the watches before each call, and calls one at a time. */
export interface FollowedFolder {
  /** The last look, if nothing has changed since. */
  recallLook(): Look | undefined;
  /** Looks again at the directories that have changed. */
  lookAgain(lookOver: LookOver): Promise<Look>;
  /** Closes its watches; from now on `lookAgain` looks at everything. */
  stop(): void;
}

/** More would hold 100 MB; such a folder is looked over each time. */
const fileLimit = 200_000;
/** Links and files with several hard links are checked for each question; more take longer than looking again. */
const unwatchedLimit = 1000;

interface Directory {
  watch: Disposable | undefined;
  /** The number of events before its watch began. */
  since: number;
  /** The content as it was read after that; undefined if it could not be read completely. */
  content?: FolderContent;
  hasChanged: boolean;
  /** The number of the last look that met it. */
  look: number;
}

/** What a followed folder works with. */
export interface FollowedFolderOptions {
  watches: Pick<DirectoryWatches, "open">;
  /** Called with the path of a file or folder that changed, relative to the root. */
  onChange: (file: string) => void;
  /** Called if no more directories can be watched. */
  onExhausted: () => void;
  now: () => number;
}

/**
 * Follows the folder `root` (a real path). A directory is watched before it is read, so that a change after reading is
 * always reported: by the directory, or, if it is replaced or renamed, by the one that contains it.
 */
export function createFollowedFolder(
  root: string,
  { watches, onChange, onExhausted, now }: FollowedFolderOptions,
): FollowedFolder {
  const directories = new Map<string, Directory>();
  /** Directories that may have been replaced or have other ignore rules, with all below, by the number of the event. */
  const replaced = new Map<string, number>();
  let eventCount = 0;
  let last: { look: Look; startedAt: number } | undefined;
  let hasChanged = false;
  let isStopped = false;
  let lookCount = 0;

  function markChanged(name: string): void {
    hasChanged = true;
    const directory = directories.get(name);
    if (directory !== undefined) directory.hasChanged = true;
  }

  function onEvent(directory: string, name: string): void {
    const entry = directory === "" ? name : `${directory}/${name}`;
    eventCount++;
    markChanged(directory);
    if (isIgnoreFile(name)) replaced.set(directory, eventCount);
    else if (directories.has(entry)) replaced.set(entry, eventCount);
    onChange(entry);
  }

  function isReplaced(name: string, { since }: Directory): boolean {
    if (replaced.size === 0) return false;
    for (let above = name; ; above = parentOf(above)) {
      if ((replaced.get(above) ?? 0) > since) return true;
      if (above === "") return false;
    }
  }

  function watchDirectory(name: string): Disposable | undefined {
    try {
      return watches.open(path.join(root, name), (entry) => onEvent(name, entry));
    } catch (error) {
      const code = codeOf(error) ?? "";
      // The directory that contains it reports when this one can be read, or is there again.
      if (code === "ENOENT" || code === "ENOTDIR" || permanentFailures.has(code)) return undefined;
      stop();
      onExhausted();
      return undefined;
    }
  }

  const memory: FolderMemory = {
    recall(name) {
      if (isStopped) return undefined;
      const known = directories.get(name);
      if (known !== undefined) known.look = lookCount;
      if (known?.content !== undefined && !known.hasChanged && !isReplaced(name, known)) return known.content;
      // The path may lead to another directory now. The old watch is closed last, so that no event is missed.
      const watch = watchDirectory(name);
      known?.watch?.[Symbol.dispose]();
      if (!isStopped) directories.set(name, { watch, since: eventCount, hasChanged: false, look: lookCount });
      return undefined;
    },
    keep(name, content) {
      const directory = directories.get(name);
      if (directory !== undefined) directory.content = content;
    },
  };

  /** Once all directories have been visited. */
  function forgetRemoved(eventsBefore: number): void {
    for (const [name, { look, watch }] of directories) {
      if (look === lookCount) continue;
      watch?.[Symbol.dispose]();
      directories.delete(name);
    }
    for (const [name, event] of replaced) if (event <= eventsBefore) replaced.delete(name);
  }

  /** Changes that no watch reports: behind links, and by another name of the same file. */
  function checkUnwatched({ look: { walk }, startedAt }: { look: Look; startedAt: number }): void {
    if (!areLinksUnchanged(root, walk)) hasChanged = true;
    for (const file of walk.hardLinks) {
      // Within a step of the clock the stamp may stay the same.
      const isSettled = file.stamp.changedMs < startedAt - clockStepMs;
      if (!isSettled || !isUnchanged(root, file)) markChanged(parentOf(file.path));
    }
  }

  function stop(): void {
    isStopped = true;
    last = undefined;
    for (const { watch } of directories.values()) watch?.[Symbol.dispose]();
    directories.clear();
    replaced.clear();
  }

  return {
    recallLook() {
      if (last !== undefined) checkUnwatched(last);
      return hasChanged ? undefined : last?.look;
    },
    async lookAgain(lookOver) {
      lookCount++;
      hasChanged = false;
      last = undefined;
      const startedAt = now();
      const eventsBefore = eventCount;
      const look = await lookOver(isStopped ? undefined : memory);
      const { files, links, hardLinks } = look.walk;
      if (files.length > fileLimit || links.size + hardLinks.length > unwatchedLimit) stop();
      if (isStopped) return look;
      forgetRemoved(eventsBefore);
      if ([...directories.values()].some(({ content }) => content === undefined)) hasChanged = true;
      last = { look, startedAt };
      return look;
    },
    stop,
  };
}

function parentOf(file: string): string {
  return file.slice(0, Math.max(0, file.lastIndexOf("/")));
}
