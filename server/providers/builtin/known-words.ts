import { type Call, isResultOf, literal, type ToolResult } from "./look.ts";
import { isMissing, type Question, type QuestionWord } from "./question.ts";

const checksMade = 6;
/** The limit in characters: a pasted text may have a very long word. */
const textLength = 200;
/** The rarity of a word that is nowhere, against the rarest that is somewhere. */
const ofAbsent = 1.25;
/** The minimum share of a question's information that an answer must contain. Rare words carry more of it. */
const leastTold = 0.5;
/** A question with more words is a description, and the code may use other words for half of it. */
const mostKeys = 3;

/** Adds to each word of a question how rare it is in the files that were searched. */
export function withRarity(question: Question, results: readonly ToolResult[]): Question {
  const words = question.words.map((word) => ({ ...word, share: shareOf(word.word, results) }));
  const rarest = Math.max(1, ...words.map(({ share = 0 }) => (share > 0 ? rarityOf(share) : 1)));
  return {
    ...question,
    words: words.map(({ share, ...word }) => {
      return share === undefined ? word : { ...word, share, rarity: Math.min(rarityOf(share), ofAbsent * rarest) };
    }),
  };
}

function rarityOf(share: number): number {
  return 1 - Math.log2(share);
}

/** The share over all resources; undefined if a search did not report it. */
function shareOf(word: string, results: readonly ToolResult[]): number | undefined {
  const shares = results.flatMap(({ words }) =>
    words.filter((one) => startOf(one.word) === startOf(word)).map(({ share }) => share),
  );
  return shares.length === 0 ? undefined : Math.max(...shares);
}

/** Looks through all files for what seems to be missing: the index leaves large and generated files out. */
export function checkAbsent(question: Question, results: readonly ToolResult[]): Call[] {
  return soughtIn(question, results).slice(0, checksMade).map(checkOf);
}

/** The texts in question: words that the index does not have, then paths without a file. */
function soughtIn({ words, paths, absent, aliases }: Question, results: readonly ToolResult[]): string[] {
  const unknown = words.filter((word) => isReported(word) && word.share === 0);
  const missing = [...paths, ...absent, ...aliases].filter((path) => isMissing(path, results));
  return [...missing, ...unknown.map(textOf)];
}

function checkOf(text: string): Call {
  return { tool: "grep", input: { pattern: literal(startOf(text)), regex: true, ignoreCase: true, limit: 1 } };
}

/** A search cuts a query that is very long. */
function startOf(text: string): string {
  return text.slice(0, textLength);
}

/** The part of a word that all its endings share. */
function textOf({ word, stems }: QuestionWord): string {
  const [stem] = stems;
  return stems.length === 1 && stem !== undefined && word.toLowerCase().startsWith(stem) ? stem : word;
}

/** The check that found nothing, if one was made. */
function failedCheck(text: string, results: readonly ToolResult[]): ToolResult | undefined {
  const check = results.find((result) => isResultOf(checkOf(text), result));
  return check?.isFailed === false && check.passages.length === 0 ? check : undefined;
}

/** The named files, folders and import paths that are not there, and that no file mentions. */
export function absentPaths({ paths, absent, aliases }: Question, results: readonly ToolResult[]): string[] {
  return [...paths, ...absent, ...aliases].filter(
    (path) => isMissing(path, results) && failedCheck(path, results) !== undefined,
  );
}

/** A sentence about what exact searches did not look into, if there is anything. */
export function reportUnsearched(results: readonly ToolResult[]): string[] {
  const parts = [...new Set(results.flatMap(({ unsearched }) => unsearched))];
  return parts.length === 0 ? [] : [`Not searched: ${parts.join("; ")}.`];
}

/** The words that occur nowhere in the resources, in any spelling. Only what was looked for everywhere is one. */
export function absentWords({ words }: Pick<Question, "words">, results: readonly ToolResult[]): QuestionWord[] {
  return words.filter((word) => {
    return isReported(word) && word.share === 0 && failedCheck(textOf(word), results) !== undefined;
  });
}

/** Names and nouns that the user typed. Code rarely has the words that a sentence is made of. */
function isReported({ word, isStrong, isInherited = false }: QuestionWord): boolean {
  return isStrong && !isInherited && !isOfSentence(word);
}

/** Participles, adverbs and superlatives. */
function isOfSentence(word: string): boolean {
  return /^(?:[a-z]{3,}(?:ed|ly)|(?:bigg|fast|great|high|larg|long|low|new|old|short|simpl|slow|small)est)$/.test(word);
}

/** Whether lines with these words match more than the common words of a question. */
export function tellsEnough(found: readonly QuestionWord[], { words }: Pick<Question, "words">): boolean {
  const sum = (some: readonly QuestionWord[]) => some.reduce((total, { rarity = 1 }) => total + rarity, 0);
  const key = words.filter(({ isStrong, word }) => isStrong && !isOfSentence(word));
  const missing = key.filter(({ stems }) => !found.some((one) => one.stems.join(" ") === stems.join(" ")));
  const has = sum(found.filter(({ isStrong }) => isStrong));
  return missing.length === 0 || key.length > mostKeys || has >= leastTold * (has + sum(missing));
}
