import type { AskEventOf } from "../protocol/ask.ts";
import type { SkippedFile } from "./snapshot.ts";

export type Progress = Omit<AskEventOf<"progress">, "type" | "resource">;
export type OnProgress = (progress: Progress) => void;

/** What a kind of resource tells the store about one thing to fetch. */
export interface Source {
  /** What is fetched, in full and canonical: two sources with one key share what is on disk. Never a resource's name. */
  key: string;
  /** What `resolve` does, for progress, where it is not a look for the newest revision. */
  resolving?: string;
  /** The newest revision at the origin. Uses the network. */
  resolve(options: { signal: AbortSignal }): Promise<string>;
  /** Fills an empty folder with the tree of that revision. */
  fetch(
    directory: string,
    options: { revision: string; signal: AbortSignal; onProgress: OnProgress },
  ): Promise<FetchedTree>;
}

export interface FetchedTree {
  /** Kept with the snapshot and handed back when it is opened. */
  details?: Record<string, string>;
  /** Files of the revision that were not fetched. */
  skipped?: readonly SkippedFile[];
}
