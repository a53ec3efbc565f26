import * as vscode from "vscode";
import type { Citewell } from "../../context.ts";

/**
 * Lets choose what questions are asked of where they mention nothing; none chosen means all.
 * @throws ServerError
 */
export async function chooseResources({ server, selection }: Citewell): Promise<void> {
  const { resources } = await server.request("listResources", {});
  const items = resources.map(({ name, type, specialNotes }) => ({
    label: name,
    description: type,
    ...(specialNotes === null ? {} : { detail: specialNotes }),
    picked: selection.names.includes(name),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    matchOnDescription: true,
    title: vscode.l10n.t("Resources for Questions"),
    placeHolder: vscode.l10n.t("Questions that mention nothing are asked of these; of all where none is chosen"),
  });
  if (chosen !== undefined) await selection.set(chosen.map(({ label }) => label));
}
