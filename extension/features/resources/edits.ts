import * as vscode from "vscode";
import type { ResourceListing } from "../../../server/protocol/resource.ts";
import { addAll, addByWizard } from "./add.ts";
import { addDependencies } from "./dependencies.ts";
import { droppedReferences, folderReference } from "./dropped.ts";
import { editNotes, editSearchPaths, pinResource } from "./edit.ts";
import { followLink } from "./follow-link.ts";
import type { Parts } from "./parts.ts";
import { removeResource } from "./remove.ts";
import { requireFolders } from "./trust.ts";

/** What changes the configuration. Loaded on first use: it brings the protocol's schemas with it. */
export interface Edits {
  add(): Promise<void>;
  /** Takes one or several folders from the explorer's menu; without any, a dialog asks for one. */
  addFolders(folders: readonly vscode.Uri[]): Promise<void>;
  addDropped(dropped: { uris: string; text: string }): Promise<void>;
  addDependencies(): Promise<void>;
  editNotes(listing: ResourceListing): Promise<void>;
  editSearchPaths(listing: ResourceListing): Promise<void>;
  pin(listing: ResourceListing): Promise<void>;
  remove(listing: ResourceListing): Promise<void>;
  followLink(uri: vscode.Uri): Promise<void>;
}

/** Creates the commands that add, change and remove resources. */
export function createEdits(parts: Parts): Edits {
  return {
    add: () => addByWizard(parts),
    async addFolders(folders) {
      const onDisk = folders.filter(({ scheme }) => scheme === "file");
      if (onDisk.length > 0) await addAll(onDisk.map(folderReference), parts);
      else if (await requireFolders()) await addByWizard(parts, { kind: "local" });
    },
    async addDropped(dropped) {
      const references = droppedReferences(dropped);
      if (references.length > 0) return addAll(references, parts);
      const help = vscode.l10n.t("Drop a folder, a repository's address or a package (npm:name) to add it.");
      void vscode.window.showInformationMessage(help);
    },
    addDependencies: () => addDependencies(parts),
    editNotes: (listing) => editNotes(listing, parts),
    editSearchPaths: (listing) => editSearchPaths(listing, parts),
    pin: (listing) => pinResource(listing, parts),
    remove: (listing) => removeResource(listing, parts),
    followLink: (uri) => followLink(uri, parts),
  };
}
