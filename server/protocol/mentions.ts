import { parseReference } from "./reference.ts";

/** `@` at the start of a word, up to white space. */
const mention = /(?<=^|[\s(])@(\S+)/g;

/**
 * Takes the `@mentions` out of a question. A mention is a configured name, with or without an `@` of its own, or a
 * one-off reference; `@Injectable`, `a@b.c` and `@types/node` otherwise stay in the text (spec/wire.md).
 */
export function extractMentions(question: string, names: readonly string[]): { question: string; resources: string[] } {
  const resources: string[] = [];
  const stripped = question.replace(mention, (whole: string, text: string) => {
    const word = withoutPunctuation(text);
    const resource = names.find((name) => name === `@${word}` || name === word) ?? oneOff(word);
    if (resource === undefined) return whole;
    if (!resources.includes(resource)) resources.push(resource);
    return text.slice(word.length);
  });
  if (resources.length === 0) return { question, resources };
  return {
    question: stripped
      .replace(/[^\S\n]{2,}/g, " ")
      .replace(/ +([.,;:!?])/g, "$1")
      .trim(),
    resources,
  };
}

/** Without the punctuation at its end, which belongs to the sentence; a path such as `.` stays. */
export function withoutPunctuation(word: string): string {
  let end = word.length;
  while (end > 1 && ".,;:!?)".includes(word.charAt(end - 1))) end--;
  return word.slice(0, end);
}

function oneOff(word: string): string | undefined {
  const { type } = parseReference(word);
  return type === "git" || type === "npm" || type === "local" ? word : undefined;
}
