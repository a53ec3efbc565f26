import * as z from "zod";
import { limits } from "./resource-fields.ts";
import { fencedLines } from "./fenced-lines.ts";

/** The length of the text of an attachment, in UTF-16 units. */
export const attachmentLimit = 60_000;

/** Lines of code that are sent with a question. */
export const Attachment = z.object({
  label: z.string().describe("For people: `retry.ts:10-20`."),
  path: z.string(),
  text: z.string().max(attachmentLimit),
});
export type Attachment = z.infer<typeof Attachment>;

/** The question as it is sent: with the attached lines of each file in a code block below their path. */
export function joinQuestion(question: string, attachments: readonly Attachment[]): string {
  return attachments.reduce(joinOne, question);
}

function joinOne(question: string, attachment: Attachment): string {
  const { label, path } = attachment;
  const head = `${question}${attachedFrom}${inCode(path)}\` (${inCode(label)}):\n\n`;
  // The fence needs some of what is left.
  const free = limits.questionLength - head.length - 500;
  if (free <= 0) return question.slice(0, limits.questionLength);
  const { text } = cutAttachment({ ...attachment, text: attachment.text.slice(0, free) });
  return `${head}${fencedLines(path, text.split("\n")).join("\n")}`;
}

/** The inverse, for the model and for questions of a stored thread. */
export function splitQuestion(text: string): { question: string; attachments: Attachment[] } {
  /** The places where blocks begin that something other than a block follows. Each is read once. */
  const refused = new Set<number>();
  for (let start = text.indexOf(attachedFrom); start !== -1; start = text.indexOf(attachedFrom, start + 1)) {
    const attachments = readBlocks(text, start, refused);
    if (attachments !== undefined) return { question: text.slice(0, start), attachments };
  }
  return { question: text, attachments: [] };
}

/** Undefined unless the text consists of blocks from there to its end. */
function readBlocks(text: string, start: number, refused: Set<number>): Attachment[] | undefined {
  const attachments: Attachment[] = [];
  let at = start;
  while (at < text.length) {
    const block = refused.has(at) ? undefined : readBlock(text, at);
    refused.add(at);
    if (block === undefined) return undefined;
    attachments.push(block.attachment);
    at = block.end;
  }
  return attachments;
}

function readBlock(text: string, start: number): { attachment: Attachment; end: number } | undefined {
  const head = new RegExp(blockHead);
  head.lastIndex = start;
  const [, path, label, fence] = head.exec(text) ?? [];
  if (path === undefined || label === undefined || fence === undefined) return undefined;
  // The fence is longer than any in the lines, so the first that is equal ends them.
  const close = `\n${fence}`;
  const from = head.lastIndex;
  const next = text.indexOf(`${close}${attachedFrom}`, from);
  const last = text.endsWith(close) ? text.length - close.length : -1;
  const to = next === -1 ? last : next;
  return to < from ? undefined : { attachment: { label, path, text: text.slice(from, to) }, end: to + close.length };
}

/**
 * What fits of an attachment beside the others of its question: whole lines, which the label then names. Undefined if
 * not even one line fits.
 */
export function fitAttachment(attachment: Attachment, others: readonly Attachment[]): Attachment | undefined {
  const used = others.reduce((sum, { path, label, text }) => sum + path.length + label.length + text.length, 0);
  const free = Math.min(attachmentLimit, attachmentsLimit - used);
  const { text, label } = attachment;
  if (text.length <= free) return attachment;
  const lines = text.slice(0, Math.max(0, text.lastIndexOf("\n", free))).split("\n");
  if (lines[0] === "" && lines.length === 1) return undefined;
  const { name = label, first = "1" } = /^(?<name>.*?)(?::(?<first>\d+)(?:-\d+)?)?$/.exec(label)?.groups ?? {};
  return { ...attachment, label: `${name}:${first}-${Number(first) + lines.length - 1}`, text: lines.join("\n") };
}

/** The text of all attachments of a question; the rest of the limit is for the question itself. */
const attachmentsLimit = limits.questionLength - 15_000;

/** Cuts the text at the limit. */
export function cutAttachment(attachment: Attachment): Attachment {
  return { ...attachment, text: attachment.text.slice(0, attachmentLimit).replace(/[\uD800-\uDBFF]$/, "") };
}

/** Not translated: the model reads it, and `splitQuestion` finds it in stored threads. */
const attachedFrom = "\n\nAttached from `";
const blockHead = /\n\nAttached from `([^`\n]*)` \(([^\n]*)\):\n\n(`{3,})\w*\n/y;

function inCode(text: string): string {
  return text.replace(/[`\n]/g, "'");
}
