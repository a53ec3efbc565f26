import { joinQuestion } from "../server/protocol/attachment.ts";
import { type Citation, citationStateWords, formatCited } from "../server/protocol/citation.ts";
import { fencedLines } from "../server/protocol/fenced-lines.ts";
import { showInvisible } from "../server/protocol/invisible.ts";
import type { Thread, ThreadTurn } from "../server/protocol/threads.ts";
import { noteAfter } from "./answer/notes.ts";
import { originOf } from "./answer/sources.ts";
import type { Conversation, Turn } from "./conversation.ts";

/** What an export shows of a turn; one that is not stored yet has no cited lines. */
type ExportedTurn = Pick<
  ThreadTurn,
  "question" | "askedAt" | "text" | "model" | "snapshots" | "citations" | "cited" | "ended"
>;

/** A conversation as a self-contained Markdown file, with the cited lines that are still stored. */
export function threadMarkdown({ title, turns }: { title: string; turns: readonly ExportedTurn[] }): string {
  return showInvisible(`# ${title}\n\n${turns.map(turnMarkdown).join("\n")}`.replaceAll("\r\n", "\n"));
}

/**
 * The same of a conversation that a client shows; undefined before its first answer has begun. `stored` is its thread: it
 * has the cited lines that the client may lack.
 */
export function conversationMarkdown(
  { thread, turns }: Conversation,
  { stored }: { stored?: Thread | undefined } = {},
): string | undefined {
  const begun = turns.filter(({ answer, status }) => status !== "running" || answer.text !== "");
  const [first] = begun;
  if (first === undefined) return undefined;
  const title = thread?.title ?? first.question.split("\n")[0] ?? "";
  return threadMarkdown({ title, turns: begun.map((turn) => toExported(turn, stored)) });
}

function toExported(
  { question, attachments = [], askedAt, answer, status, cited }: Turn,
  stored?: Thread,
): ExportedTurn {
  const isSame = ({ text, citations }: ThreadTurn) => text === answer.text && citations.length > 0;
  return {
    ...answer,
    question: joinQuestion(question, attachments),
    askedAt,
    cited: [...(cited ?? stored?.turns.find(isSame)?.cited ?? [])],
    ended: status === "failed" || status === "cancelled" ? status : undefined,
  };
}

function turnMarkdown(turn: ExportedTurn): string {
  const { question, askedAt, text, model, snapshots, ended = "done" } = turn;
  const quoted = question
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
  const labels = snapshots.map(({ label }) => label).join("; ");
  const asker = model.provider === "" ? [] : [`${model.provider}/${model.model}`];
  const facts = [askedAt.slice(0, 10), ...asker, ...(labels === "" ? [] : [`about ${labels}`])];
  const note = noteAfter({ answer: turn, status: ended });
  const sources = turn.citations.map((citation, index) => sourceMarkdown(turn, citation, index + 1));
  const parts = [
    quoted,
    `*${facts.join(", ")}*`,
    text.trim(),
    ...(note === undefined ? [] : [`*${note}*`]),
    ...(sources.length === 0 ? [] : ["**Sources**", sources.join("\n\n")]),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** A list item; the cited lines are indented within it. */
function sourceMarkdown({ snapshots, cited }: ExportedTurn, citation: Citation, number: number): string {
  const { id, path, state, reason, url } = citation;
  const place = `\`${formatCited(citation).replaceAll("`", "'")}\``;
  const words = reason === undefined ? citationStateWords[state] : `${citationStateWords[state]}: ${reason}`;
  const shown = url === undefined ? place : `[${place}](${url})`;
  const head = `${number}. ${shown} (${originOf(citation, snapshots)}): ${words}`;
  const lines = cited.find((text) => text.citation === id)?.lines;
  if (lines === undefined) return head;
  const indent = " ".repeat(`${number}. `.length);
  const block = fencedLines(path, lines).map((line) => `${indent}${line}`.trimEnd());
  return `${head}\n\n${block.join("\n")}`;
}
