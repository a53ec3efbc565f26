import type { HistoryReply } from "./git-history.ts";
import type { Comparison } from "./compare.ts";
import type { UpgradeReport } from "./upgrade.ts";
import type { Passage } from "./passage.ts";

/**
 * The result of one of the agent's tools as data. The built-in provider works with it; models read the text beside it.
 * Each tool fills in its part: search, grep and read `passages`, glob `files`, list `folders`, outline `definitions`,
 * definition `origins`.
 */
export interface ToolData {
  /** Lines exactly as a model sees them: secrets masked, long lines cut. */
  passages: readonly Passage[];
  files: readonly { resource: string; path: string }[];
  /** Of a search in all files of its resources: how many of their parts have each word, as a share; 0 if none has. */
  words: readonly { word: string; share: number }[];
  /** The lines that use a name, if that was searched for, each with the definition around it. */
  uses: readonly {
    resource: string;
    path: string;
    line: number;
    text: string;
    use: "calls" | "uses" | "imports";
    /** False in documents and docstrings. */
    isCode: boolean;
    around?: string | undefined;
    /** The line of that definition. */
    aroundLine?: number | undefined;
  }[];
  /** The packages that names which are not defined here come from, with the line of the import. */
  origins: readonly {
    name: string;
    /** As the import writes it. */
    module: string;
    resource: string;
    path: string;
    line: number;
    /** The text of that line. */
    text: string;
    /** What opens the package as a resource; absent if it is not on this computer and cannot be fetched. */
    reference?: string | undefined;
    /** The package with its version and where that is from. */
    label: string;
    /** Whether it is in the resource. */
    isOpen: boolean;
  }[];
  /** Packages that the project uses, each with what asks for it, by the metadata on disk; the project has no version. */
  dependents: readonly {
    name: string;
    version: string;
    origin: string;
    by: readonly { name: string; version: string | undefined; wanted: string | undefined; file: string }[];
  }[];
  /** Of definitions in a copy of a package: which one the project uses, in sentences. */
  copies: readonly string[];
  /** The commits that a question about history means, the likeliest first. */
  history?: HistoryReply | undefined;
  /** What another version of a dependency changes. */
  upgrade?: UpgradeReport | undefined;
  /** What differs between two versions that the question is about. */
  comparison?: Comparison | undefined;
  /** The name of the resource that was opened. */
  opened?: string | undefined;
  /** What an exact search without a match did not look into, in words. */
  unsearched: readonly string[];
  folders: readonly {
    resource: string;
    /** Empty for the root. */
    path: string;
    /** Only folders have a `fileCount`, which includes the files of their subfolders. */
    entries: readonly { name: string; fileCount?: number | undefined }[];
  }[];
  /** `line` names the definition; `text` is that line. The depth of those at the top is 0. */
  definitions: readonly { line: number; endLine: number; depth: number; text: string }[];
}

/** What a failed call returns. */
export const noData: ToolData = {
  passages: [],
  files: [],
  words: [],
  uses: [],
  origins: [],
  copies: [],
  dependents: [],
  unsearched: [],
  folders: [],
  definitions: [],
};
