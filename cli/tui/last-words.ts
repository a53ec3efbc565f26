import type { Conversation } from "../../client/conversation.ts";
import { renderCitations } from "../render/citations.ts";
import { cleanLine } from "../render/clean.ts";
import { createMarkdownRenderer } from "../render/markdown.ts";
import { paint, type Style } from "../render/style.ts";

/** What stays in the normal screen: the last answer with its sources, and how to go on. */
export function lastWords(conversation: Conversation, style: Style): string {
  const turn = conversation.turns.findLast(({ answer }) => answer.text !== "");
  const goOn = goOnLine(conversation);
  if (turn === undefined) return goOn;
  const { question, answer } = turn;
  const markdown = createMarkdownRenderer(style);
  const parts = [
    paint(`> ${cleanLine(question, style)}`, ["bold"], style),
    (markdown.push(answer.text, answer.citations) + markdown.end()).trimEnd(),
    renderCitations(answer.citations, { style, snapshots: answer.snapshots }).trimEnd(),
    goOn,
  ];
  return parts.join("\n\n");
}

/** How to continue the conversation; empty if it is not stored. */
export function goOnLine({ thread }: Conversation): string {
  return thread === undefined ? "" : `to go on: citewell threads resume ${thread.id}\n`;
}
