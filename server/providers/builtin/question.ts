import { shorten } from "../../lib/shorten.ts";
import { contentWords, splitIdentifier, stem, stopWords, weakWords, wordsIn, writtenNames } from "../../lib/words.ts";
import { extractMentions } from "../../protocol/mentions.ts";
import type { Conversation } from "./conversation.ts";

/** A question as the policy sees it. */
export interface Question {
  /** What is searched for: the question without mentions, and the one before it where it says little by itself. */
  text: string;
  /** Empty where it asks for nothing in particular. */
  words: QuestionWord[];
  /** What it writes as a name: `app.use`, `parseUrl`. */
  names: string[];
  wants: "definition" | "usage" | "any";
  /** The resources that it names. */
  resources: string[];
}

export interface QuestionWord {
  word: string;
  stems: string[];
  /** False of words that most questions share, and of the names of the resources, unless there are no others. */
  isStrong: boolean;
}

export function readQuestion({ question, earlier, resources }: Conversation): Question {
  const common = new Set([...weakWords, ...resources.flatMap(ownWords)]);
  const own = extractMentions(question, resources).question;
  const before = extractMentions(earlier.at(-1) ?? "", resources).question;
  const text = before !== "" && isFollowUp(own, common) ? `${own} ${before}` : own;
  const content = contentWords(text).slice(0, wordLimit);
  const named = new Set(wordsIn(question).map((word) => word.toLowerCase()));
  const asked = resources.filter((name) => ownWords(name).some((word) => named.has(word)));
  if (content.every((word) => stopWords.has(word.toLowerCase()))) return { ...overview, resources: asked };
  const isAllCommon = content.every((word) => common.has(word.toLowerCase()));
  const words = content.map((word) => ({
    word,
    stems: splitIdentifier(word).map(stem),
    isStrong: isAllCommon || !common.has(word.toLowerCase()),
  }));
  return { text, words: distinct(words), names: writtenNames(text), wants: wantsOf(own), resources: asked };
}

/** A pasted log has thousands; what it is about is said before. */
const wordLimit = 60;

/** "What is this?", or only a mention. */
const overview: Omit<Question, "resources"> = {
  text: "readme overview introduction",
  words: [],
  names: [],
  wants: "usage",
};

/** How much a word counts. */
export function weightOf({ isStrong }: QuestionWord): number {
  return isStrong ? 1 : 0.33;
}

/** A word as the reader is told of it: pasted text may hold one of any length. */
export function tellWord(word: string): string {
  return shorten(word, 60);
}

/** The stems of the words that say what it is about. */
export function strongStems({ words }: Pick<Question, "words">): Set<string> {
  return new Set(words.filter(({ isStrong }) => isStrong).flatMap(({ stems }) => stems));
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

function distinct(words: readonly QuestionWord[]): QuestionWord[] {
  const byStems = new Map<string, QuestionWord>();
  for (const word of words) {
    const key = word.stems.join(" ");
    if (key !== "" && !byStems.has(key)) byStems.set(key, word);
  }
  return [...byStems.values()];
}
