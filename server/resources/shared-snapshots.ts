import type { OnProgress } from "./source.ts";

/** Snapshots that other nodes of a service fetched. Both methods log a failure and return undefined or false. */
export interface SharedSnapshots {
  /** The revision of a source that a node fetched last, and when it became that one, in milliseconds since the epoch. */
  newest(source: string): Promise<{ revision: string; changedAt: number } | undefined>;
  /**
   * Copies a snapshot into a new folder, in the format of the store, without the network of its origin.
   * @returns false if it is not shared
   */
  fetch(snapshot: string, folder: string, options: { signal: AbortSignal; onProgress: OnProgress }): Promise<boolean>;
}
