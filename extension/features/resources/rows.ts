import type * as vscode from "vscode";
import type { ResourceListing } from "../../../server/protocol/resource.ts";

/** The id of the resources view. */
export const resourcesView = "citewell.resources";

export interface ResourceRow {
  type: "resource";
  listing: ResourceListing;
}

/** A folder or a file of a resource. */
export interface EntryRow {
  type: "folder" | "file";
  parent: ResourceRow | EntryRow;
  listing: ResourceListing;
  name: string;
  /** Relative to the resource's root, with forward slashes. */
  path: string;
  sizeBytes: number | null;
  /** What opens: the real file of a local folder, else the snapshot's. */
  uri: vscode.Uri;
}

/** Stands for the entries of a huge folder that are not shown yet. */
export interface MoreRow {
  type: "more";
  parent: ResourceRow | EntryRow;
  count: number;
}

/** A row of the resources view. */
export type Row = ResourceRow | EntryRow | MoreRow;

/** Whether a command's argument is a row of the view. */
export function isRow(value: unknown): value is Row {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  return "listing" in value || ("parent" in value && value.type === "more");
}

/** Unique in the tree and the same for the same thing, so that what is open stays open. */
export function rowId(row: Row): string {
  switch (row.type) {
    case "resource":
      return row.listing.name;
    case "more":
      return `${rowId(row.parent)}\n`;
    case "folder":
    case "file":
      return `${row.listing.name}\n${row.path}`;
  }
}
