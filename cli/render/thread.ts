import { showInvisible } from "../../server/lib/mask.ts";
import { languageOf } from "../../server/lib/languages.ts";
import { citationStateWords, formatLines } from "../../server/protocol/citation.ts";
import type { Thread, ThreadTurn } from "../../server/protocol/threads.ts";
import { renderCitations } from "./citations.ts";
import { cleanLine } from "./clean.ts";
import { createMarkdownRenderer } from "./markdown.ts";
import { paint, type Style } from "./style.ts";

/** A whole conversation, to be read at a terminal. */
export function renderThread({ turns }: Pick<Thread, "turns">, style: Style): string {
  return turns.map((turn) => renderTurn(turn, style)).join("\n");
}

function renderTurn(turn: ThreadTurn, style: Style): string {
  const { question, answer, citations, snapshots, ended } = turn;
  const markdown = createMarkdownRenderer(style);
  const asked = question.split("\n").map((line) => paint(`> ${cleanLine(line, style)}`, ["bold"], style));
  const note = ended === undefined ? [] : [`The answer is partial: ${endedWords[ended]}.`];
  const parts = [
    asked.join("\n"),
    (markdown.push(answer, citations) + markdown.end()).trimEnd(),
    ...note,
    renderCitations(citations, { style, snapshots }).trimEnd(),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const endedWords = { cancelled: "it was cancelled", failed: "it broke off" } as const;

/** A conversation as a Markdown file that stands alone: with its sources, as far as they are kept, line by line. */
export function threadMarkdown({ title, turns }: Thread): string {
  return showInvisible(`# ${title}\n\n${turns.map(turnMarkdown).join("\n")}`.replaceAll("\r\n", "\n"));
}

function turnMarkdown(turn: ThreadTurn): string {
  const { question, askedAt, answer, model, snapshots, ended } = turn;
  const asked = question
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
  const labels = snapshots.map(({ label }) => label).join("; ");
  const sources = turn.citations.map((_, index) => sourceMarkdown(turn, index));
  const parts = [
    asked,
    `*${askedAt.slice(0, 10)}, ${model.provider}/${model.model}, asked of ${labels}*`,
    answer.trim(),
    ...(ended === undefined ? [] : [`*The answer is partial: ${endedWords[ended]}.*`]),
    ...(sources.length === 0 ? [] : ["**Sources**", sources.join("\n\n")]),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** A list item; the lines that are cited stand indented within it. */
function sourceMarkdown({ citations, snapshots, cited }: ThreadTurn, index: number): string {
  const citation = citations[index];
  if (citation === undefined) return "";
  const { resource, path, revision, state, reason, url } = citation;
  const label = snapshots.find((snapshot) => snapshot.resource === resource)?.label ?? `${resource} ${revision}`;
  const place = `\`${`${path}:${formatLines(citation)}`.replaceAll("`", "'")}\``;
  const words = reason === undefined ? citationStateWords[state] : `${citationStateWords[state]}: ${reason}`;
  const head = `${index + 1}. ${url === undefined ? place : `[${place}](${url})`} (${label}): ${words}`;
  const lines = cited.find((text) => text.citation === citation.id)?.lines;
  if (lines === undefined) return head;
  const fence = fenceAround(lines);
  const indent = " ".repeat(`${index + 1}. `.length);
  const block = [`${fence}${languageOf(path).tag}`, ...lines, fence].map((line) => `${indent}${line}`.trimEnd());
  return `${head}\n\n${block.join("\n")}`;
}

/** Longer than any run of backticks in the lines. */
function fenceAround(lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  return "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
}
