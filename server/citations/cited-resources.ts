import type { Snapshot } from "../resources/snapshot.ts";

/** A resource that was opened, or why it could not be. */
export type Opened = { type: "snapshot"; snapshot: Snapshot } | OpenFailure;

export interface OpenFailure {
  type: "failed";
  resource: string;
  reason: string;
  /** Whether the resource is known not to exist; otherwise nothing is known of what cites it. */
  isGone: boolean;
}

/** A file in a snapshot. */
export interface CitedFile {
  type: "file";
  snapshot: Snapshot;
  path: string;
}

/** What a citation says about its file beside the resource. */
export interface CitedPlace {
  path: string;
  revision?: string | undefined;
}

/** The resources that a text may cite. Each is opened when the first citation needs it, and once. */
export interface CitedResources {
  /** The document's project, where a path without a resource's name is looked for first. */
  own(): Promise<Opened | undefined>;
  /** The other resources that the request is about. */
  others(): Promise<readonly Opened[]>;
  /** Whether the request names its resources. */
  areNamed: boolean;
  /** The document's folder, absolute; undefined where the text has no place on this computer. */
  folder: string | undefined;
  /**
   * A resource by its name, or by a one-off reference as its name; at the cited revision where that can be had, else as
   * it is now. Undefined where there is none of that name.
   */
  named(name: string, cited: CitedPlace): Promise<Opened | undefined>;
  /** The repository with this URL, at a commit, branch or tag. */
  repository(url: string, cited: Required<CitedPlace>): Promise<Opened | undefined>;
  /** A file by its absolute path, in the resource or project that it belongs to; undefined where there is none. */
  onDisk(file: string): Promise<CitedFile | OpenFailure | undefined>;
}
