import type { ProviderList, ModelInfo } from "../../protocol/provider.ts";
import type { BranchList, Dependency, ResourceListing } from "../../protocol/resource.ts";
import type { FileListing } from "../../protocol/source.ts";

/** What the text alone does not tell. What cannot be found out, or not in time, is empty: no feature fails of it. */
export interface Lookups {
  providers(): Promise<ProviderList>;
  models(provider: string): Promise<Readonly<Record<string, ModelInfo>>>;
  /** Asked of the host. */
  branches(url: string): Promise<BranchList>;
  dependencies(): Promise<readonly Dependency[]>;
  /** Those in force, as the saved files have them. */
  resources(): Promise<readonly ResourceListing[]>;
  /** What is in a folder of a resource in force, where it is on disk. */
  files(resource: string, folder: string): Promise<FileListing["entries"]>;
  /** What is in a folder of this computer; undefined where there is none. */
  folder(path: string): Promise<readonly FolderEntry[] | undefined>;
  exists(path: string): Promise<boolean>;
}

export interface FolderEntry {
  name: string;
  type: "file" | "folder";
}

/** Which file a text is of, and what its relative paths are relative to. */
export interface Place {
  level: "project" | "global" | "other";
  /** Absolute. */
  folder: string;
  homeDirectory: string;
}
