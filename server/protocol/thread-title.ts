import { shorten } from "./shorten.ts";

const titleLength = 80;

/** The title of a thread that begins with this question: the start of the question, on one line. */
export function threadTitle(question: string): string {
  return shorten(question.replace(/\s+/g, " ").trim(), titleLength);
}
