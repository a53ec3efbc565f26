import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { originOf, sourceKey, sourcesOf } from "../../client/answer/sources.ts";
import { errorBodyOf } from "../../client/error-body.ts";
import type { Turn } from "../../client/conversation.ts";
import { type Citation, isCommitCited } from "../../server/protocol/citation.ts";
import type { SourceFile } from "../../server/protocol/source.ts";
import { clean } from "../render/clean.ts";
import { highlightCode } from "../../server/source/highlight.ts";
import { languageOf } from "../../server/source/languages.ts";
import { runEditor } from "./edit-question.ts";
import { editorCommand } from "./editor-command.ts";
import { numberCitations } from "./segments.ts";
import { notify, type Tui } from "./tui-context.ts";

/** Lines shown before the cited ones. */
const linesBefore = 3;
/** Lines kept before and after them, for scrolling. */
const linesAround = 500;
/** More are read before them: only from the beginning it is known where comments and strings begin and end. */
const linesRead = 5000;

/** Moves to the next source of the newest answer that has one, or back; shows its lines. */
export async function moveCitation(tui: Tui, by: 1 | -1): Promise<void> {
  const turn = tui.state.turns.findLast(({ answer }) => answer.citations.length > 0);
  if (turn === undefined) return notify(tui, "no answer here has citations");
  const sources = sourcesOf(turn.answer.citations);
  const at = (tui.state.source?.number ?? (by === 1 ? 0 : 1)) - 1;
  const index = (at + by + sources.length) % sources.length;
  const source = sources[index];
  if (source !== undefined) await showCitation(tui, turn, { citation: source.citation, number: index + 1 });
}

/** Shows the lines of a citation that was clicked. */
export async function showClickedCitation(tui: Tui, citation: Citation): Promise<void> {
  const turn = tui.state.turns.find(({ answer }) => answer.citations.includes(citation));
  if (turn === undefined) return;
  const number = numberCitations(turn.answer.citations).get(citation) ?? 1;
  await showCitation(tui, turn, { citation, number });
}

async function showCitation(
  tui: Tui,
  turn: Turn,
  { citation, number }: { citation: Citation; number: number },
): Promise<void> {
  const key = sourceKey(citation);
  const origin = originOf(citation, turn.answer.snapshots);
  tui.state = { ...tui.state, source: { citation, number, origin, content: { type: "loading" } } };
  revealCitation(tui, turn, key);
  tui.repaint();
  const content = await loadLines(tui, citation);
  const shown = tui.state.source;
  if (shown === undefined || sourceKey(shown.citation) !== key) return;
  tui.state = { ...tui.state, source: { ...shown, content } };
  tui.repaint();
}

function revealCitation(tui: Tui, { id }: Turn, key: string): void {
  const { transcript, viewport } = tui.view.transcript(tui.state, tui.size());
  const find = (segment: {
    key: string;
    lines(width: number): readonly (readonly { citation?: Citation | undefined }[])[];
  }) => {
    if (!segment.key.startsWith(`${id}:`)) return undefined;
    const row = segment
      .lines(viewport.width)
      .findIndex((line) => line.some(({ citation }) => citation !== undefined && sourceKey(citation) === key));
    return row === -1 ? undefined : row;
  };
  tui.state = { ...tui.state, anchor: transcript.reveal(tui.state.anchor, find, viewport) };
}

/** Scrolls the cited lines down by lines; negative is up. */
export function scrollSource(tui: Tui, by: number): void {
  const { source } = tui.state;
  if (source?.content.type !== "lines") return;
  const { file, first, top } = source.content;
  const moved = Math.max(first, Math.min(top + by, file.endLine));
  tui.state = { ...tui.state, source: { ...source, content: { ...source.content, top: moved } } };
}

type Content = NonNullable<Tui["state"]["source"]>["content"];

async function loadLines({ app: { threads }, style }: Tui, citation: Citation): Promise<Content> {
  const { resource, path, revision, startLine, endLine } = citation;
  if (threads === undefined) return { type: "failed", message: "the lines of a server elsewhere cannot be read here" };
  try {
    const range = isCommitCited(citation)
      ? {}
      : { startLine: Math.max(1, startLine - linesRead), endLine: endLine + linesAround };
    const file = await threads.read({ resource, path, revision, ...range });
    const text = file.text.split("\n").map((line) => clean(line, style));
    const first = Math.max(file.startLine, startLine - linesAround);
    const lines = highlightCode(languageOf(path), text.join("\n")).slice(first - file.startLine);
    return { type: "lines", file, lines, first, top: Math.max(first, startLine - linesBefore) };
  } catch (error) {
    return { type: "failed", message: errorBodyOf(error).error };
  }
}

/** Opens the cited lines in the user's editor: the file itself, or a copy of it at the cited revision. */
export async function openCitation(tui: Tui): Promise<void> {
  const { source } = tui.state;
  if (source === undefined) return moveCitation(tui, 1);
  const { content, citation } = source;
  if (content.type !== "lines") return notify(tui, "there are no lines to open", "warning");
  const file = await fileToOpen(tui, content.file, citation);
  const { env, platform } = tui.terminal;
  const command = editorCommand({ file, line: citation.startLine }, { env, platform });
  await tui.outside(async () => {
    const [program, ...args] = command;
    const fault = await runEditor(program ?? "vi", args, tui.terminal);
    if (fault !== undefined) notify(tui, `${program} did not start: ${fault}; set $VISUAL or $EDITOR`, "bad");
  });
}

async function fileToOpen({ app: { threads } }: Tui, file: SourceFile, citation: Citation): Promise<string> {
  if (file.pathOnDisk !== undefined && file.hasChanged !== true) return file.pathOnDisk;
  const { resource, revision } = citation;
  const whole = await threads?.read({ resource, path: file.path, revision });
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-source-"));
  const copy = path.join(folder, path.basename(file.path) || "commit.txt");
  await writeFile(copy, whole?.text ?? file.text, { mode: 0o400 });
  return copy;
}
