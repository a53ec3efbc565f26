import * as vscode from "vscode";
import { type Attachment, attachmentLimit } from "../../../server/protocol/attachment.ts";
import { formatLines } from "../../../server/protocol/citation.ts";
import { showHistory } from "../../../server/protocol/git-history.ts";
import { splitPlace } from "../../../server/protocol/source.ts";
import type { Server } from "../../context.ts";

/** The commits of attached lines, where git knows them. Never rejects: the lines are worth a question without them. */
export async function readHistory(
  { uri }: Pick<vscode.TextDocument, "uri">,
  { label, path }: Attachment,
  server: Pick<Server, "request">,
): Promise<Attachment | undefined> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const [lines] = splitPlace(label).ranges;
  if (folder?.uri.scheme !== "file") return undefined;
  try {
    const place = lines === undefined ? uri.fsPath : `${uri.fsPath}:${formatLines(lines)}`;
    const reply = await server.request("history", {
      resource: folder.uri.fsPath,
      place,
      limit: historyCommits,
      diffLines: 10,
    });
    if (reply.commits.length === 0) return undefined;
    return { label: vscode.l10n.t("history of {0}", label), path, text: showHistory(reply).slice(0, attachmentLimit) };
  } catch {
    return undefined;
  }
}

const historyCommits = 8;
