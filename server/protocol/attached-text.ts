/**
 * The text between a question and text that was piped in with it. The model reads it, and `splitAttachedText` finds it.
 */
const intro = "\n\nText that came with the question:\n\n";

/** The question as it is sent, with the piped text. */
export function joinAttachedText(question: string, text: string): string {
  return `${question}${intro}${text}`;
}

/** The inverse; without attached text, `attached` is empty. */
export function splitAttachedText(text: string): { question: string; attached: string } {
  const at = text.indexOf(intro);
  return at === -1
    ? { question: text, attached: "" }
    : { question: text.slice(0, at), attached: text.slice(at + intro.length) };
}
