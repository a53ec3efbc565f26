import { limits } from "../server/protocol/resource-fields.ts";
import { fencedLines } from "../server/protocol/thread-markdown.ts";

/** Lines of code that are sent with a question. */
export interface Attachment {
  /** For people: `retry.ts:10-20`. */
  label: string;
  path: string;
  /** At most `attachmentLimit`. */
  text: string;
}

/** In UTF-16 units. */
export const attachmentLimit = 60_000;

/** The question as it is sent: with the attached lines in a code block below their path. */
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

/** The inverse, for questions of a stored thread. */
export function splitQuestion(text: string): { question: string; attachment?: Attachment } {
  const groups = joined.exec(text)?.groups;
  if (groups === undefined) return { question: text };
  const { question = "", path = "", label = "", lines = "" } = groups;
  return { question, attachment: { label, path, text: lines } };
}

/** Cuts the text at the limit. */
export function cutAttachment(attachment: Attachment): Attachment {
  return { ...attachment, text: attachment.text.slice(0, attachmentLimit).replace(/[\uD800-\uDBFF]$/, "") };
}

/** Not translated: the model reads it, and `splitQuestion` finds it in stored threads. */
const attachedWords = "Attached from";

const joined =
  /^(?<question>[^]*?)\n\nAttached from `(?<path>[^`\n]*)` \((?<label>[^\n]*)\):\n\n(?<fence>`{3,})\w*\n(?<lines>[^]*)\n\k<fence>$/;

function inCode(text: string): string {
  return text.replace(/[`\n]/g, "'");
}
