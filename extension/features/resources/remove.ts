import * as vscode from "vscode";
import { type ResourceListing, toSpec } from "../../../server/protocol/resource.ts";
import { readConfigTexts, restoreConfig } from "./config-files.ts";
import type { Parts } from "./parts.ts";

/** Removes a resource from the configuration, without a confirmation: nothing on disk changes, and it can be undone. */
export async function removeResource(listing: ResourceListing, parts: Parts): Promise<void> {
  const { server, selection, changes, showError } = parts;
  const { name } = listing;
  const selected = selection.names;
  const before = await readConfigTexts(parts);
  await server.request("removeResource", { name });
  const after = await readConfigTexts(parts);
  if (selected.includes(name)) await selection.set(selected.filter((other) => other !== name));
  changes.fire("resources");
  const takeBack = async () => {
    const undo = vscode.l10n.t("Undo");
    const message = vscode.l10n.t("Removed the resource {0} from the configuration.", name);
    if ((await vscode.window.showInformationMessage(message, undo)) !== undo) return;
    if (!(await restoreConfig(before, after))) await server.request("addResource", toSpec(listing));
    await selection.set(selected);
    changes.fire("resources");
  };
  // Nothing waits for a message to be read.
  takeBack().catch(showError);
}
