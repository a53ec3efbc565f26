import * as vscode from "vscode";
import { SearchPath, searchPathsOf } from "../../../server/protocol/kinds/git-fields.ts";
import { SpecialNotes } from "../../../server/protocol/resource-fields.ts";
import { type ResourceListing, type ResourceSpec, toSpec } from "../../../server/protocol/resource.ts";
import type { Parts } from "./parts.ts";
import { kindOf } from "../../../server/protocol/kinds/kinds.ts";
import { pinnedSpec, withSearchPaths } from "./spec.ts";
import { faultOf, joinPaths, pathsFault, splitPaths } from "./validation.ts";

/** Notes are shown to the model as the person's; empty removes them. */
export async function editNotes(listing: ResourceListing, parts: Parts): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Notes on {0}", listing.name),
    prompt: vscode.l10n.t("What the model should know about it. Leave it empty for none."),
    value: listing.specialNotes ?? "",
    ignoreFocusOut: true,
    validateInput: (value) => faultOf(SpecialNotes, value.trim()),
  });
  if (text === undefined) return;
  const specialNotes = text.trim() === "" ? null : text.trim();
  await update(toSpec({ ...listing, specialNotes }), parts);
}

/** Asks for the folders of a repository to search. */
export async function editSearchPaths(listing: ResourceListing, parts: Parts): Promise<void> {
  const paths = searchPathsOf(listing);
  if (paths.some((path) => path.includes(","))) {
    await vscode.commands.executeCommand("citewell.openConfig");
    return;
  }
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Search Paths of {0}", listing.name),
    prompt: vscode.l10n.t("Read only below these folders, separated by commas. Leave it empty to read all."),
    placeHolder: "src, docs",
    value: joinPaths(paths),
    ignoreFocusOut: true,
    validateInput: (value) => pathsFault(SearchPath, value),
  });
  if (text === undefined) return;
  await update(withSearchPaths(listing, splitPaths(text)), parts);
}

/** Pins the resource to the revision that is on disk now. */
export async function pinResource(listing: ResourceListing, parts: Parts): Promise<void> {
  const spec = pinnedSpec(listing);
  if (spec === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t("{0} has no revision on disk to pin it to.", listing.name));
    return;
  }
  if (kindOf(listing).isPinned?.(listing) === true) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        "{0} is pinned already. Change its branch or version in the configuration to follow another.",
        listing.name,
      ),
    );
    return;
  }
  await update(spec, parts);
}

async function update(spec: ResourceSpec, { server, changes }: Parts): Promise<void> {
  await server.request("updateResource", spec);
  changes.fire("resources");
}
