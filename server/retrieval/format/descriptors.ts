import { closeSync, openSync } from "node:fs";

/** Files that never change, open for reading as far as there is room: those not read for longest are closed, and opened again. */
export interface Descriptors {
  /** To be used at once. @throws what `fs` throws */
  of(path: string): number;
  close(path: string): void;
}

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
