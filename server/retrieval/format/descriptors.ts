import { closeSync, openSync } from "node:fs";

/** An LRU cache of open descriptors of files that never change: the least recently read are closed, and reopened on demand. */
export interface Descriptors {
  /** A descriptor to use at once: a later call may close it. @throws what `fs` throws */
  of(path: string): number;
  close(path: string): void;
}

/** Creates an empty cache of at most `limit` descriptors. */
export function createDescriptors({ limit }: { limit: number }): Descriptors {
  const open = new Map<string, number>();

  function close(path: string): void {
    const descriptor = open.get(path);
    if (open.delete(path) && descriptor !== undefined) closeSync(descriptor);
  }

  return {
    of(path) {
      const descriptor = open.get(path) ?? openSync(path, "r");
      open.delete(path);
      open.set(path, descriptor);
      const [oldest] = open.keys();
      if (open.size > limit && oldest !== undefined) close(oldest);
      return descriptor;
    },
    close,
  };
}
