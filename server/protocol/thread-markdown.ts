import { citationStateWords, formatPlace } from "./citation.ts";
import { showInvisible } from "./invisible.ts";
import type { Thread, ThreadTurn } from "./threads.ts";

/** What an export shows of a turn; one that has not been kept yet has no cited lines. */
export type ExportedTurn = Pick<ThreadTurn, "question" | "askedAt" | "text" | "model" | "snapshots" | "citations"> &
  Partial<Pick<ThreadTurn, "cited">> & { ended?: ThreadTurn["ended"] | undefined };

export const endedWords = { cancelled: "it was cancelled", failed: "it broke off" } as const;

/** A conversation as a self-contained Markdown file, with the cited lines that are still stored. */
export function threadMarkdown({ title, turns }: Pick<Thread, "title"> & { turns: readonly ExportedTurn[] }): string {
  return showInvisible(`# ${title}\n\n${turns.map(turnMarkdown).join("\n")}`.replaceAll("\r\n", "\n"));
}

/** A block of code whose fence is longer than any run of backticks in it; the tag is the file name's extension. */
export function fencedLines(path: string, lines: readonly string[]): string[] {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  const fence = "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  const tag = /\.([a-zA-Z0-9]{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return [`${fence}${tag}`, ...lines, fence];
}

function turnMarkdown(turn: ExportedTurn): string {
  const { question, askedAt, text, model, snapshots, ended } = turn;
  const quoted = question
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
  const labels = snapshots.map(({ label }) => label).join("; ");
  const asker = model.provider === "" ? [] : [`${model.provider}/${model.model}`];
  const facts = [askedAt.slice(0, 10), ...asker, ...(labels === "" ? [] : [`about ${labels}`])];
  const sources = turn.citations.map((_, index) => sourceMarkdown(turn, index));
  const parts = [
    quoted,
    `*${facts.join(", ")}*`,
    text.trim(),
    ...(ended === undefined ? [] : [`*The answer is partial: ${endedWords[ended]}.*`]),
    ...(sources.length === 0 ? [] : ["**Sources**", sources.join("\n\n")]),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** A list item; the lines that are cited stand indented within it. */
function sourceMarkdown({ citations, snapshots, cited = [] }: ExportedTurn, index: number): string {
  const citation = citations[index];
  if (citation === undefined) return "";
  const { resource, path, revision, state, reason, url } = citation;
  const label = snapshots.find((snapshot) => snapshot.resource === resource)?.label ?? `${resource} ${revision}`;
  const place = `\`${formatPlace(path, citation).replaceAll("`", "'")}\``;
  const words = reason === undefined ? citationStateWords[state] : `${citationStateWords[state]}: ${reason}`;
  const head = `${index + 1}. ${url === undefined ? place : `[${place}](${url})`} (${label}): ${words}`;
  const lines = cited.find((text) => text.citation === citation.id)?.lines;
  if (lines === undefined) return head;
  const indent = " ".repeat(`${index + 1}. `.length);
  const block = fencedLines(path, lines).map((line) => `${indent}${line}`.trimEnd());
  return `${head}\n\n${block.join("\n")}`;
}
