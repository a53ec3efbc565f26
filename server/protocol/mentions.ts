import { parseReference } from "./reference.ts";

/** `@` at the start of a word, up to white space; punctuation that ends a sentence is not part of it. */
const mention = /(?<=^|[\s(])@(\S+?)(?=[.,;:!?)]*(?:\s|$))/g;

/**
 * Takes the `@mentions` out of a question. A mention is a configured name, with or without an `@` of its own, or a
 * one-off reference; `@Injectable`, `a@b.c` and `@types/node` otherwise stay in the text (spec/wire.md).
 */
export function extractMentions(question: string, names: readonly string[]): { question: string; resources: string[] } {
  const resources: string[] = [];
  const stripped = question.replace(mention, (whole: string, word: string) => {
    const resource = names.find((name) => name === `@${word}` || name === word) ?? oneOff(word);
    if (resource === undefined) return whole;
    if (!resources.includes(resource)) resources.push(resource);
    return "";
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

function oneOff(word: string): string | undefined {
  const { type } = parseReference(word);
  return type === "git" || type === "npm" || type === "local" ? word : undefined;
}
