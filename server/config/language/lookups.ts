import type { ProviderList, ModelInfo } from "../../protocol/provider.ts";
import type { BranchList, Dependency, ResourceListing } from "../../protocol/resource.ts";
import type { FileListing } from "../../protocol/source.ts";

/** Facts that are not in the text. A failed or late look-up is empty, so that no feature fails because of it. */
export interface Lookups {
  providers(): Promise<ProviderList>;
  models(provider: string): Promise<Readonly<Record<string, ModelInfo>>>;
  /** Requested from the host. */
  branches(url: string): Promise<BranchList>;
  dependencies(): Promise<readonly Dependency[]>;
  /** The resources in effect, according to the saved files. */
  resources(): Promise<readonly ResourceListing[]>;
  /** The entries of a folder of a resource in effect, if it is on disk. */
  files(resource: string, folder: string): Promise<FileListing["entries"]>;
  /** The entries of a folder of this computer; undefined if it does not exist. */
  folder(path: string): Promise<readonly FolderEntry[] | undefined>;
  exists(path: string): Promise<boolean>;
}

/** An entry of a folder. */
export interface FolderEntry {
  name: string;
  type: "file" | "folder";
}

/** The file that a text belongs to, and the folder that its relative paths are relative to. */
export interface Place {
  level: "project" | "global" | "other";
  /** Absolute. */
  folder: string;
  homeDirectory: string;
}
