import { noteAfter } from "../../client/answer/notes.ts";
import type { ThreadTurn } from "../../server/protocol/threads.ts";
import { renderCitations } from "./citations.ts";
import { cleanLine } from "./clean.ts";
import { createMarkdownRenderer } from "./markdown.ts";
import { paint, type Style } from "./style.ts";

/** A turn as it is shown. */
type ShownTurn = Pick<ThreadTurn, "question" | "text" | "citations" | "snapshots" | "ended">;

/** A whole conversation, to be read at a terminal. */
export function renderThread({ turns }: { turns: readonly ShownTurn[] }, style: Style): string {
  return turns.map((turn) => renderTurn(turn, style)).join("\n");
}

function renderTurn(turn: ShownTurn, style: Style): string {
  const { question, text, citations, snapshots, ended = "done" } = turn;
  const markdown = createMarkdownRenderer(style);
  const quoted = question.split("\n").map((line) => paint(`> ${cleanLine(line, style)}`, ["bold"], style));
  const note = noteAfter({ answer: turn, status: ended });
  const parts = [
    quoted.join("\n"),
    (markdown.push(text, citations) + markdown.end()).trimEnd(),
    note ?? "",
    renderCitations(citations, { style, snapshots }).trimEnd(),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
