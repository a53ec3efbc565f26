import type { AskEventOf } from "../protocol/ask.ts";
import type { SkippedFile } from "./snapshot.ts";

/** Progress of opening one resource. */
export type Progress = Omit<AskEventOf<"progress">, "type" | "resource">;
/** Receives progress. */
export type OnProgress = (progress: Progress) => void;

/** Something to fetch, described by a kind of resource for the store. */
export interface Source {
  /**
   * Identifies the origin completely and canonically: sources with the same key share snapshots. Never a resource's
   * name.
   */
  key: string;
  /** What `resolve` does, for progress. Default: checking for the newest revision. */
  resolving?: string;
  /** The newest revision at the origin. Uses the network. */
  resolve(options: { signal: AbortSignal }): Promise<string>;
  /** Contacts the origin where `resolve` does not: a pinned revision says nothing about who may still read it. */
  prove?: ((options: { signal: AbortSignal }) => Promise<void>) | undefined;
  /** The keys of one-offs that are removed when the origin no longer has this source, or not for everyone. */
  dependents?: readonly string[];
  /** Fills an empty folder with the tree of that revision. */
  fetch(
    directory: string,
    options: { revision: string; signal: AbortSignal; onProgress: OnProgress },
  ): Promise<FetchedTree>;
}

/** The result of a fetch. */
export interface FetchedTree {
  /** Stored with the snapshot and returned when it is opened. */
  details?: Record<string, string>;
  /** Files of the revision that were not fetched, with reasons. */
  skipped?: readonly SkippedFile[];
}
