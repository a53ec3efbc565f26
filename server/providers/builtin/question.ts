import { contentWords, splitIdentifier, stem, weakWords, wordsIn, writtenNames } from "../../lib/words.ts";
import type { Conversation } from "./conversation.ts";

/** A question as the policy sees it. */
export interface Question {
  /** What is searched for: the question without mentions, and the one before it where it says little by itself. */
  text: string;
  words: QuestionWord[];
  /** What it writes as a name: `app.use`, `parseUrl`. */
  names: string[];
  wants: "definition" | "usage" | "any";
}

export interface QuestionWord {
  word: string;
  stems: string[];
  /** False of words that most questions share, and of the names of the resources: every file is about those. */
  isStrong: boolean;
}

export function readQuestion({ question, earlier, resources }: Conversation): Question {
  const common = new Set([...weakWords, ...resources.flatMap(ownWords)]);
  const own = withoutMentions(question, resources);
  const before = withoutMentions(earlier.at(-1) ?? "", resources);
  const text = before !== "" && isFollowUp(own, common) ? `${own} ${before}` : own;
  const words = contentWords(text).map((word) => ({
    word,
    stems: splitIdentifier(word).map(stem),
    isStrong: !common.has(word.toLowerCase()),
  }));
  return { text, words: distinct(words), names: writtenNames(text), wants: wantsOf(own) };
}

/** How much a word counts. */
export function weightOf({ isStrong }: QuestionWord): number {
  return isStrong ? 1 : 0.33;
}

/** `express` of `npm:express`, `typescript`, `website` of `…/TypeScript-Website`. */
export function ownWords(resource: string): string[] {
  return wordsIn(/[^/:]*$/.exec(resource)?.[0] ?? resource).map((word) => word.toLowerCase());
}

/** "And where is that tested?" needs the question before it. */
function isFollowUp(text: string, common: ReadonlySet<string>): boolean {
  const strong = contentWords(text).filter((word) => !common.has(word.toLowerCase()));
  return strong.length < 2 || /\b(?:it|its|that|this|those|these|they|them)\b/i.test(text);
}

function wantsOf(text: string): Question["wants"] {
  if (/\bhow (?:do|can|should|would|to)\b|\bexamples?\b|\busage\b/i.test(text)) return "usage";
  if (/^\s*(?:where|what(?:'s| is| are| does)|which)\b|\bdefin(?:e|ed|es|ition)\b/i.test(text)) return "definition";
  return "any";
}

function withoutMentions(text: string, resources: readonly string[]): string {
  const mentions = new Set(resources.map((name) => `@${name.replace(/^@/, "")}`));
  const words = text.split(/\s+/).filter((word) => !mentions.has(word.replace(/[,.:;?!]+$/, "")));
  return words.join(" ").trim();
}

function distinct(words: readonly QuestionWord[]): QuestionWord[] {
  const byStems = new Map<string, QuestionWord>();
  for (const word of words) {
    const key = word.stems.join(" ");
    if (key !== "" && !byStems.has(key)) byStems.set(key, word);
  }
  return [...byStems.values()];
}
