import {
  contentWords,
  memberPaths,
  splitIdentifier,
  stem,
  stopWords,
  weakWords,
  wordsIn,
  writtenNames,
} from "../../source/words.ts";
import { asksForGuidance } from "../../source/lesser-path.ts";
import { synonymsOf } from "../../source/synonyms.ts";
import { termsOf } from "../index/vocabulary.ts";
import { readLimit, readPastedIssue } from "./pasted-issue.ts";

export interface QueryTerm {
  term: string;
  weight: number;
  /** As the question writes it; of two words that a term joins, both. */
  word: string;
  /** The number of the term that it may stand for. */
  synonymOf?: number;
}

/** A name that the question may mean. */
export interface QueryName {
  /** As written, where one word was; compared before letters and separators are made equal. */
  exact: string | undefined;
  /** Letters and digits in lower case. */
  joined: string;
  stems: readonly string[];
  weight: number;
  /** A plain word of a sentence means a name only when it is the whole of it. */
  isPlain: boolean;
}

export type Intent =
  | "tests"
  | "docs"
  | "examples"
  | "changes"
  | "config"
  | "types"
  | "usage"
  | "copies"
  | "generated"
  | "templates"
  | "guidance"
  | "translations"
  | "versions";

/** A question as ranking sees it. */
export interface Query {
  terms: readonly QueryTerm[];
  /** The stems of its words, in their order. */
  stems: readonly string[];
  /**
   * A stem: of the document that is named, else of what a sentence begins with, which often names a part of the
   * project.
   */
  subject: string | undefined;
  names: readonly QueryName[];
  /** What must stand in a text as it is to count: quoted parts, and paths to members (`app.use`). */
  phrases: readonly string[];
  asksFor: ReadonlySet<Intent>;
  /** A few words, which may be a name. */
  isLookUp: boolean;
  /** The stems of its words without weak ones and the names of the resources. */
  tellingStems: readonly string[];
}

/** A weak word, and the name of the resource itself: nearly every file is about it. */
const weakWeight = 0.33;
/** Two words joined, against the words themselves. */
const compoundWeight = 0.35;
/** A synonym, against the word that the question has. */
const synonymWeight = 0.3;
const shortQuestionWeight = 0.7;
const plainNameWeight = 0.4;
/** Each name is compared with all names of the tree; a pasted stack trace has many. */
const nameLimit = 12;

/** A question of no more words may be a name as a whole. */
const lookUpWords = 4;
/**
 * Each word after the first sentence, which says what a question is about; a question about documents may say it
 * anywhere.
 */
const laterWeight = 0.5;

/** The kind of file that a question asks for; in a pasted issue, only the title counts. */
const intents: readonly (readonly [Intent, RegExp])[] = [
  ["tests", /\b(?:tests?|tested|testing|specs?|fixtures?|mocks?)\b/i],
  [
    "docs",
    /\b(?:docs?|document\w*|readme|guides?|tutorials?|typos?|faq|contributing|mention|clarif\w*|spelling|wording|(?:dead|broken) links?|paragraphs?|headings?)\b/i,
  ],
  ["examples", /\b(?:examples?|samples?|demos?|benchmarks?)\b/i],
  [
    "changes",
    /\b(?:change ?logs?|release notes?|releases?|history|migrat\w+|upgrad\w+|deprecat\w+|breaking changes?)\b/i,
  ],
  ["config", /\b(?:config\w*|package\.json|tsconfig|settings?|workflows?|ci|dockerfile|makefile|build script)\b/i],
  ["types", /\b(?:types?|typings?|declarations?|d\.ts|typescript|signatures?|generics?)\b/i],
  ["copies", /\b(?:vendor(?:ed|ing)?|(?:third|3rd)[- ]part(?:y|ies)|bundled|deps|submodules?)\b/i],
  [
    "generated",
    /\b(?:generated|minified|(?:un)?bundles?|lock ?files?|(?:package-|yarn |cargo\.)lock|snapshots?|completions?)\b/i,
  ],
  ["templates", /\b(?:(?:issue|bug|pull request|pr|merge request) (?:templates?|reports?|forms?))\b/i],
  ["guidance", asksForGuidance],
  ["translations", /\b(?:translat\w*|locali[sz]\w*|locales?|i18n|l10n)\b/i],
  [
    "versions",
    /\b(?:v\d[\w.]*|versions? \d[\w.]*|\d+\.(?:\d+|x)\b|(?:old|older|earlier|previous) (?:versions?|docs?|documentation))/i,
  ],
  [
    "usage",
    /\bhow (?:do|can|should|would) (?:i|we|you|one)\b|\bhow to\b|\busage\b|(?:^|[.,?] )(?:can|could|may) (?:i|we|you)\b|\bis it possible\b|\bis there (?:a|any) way\b/i,
  ],
  // What a project needs and permits, as a question: documents answer it.
  [
    "usage",
    /^\W*(?:which|whats?|how|do|does|is|are|can|where|who|may|i)\b.*\b(?:licen[sc]\w+|requir\w+|depends?|dependenc\w+|install\w*|supported|contribut\w+|standard|versions?|built|build)\b/is,
  ],
];

/** `resources` are the names of what is searched. */
export function parseQuery(pasted: string, { resources }: { resources: readonly string[] }): Query {
  const issue = readPastedIssue(pasted);
  const { title, text } = issue ?? asItIs(pasted.slice(0, readLimit));
  const words = contentWords(text);
  const own = new Set(resources.flatMap((name) => splitIdentifier(name.slice(name.lastIndexOf("/") + 1))));
  const asksFor = new Set(intents.filter(([, pattern]) => pattern.test(title)).map(([intent]) => intent));
  const terms = termsOfWords(words, own);
  const stems = words.flatMap(splitIdentifier).map(stem);
  const isLookUp = text.trim().split(/\s+/).length <= lookUpWords;
  const weighed = asksFor.has("docs") ? terms : withSubjectFirst(terms, text);
  return {
    // A pasted issue has words enough.
    terms: issue === undefined ? [...weighed, ...synonymsIn(weighed, text)] : weighed,
    stems,
    subject: documentIn(text) ?? (isLookUp || weakWords.has(words[0]?.toLowerCase() ?? "") ? undefined : stems[0]),
    names: namesOf(text, words),
    phrases: [...quotedIn(text), ...memberPaths(text)],
    asksFor,
    isLookUp,
    tellingStems: words
      .flatMap(splitIdentifier)
      .filter((part) => weightOf(part, own) === 1)
      .map(stem),
  };
}

function asItIs(text: string): { title: string; text: string } {
  return { title: text, text };
}

function termsOfWords(words: readonly string[], own: ReadonlySet<string>): QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  const add = (term: QueryTerm) => {
    if (term.weight > (terms.get(term.term)?.weight ?? 0)) terms.set(term.term, term);
  };
  for (const [index, word] of words.entries()) {
    const parts = splitIdentifier(word);
    for (const term of termsOf(word)) {
      const part = parts.find((candidate) => candidate === term || stem(candidate) === term);
      add({ term, word, weight: part === undefined ? compoundWeight : weightOf(part, own) });
    }
    const next = words[index + 1];
    const [after, ...rest] = next === undefined ? [] : splitIdentifier(next);
    if (parts.length === 1 && after !== undefined && rest.length === 0) {
      add({ term: `${parts[0]}${after}`, word: `${word} ${next}`, weight: compoundWeight });
    }
  }
  const counts = countsOf(words);
  return [...terms.values()].map((term) => ({
    ...term,
    weight: term.weight * (1 + Math.log(counts.get(term.term) ?? 1)),
  }));
}

/** How many words of the question have a term. A pasted issue repeats what it is about. */
function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of words.flatMap((word) => [...new Set(termsOf(word))]))
    counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** Terms that come after the first sentence only count less, where that one says anything. */
function withSubjectFirst(terms: readonly QueryTerm[], text: string): readonly QueryTerm[] {
  const end = /[.!?]\s|\n/.exec(text)?.index;
  const first = new Set(end === undefined ? [] : contentWords(text.slice(0, end)));
  if (first.size < 3) return terms;
  const isFirst = ({ word }: QueryTerm) => word.split(" ").some((part) => first.has(part));
  return terms.map((term) => (isFirst(term) ? term : { ...term, weight: laterWeight * term.weight }));
}

/** Other words for the plain words of a question; none for names, capitalised words and quoted text. */
function synonymsIn(terms: readonly QueryTerm[], text: string): QueryTerm[] {
  const asWritten = new Set([...writtenNames(text), ...quotedIn(text).flatMap(wordsIn)]);
  const known = new Set(terms.map(({ term }) => term));
  const start = wordsIn(text)[0];
  return terms.flatMap(({ term, word, weight }, synonymOf) => {
    const isPlain = /^[a-z]+$/.test(word) || (word === start && /^[A-Z][a-z]+$/.test(word));
    if (!isPlain || asWritten.has(word)) return [];
    const others = synonymsOf(term).filter((other) => !known.has(stem(other)));
    return others.map((other) => {
      known.add(stem(other));
      return { term: stem(other), word: other, weight: synonymWeight * weight, synonymOf };
    });
  });
}

function weightOf(part: string, own: ReadonlySet<string>): number {
  return weakWords.has(part) || stopWords.has(part) || own.has(part) ? weakWeight : 1;
}

function documentIn(text: string): string | undefined {
  const [name] = /\b(?:readme|contributing|changelog)\b/i.exec(text) ?? [];
  return name && stem(name.toLowerCase());
}

/** Words written like names, a short question as a whole, and every plain word that could be a name. */
function namesOf(text: string, words: readonly string[]): QueryName[] {
  const written = writtenNames(text)
    .slice(0, nameLimit)
    .map((name) => nameOf([name], { weight: 1 }));
  if (written.length === 0 && words.length === 1) return [nameOf(words, { weight: 1 })];
  const whole =
    written.length === 0 && words.length <= lookUpWords ? [nameOf(words, { weight: shortQuestionWeight })] : [];
  const plain = words.filter((word) => word.length > 2 && !weakWords.has(word.toLowerCase()));
  return [...written, ...whole, ...plain.map((word) => nameOf([word], { weight: plainNameWeight, isPlain: true }))];
}

function nameOf(
  words: readonly string[],
  { weight, isPlain = false }: { weight: number; isPlain?: boolean },
): QueryName {
  const parts = words.flatMap(splitIdentifier);
  return {
    exact: words.length === 1 ? words[0] : undefined,
    joined: parts.join(""),
    stems: parts.map(stem),
    weight,
    isPlain,
  };
}

function quotedIn(text: string): string[] {
  return [...text.matchAll(/"([^"\n]{3,200})"|“([^”\n]{3,200})”/g)].map(
    ([, straight, curly]) => straight ?? curly ?? "",
  );
}
