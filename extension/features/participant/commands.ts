import * as vscode from "vscode";
import { notesBefore } from "../../../client/answer/notes.ts";
import { citationStateWords, formatCited, formatLines } from "../../../server/protocol/citation.ts";
import type { SearchReply } from "../../../server/protocol/search.ts";
import { editorLanguage } from "../../editor-language.ts";
import { toUriParts } from "../citations/uris.ts";
import type { AskedRequest, RequestContext } from "./answer.ts";
import { asText, noteMarkdown } from "./parts.ts";
import { readPrompt } from "./prompt.ts";

type Answering = Omit<RequestContext, "editorModels">;

/** `/find`: the passages themselves, without a model. */
export async function findPassages({ prompt }: AskedRequest, { stream, token, citewell }: Answering): Promise<void> {
  const { question, ...about } = await readPrompt(prompt, citewell, token);
  const found = await citewell.server.request(
    "search",
    { query: question, limit: 10, mode: "ranked", ...about },
    { token },
  );
  if (found.results.length === 0) reportNothing(found, stream);
  reportUnavailable(found.unavailable, stream);
  for (const { preview, ...hit } of found.results) {
    stream.anchor(placeOf(hit), `${hit.path}:${formatLines(hit)}`);
    stream.markdown(`\n${fenced(preview)}\n`);
  }
}

/** How much was searched, and the files that may be meant. */
function reportNothing({ searchedFiles, nearest = [] }: SearchReply, stream: vscode.ChatResponseStream): void {
  stream.markdown(
    searchedFiles === 1
      ? vscode.l10n.t("Nothing was found in 1 file.")
      : vscode.l10n.t("Nothing was found in {0} files.", searchedFiles),
  );
  if (nearest.length > 0) stream.markdown(`\n\n${vscode.l10n.t("Files of a similar name:")}\n`);
  for (const { resource, path } of nearest) stream.markdown(`- ${asText(`${resource}:${path}`)}\n`);
}

function reportUnavailable(unavailable: SearchReply["unavailable"], stream: vscode.ChatResponseStream): void {
  for (const note of notesBefore({ snapshots: [], unavailable }, editorLanguage))
    stream.markdown(`\n\n${noteMarkdown(note)}`);
}

/** `/verify`: what the text cites, else what was answered last. */
export async function verifyText(
  { prompt }: AskedRequest,
  { context, stream, token, citewell }: Answering,
): Promise<void> {
  const text = prompt.trim() === "" ? lastAnswer(context) : prompt;
  if (text === "") {
    stream.markdown(vscode.l10n.t("There is no answer yet. Paste a text that cites files after the command."));
    return;
  }
  const { citations, unavailable } = await citewell.server.request("verify", { text }, { token });
  if (citations.length === 0) stream.markdown(vscode.l10n.t("The text cites no lines of any file."));
  for (const citation of citations) {
    stream.markdown(`\n- ${citationStateWords[citation.state]}: `);
    stream.anchor(placeOf(citation), formatCited(citation));
    if (citation.reason !== undefined) stream.markdown(` (${asText(citation.reason)})`);
  }
  reportUnavailable(unavailable, stream);
}

/** `/resources`: what can be asked. */
export async function listResources({ stream, token, citewell }: Answering): Promise<void> {
  const { resources } = await citewell.server.request("listResources", {}, { token });
  for (const { name, type, revision, state } of resources)
    stream.markdown(`- \`@${name.replace(/^@/, "")}\` ${type}, ${asText(revision ?? state)}\n`);
  if (resources.length === 0) stream.markdown(vscode.l10n.t("There are no resources yet."));
  stream.button({ command: "citewell.addResource", title: vscode.l10n.t("Add Resource…") });
}

interface Lines {
  resource: string;
  path: string;
  revision: string;
  startLine: number;
  endLine: number;
}

/** Lines of a resource, as an editor opens them. */
export function placeOf({ startLine, endLine, ...file }: Lines): vscode.Location {
  const range = new vscode.Range(Math.max(0, startLine - 1), 0, Math.max(0, endLine - 1), Number.MAX_SAFE_INTEGER);
  return new vscode.Location(vscode.Uri.from(toUriParts(file)), range);
}

/** As it was written, links and all. */
function lastAnswer({ history }: vscode.ChatContext): string {
  const last = history.findLast((turn) => turn instanceof vscode.ChatResponseTurn);
  const parts = last?.response ?? [];
  return parts
    .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : citedBy(part)))
    .join("");
}

function citedBy(part: unknown): string {
  return part instanceof vscode.ChatResponseAnchorPart && part.title !== undefined ? part.title : "";
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length));
  const fence = "`".repeat(longest + 1);
  return `\n${fence}\n${text}\n${fence}\n`;
}
