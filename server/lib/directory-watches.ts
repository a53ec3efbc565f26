import { readFileSync, watch } from "node:fs";
import { setImmediate } from "node:timers/promises";

/** Watches single directories by inotify, within the limits of the system. */
export interface DirectoryWatches extends Disposable {
  /**
   * Calls `onEvent` with the name of an entry of the directory, or of the directory itself, that changed.
   * @throws the system's errors, by code; ENOSPC once the limit is reached
   */
  open(directory: string, onEvent: (name: string) => void): Disposable;
  /** Resolves once each change made before the call has been passed to `onEvent`. */
  drained(): Promise<void>;
}

/** Limits of the system (https://man7.org/linux/man-pages/man7/inotify.7.html). */
export interface WatchLimits {
  watches: number;
  /** The kernel drops further events, and libuv does not report that it did. */
  queuedEvents: number;
}

/** A directory takes 1.5 KB in this process, and about as much in the kernel. */
const watchLimit = 8192;

/** The limits in force. Other programs of the user, such as editors, need watches, too. */
function systemWatchLimits(): WatchLimits {
  return {
    watches: Math.min(watchLimit, Math.floor(readSetting("max_user_watches") / 4)),
    queuedEvents: readSetting("max_queued_events"),
  };
}

function readSetting(name: string): number {
  try {
    return Number(readFileSync(`/proc/sys/fs/inotify/${name}`, "utf8"));
  } catch {
    return 0;
  }
}

/** Calls `onLost` when events may have been lost, for whichever directory. */
export function createDirectoryWatches({
  limits = systemWatchLimits(),
  onLost,
}: {
  limits?: WatchLimits | undefined;
  onLost: () => void;
}): DirectoryWatches {
  const opened = new Set<Disposable>();
  const closing: Disposable[] = [];
  let turnEvents = 0;

  /** All queued events are delivered in one turn of the event loop. */
  function countEvent(): void {
    if (turnEvents++ === 0) void setImmediate().then(() => (turnEvents = 0));
    if (turnEvents === Math.ceil(limits.queuedEvents / 4)) onLost();
  }

  async function closeOnceDrained(): Promise<void> {
    await drained();
    for (const watcher of closing.splice(0)) watcher[Symbol.dispose]();
  }

  return {
    open(directory, onEvent) {
      if (opened.size >= limits.watches) throw Object.assign(new Error("too many watches"), { code: "ENOSPC" });
      const watcher = watch(directory, { persistent: false }, (_event, name) => {
        countEvent();
        onEvent(name ?? "");
      });
      watcher.on("error", onLost);
      const handle = {
        [Symbol.dispose]() {
          opened.delete(handle);
          watcher.close();
        },
      };
      opened.add(handle);
      return {
        [Symbol.dispose]() {
          // Events of a closed watch would not be counted.
          if (closing.push(handle) === 1) void closeOnceDrained();
        },
      };
    },
    drained,
    [Symbol.dispose]() {
      closing.length = 0;
      for (const handle of opened) handle[Symbol.dispose]();
    },
  };
}

/**
 * The kernel queues an event before the call that made the change returns, and libuv reads the whole queue each time it
 * polls. The first turn may be past polling; the second one polls between the two.
 */
async function drained(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
