import { extractMentions, type Mentionable } from "../../../server/protocol/mentions.ts";
import { limits } from "../../../server/protocol/resource-fields.ts";
import { fencedLines } from "../../../server/protocol/thread-markdown.ts";
import type { Attachment } from "../../webview/messages.ts";

/** Most of an attachment that goes along, in UTF-16 units; `Attachment` has the same bound. */
export const attachmentLimit = 60_000;

export interface AskedOf {
  mentionable: Mentionable;
  /** From a command, or from the turn that is asked again. */
  given?: readonly string[] | undefined;
  /** Ticked in the tree. */
  selected: readonly string[];
  /** What the turn before named. */
  previous: readonly string[];
}

/**
 * What a question is asked of, and its text without the mentions: what it mentions, else what it was given, else what is
 * ticked, else what the turn before named, as in the session at the terminal. None means all. `named` goes on to the
 * next turn.
 */
export function targetsOf(
  text: string,
  { mentionable, given = [], selected, previous }: AskedOf,
): { question: string; named: readonly string[]; resources: readonly string[] } {
  const mentions = extractMentions(text, mentionable);
  // A question of mentions alone asks nothing without them.
  const question = mentions.question.trim() === "" ? text : mentions.question;
  const named = mentions.resources.length > 0 ? mentions.resources : given;
  if (named.length > 0) return { question, named, resources: named };
  if (selected.length > 0) return { question, named, resources: selected };
  return { question, named: previous, resources: previous };
}

/** The question as it is sent: with the lines that go along, in a block under the path that they came from. */
export function joinQuestion(question: string, attachment: Attachment | undefined): string {
  if (attachment === undefined) return question;
  const { label, path } = attachment;
  const head = `${question}\n\n${attachedWords} \`${inCode(path)}\` (${inCode(label)}):\n\n`;
  // Leaves room for the fence.
  const room = limits.questionLength - head.length - 500;
  if (room <= 0) return question.slice(0, limits.questionLength);
  const { text } = cutAttachment({ ...attachment, text: attachment.text.slice(0, room) });
  return `${head}${fencedLines(path, text.split("\n")).join("\n")}`;
}

/** The inverse, for questions that come back from the server. */
export function splitQuestion(text: string): { question: string; attachment?: Attachment } {
  const groups = joined.exec(text)?.groups;
  if (groups === undefined) return { question: text };
  const { question = "", path = "", label = "", lines = "" } = groups;
  return { question, attachment: { label, path, text: lines } };
}

/** At most what may go along. */
export function cutAttachment(attachment: Attachment): Attachment {
  return { ...attachment, text: attachment.text.slice(0, attachmentLimit).replace(/[\uD800-\uDBFF]$/, "") };
}

/** Not translated: it goes to the model, and is found again in what is kept. */
const attachedWords = "Attached from";

const joined =
  /^(?<question>[^]*?)\n\nAttached from `(?<path>[^`\n]*)` \((?<label>[^\n]*)\):\n\n(?<fence>`{3,})\w*\n(?<lines>[^]*)\n\k<fence>$/;

function inCode(text: string): string {
  return text.replace(/[`\n]/g, "'");
}
