import * as vscode from "vscode";
import type { Citewell } from "../../context.ts";
import { chosenNames, toSelection } from "../resources/chosen.ts";

/**
 * Lets the user choose the resources that questions without mentions are about. None chosen means the usual ones.
 * @throws ServerError
 */
export async function chooseResources({ server, selection }: Citewell): Promise<void> {
  const { resources } = await server.request("listResources", {});
  const usual = new Set(chosenNames(selection.names, resources));
  const items = resources.map(({ name, type, specialNotes }) => ({
    label: name,
    description: type,
    ...(specialNotes === null ? {} : { detail: specialNotes }),
    picked: usual.has(name),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    matchOnDescription: true,
    title: vscode.l10n.t("Resources for Questions"),
    placeHolder: vscode.l10n.t("Questions without mentions are about these resources"),
  });
  if (chosen !== undefined) await selection.set(toSelection(new Set(chosen.map(({ label }) => label)), resources));
}
