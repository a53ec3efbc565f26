import * as vscode from "vscode";
import { kindOf } from "../../../server/protocol/kinds/kinds.ts";
import { addAll } from "./add.ts";
import { type Link, readLink } from "./link.ts";
import { showInvisible } from "./markdown.ts";
import type { Parts } from "./parts.ts";

/** Does what a link asks for once the person has agreed to it. No link asks a question or sends anything. */
export async function followLink(uri: vscode.Uri, parts: Parts): Promise<void> {
  const link = readLink(uri);
  if (link === undefined) {
    void vscode.window.showWarningMessage(vscode.l10n.t("The link names nothing that Citewell can add or open."));
    return;
  }
  if (!(await confirm(link))) return;
  if (link.type === "add") await addAll([link.reference], parts);
  else await parts.citations.open(link.citation, { toSide: false });
}

async function confirm(link: Link): Promise<boolean> {
  const { message, detail, action } = wordsOf(link);
  return (await vscode.window.showInformationMessage(message, { modal: true, detail }, action)) === action;
}

function wordsOf(link: Link): { message: string; detail: string; action: string } {
  if (link.type === "open") {
    const file = showInvisible(`${link.citation.resource}: ${link.citation.path}`);
    return {
      message: vscode.l10n.t("Open {0}?", file),
      detail: vscode.l10n.t("A link asks for this. The file is opened to read, as it was in the cited revision."),
      action: vscode.l10n.t("Open"),
    };
  }
  const name = showInvisible(link.reference.canonical);
  return {
    message: vscode.l10n.t("Add the {0} {1} as a resource?", kindOf(link.reference).label(vscode.l10n), name),
    detail: vscode.l10n.t(
      "A link asks for this. It is added to this project, or to every project if none is open, and fetched, so that you can ask about it.",
    ),
    action: vscode.l10n.t("Add"),
  };
}
