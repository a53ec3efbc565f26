import { contentWords, stopWords, writtenNames } from "../../source/words.ts";
import type { Turn } from "./look.ts";

/** How many words of the subject are added to a follow-up. */
const subjectLength = 3;

/** The subject of the turns before that a follow-up is about: names, or words if there are none. */
export interface Subject {
  names: string[];
  words: string[];
}

/** What a follow-up such as "And who calls it?" is about. Empty if a question needs no other. */
export function subjectOf(question: string, earlier: readonly Turn[], common: ReadonlySet<string>): Subject {
  const last = earlier.at(-1);
  if (last === undefined || !isFollowUp(question, common)) return { names: [], words: [] };
  const before = subjectOf(last.question, earlier.slice(0, -1), common);
  const asked = writtenNames(last.question);
  const defined = namesDefined(last.answer).slice(0, asked.length > 0 ? 0 : 1);
  const names = [...new Set([...asked, ...defined, ...before.names])].slice(0, subjectLength);
  const words = names.length > 0 ? [] : [...tellingWords(last.question, common), ...before.words];
  return { names, words: words.slice(0, subjectLength) };
}

/**
 * Whether a question needs the one before it: its first clause has a pronoun with nothing before it that the pronoun could
 * mean, or the question is only a fragment, such as "And in the tests?".
 */
function isFollowUp(question: string, common: ReadonlySet<string>): boolean {
  const isFragment = fragment.test(question);
  const text = question.replace(fragment, "");
  if (writtenNames(text).length > 0 && !/\b(?:its|their)\b/i.test(text)) return false;
  const telling = tellingWords(text, common);
  if (telling.length === 0 || (isFragment && telling.length < 2)) return true;
  const [clause = ""] = text.split(/[,;:?!]|\band\b|\bor\b/i);
  return [...clause.matchAll(pronoun)].some(({ index, groups }) => {
    const before = clause.slice(0, index);
    const previous = /([\w'’-]+)\s*$/.exec(before)?.[1]?.toLowerCase();
    // "the function that parses", "make sure that it works"
    const isRelative = groups?.["that"] !== undefined && previous !== undefined && !stopWords.has(previous);
    return !isRelative && tellingWords(before, common).length < 2;
  });
}

const fragment = /^\s*(?:and|but|or|also|so|then|ok(?:ay)?|what about|how about)\b[\s,]*/i;
/** Not "this project" and the like, which every question is about. */
const pronoun =
  /\b(?:its?|they|them|their|this|these|those|the (?:latter|former|same)|(?<that>that))\b(?!\s+(?:code ?base|project|package|library|repo(?:sitory)?|app|program|crate|module|tool|framework|version|possible)\b)/gi;

function tellingWords(text: string, common: ReadonlySet<string>): string[] {
  return contentWords(text).filter((word) => !common.has(word.toLowerCase()) && !stopWords.has(word.toLowerCase()));
}

/** The names that an answer says are defined, else those that it writes as code; what it quotes is left out. */
function namesDefined(answer: string): string[] {
  const prose = answer.replace(/^(`{3,})[^]*?^\1/gm, "");
  const found = (pattern: RegExp) => [...prose.matchAll(pattern)].map(([, name = ""]) => name);
  const defined = found(/\bdefines `([\w$.]+)`/g);
  return defined.length > 0 ? defined : found(/[`“]([\p{L}_$][\w$]*(?:[.#:]+[\w$]+)*)(?:\(\))?[`”]/gu).filter(isCode);
}

function isCode(name: string): boolean {
  return /[_$.#:]|\p{Ll}\p{Lu}|^\p{Lu}/u.test(name);
}
