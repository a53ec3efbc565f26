import os from "node:os";
import type { GitResult } from "../git-call.ts";

/** How a command on a repository runs. */
export interface HistoryRun {
  signal: AbortSignal;
  /** After how many milliseconds it ends. */
  timeMs: number;
  /** Paths whose contents it compares, relative to the repository's root; without them it compares all. */
  paths?: readonly string[] | undefined;
  /** The ids of the contents that it reads, if it reads no others; none if it only looks at commits. */
  contents?: readonly string[] | undefined;
  /** Standard input, of commands that read some. */
  input?: string | undefined;
  /** Called with each chunk of standard output, which is then not in the result. */
  onOutput?: ((chunk: Uint8Array) => void) | undefined;
  /** Called before a repeated run, whose output begins again. */
  onRepeat?: (() => void) | undefined;
}

/**
 * The history of a resource, read by git. It changes nothing in the repository of an open folder, and nothing that such
 * a repository configures is run. Dispose of it when the request ends.
 */
export interface HistoryRepository extends AsyncDisposable {
  /** The full id of the commit that history is read from. */
  revision: string;
  /** The path of the resource's root in the repository; empty for the repository's root, or one inside the resource. */
  root: string;
  /** The path in the repository of a path of the resource, and the other way round. */
  toRepository(path: string): string;
  toResource(path: string): string;
  /** Its size on disk when it was opened, of a fetched one. */
  diskBytes?: number | undefined;
  /** What limits the history, in words. */
  notes: readonly string[];
  /** Whether comparing contents of other files than those of `paths` may have to fetch them. */
  isPartial: boolean;
  /**
   * Runs a command to its end, whatever its exit code.
   * @throws RepositoryTimeout, ToolMissing, RepositoryFailed (contents that are missing could not be fetched)
   */
  run(args: readonly string[], options: HistoryRun): Promise<GitResult>;
}

/** Settings for reading history: nothing runs, and output has one form whatever the repository configures. */
export const readingSettings = [
  ["core.fsmonitor", "false"],
  ["core.quotePath", "false"],
  ["safe.bareRepository", "explicit"],
  ["log.showSignature", "false"],
  ["log.follow", "false"],
  ["log.showRoot", "true"],
  ["core.abbrev", "auto"],
  ["column.tag", "never"],
  ["i18n.logOutputEncoding", "UTF-8"],
  ["color.ui", "false"],
  ["diff.orderFile", "/dev/null"],
  ["diff.submodule", "short"],
  // By default git maps all packs: 280 MB for a log of a repository with 80,000 commits, instead of 80 MB. It is no faster.
  ["core.packedGitWindowSize", "1m"],
  ["core.packedGitLimit", "48m"],
  ["core.deltaBaseCacheLimit", "16m"],
] as const;

/**
 * The environment of commands that only read; git's own lock for refreshing its index is not taken. An id shows what it
 * names: replacements and grafts, which exist in one clone only, are not followed.
 */
export const readingVariables = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_GRAFT_FILE: os.devNull,
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
} as const;

/** Whether git wanted the contents of a file that are not on disk. */
export function isMissing(errorOutput: string): boolean {
  return /promisor remote|transport '\w+' not allowed/.test(errorOutput);
}
