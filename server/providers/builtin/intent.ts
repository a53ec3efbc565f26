import { languageOf } from "../../source/languages.ts";
import { stopWords, wordsIn } from "../../source/words.ts";

/**
 * What an answer has to show: where something is defined, how it is used or by whom, all there is of a kind, why it is
 * so, where a message comes from; `any` where the words alone decide.
 */
export type Intent = "definition" | "usage" | "callers" | "listing" | "reason" | "message" | "any";

export function intentOf(text: string): Intent {
  if (isMessage(text)) return "message";
  if (/^\s*[\w$.#:]+(?:\(\))?\s*$/.test(text)) return "callers";
  return rules.find(([, pattern]) => pattern.test(text))?.[0] ?? "any";
}

/** What a question may ask about as a whole, and what it may ask of that. */
const projectWords = new Set(
  `app application architecture codebase component composition design framework introduction layout library module organisation organization
  overview package part piece program project purpose repo repository software structure system tool`.split(/\s+/),
);
const partWords = new Set(
  `begin big brief code connect connected core depend dependencies depends entry export exports explain fit high important introduce key laid level main meet organised
  organized picture point put quick short start started starting starts begins structured summarise summarize summary
  together understand work works`.split(/\s+/),
);

/** "What is this project, and where does it start?"; `own` are the words of the resources' names. */
export function isOverview(text: string, { own, isFirst }: { own: ReadonlySet<string>; isFirst: boolean }): boolean {
  if (/[`(]|\b(?:an?|each|every|one)\s+(?:project|package|library|module|component|part|piece|tool)\b/i.test(text))
    return false;
  const words = wordsIn(text).map((word) => word.toLowerCase());
  const informative = words.filter((word) => !stopWords.has(word) && !/^\w$/.test(word));
  const isProject = (word: string) => projectWords.has(word) || projectWords.has(word.replace(/s$/, ""));
  const isName = (word: string) => own.has(word) && !isProject(word);
  if (informative.length === 0) return isFirst;
  if (informative.every(isName)) return /^\s*(?:what|explain|describe|tell)\b/i.test(text) && !/\bdifferen/i.test(text);
  const isMeant = isFirst && /\b(?:it|this|here)\b/i.test(text);
  return (
    (isMeant || informative.some((word) => isProject(word) || isName(word))) &&
    informative.every((word) => isProject(word) || isName(word) || partWords.has(word))
  );
}

/**
 * The files and folders that a question names: `src/retry.ts`, `retry.ts`, `src/util`; they may not exist.
 * A name followed by a parenthesis is a member (`express.json()`).
 */
export function pathsIn(text: string): string[] {
  const tokens = [...text.matchAll(/[^\s"'`“”‘’,;()<>]+(\()?/g)];
  const paths = tokens
    .filter(([, call]) => call === undefined)
    .map(([token]) => token)
    .filter((token) => token.length <= pathLimit && !token.includes("://") && !aliasStart.test(token))
    .map((token) => token.replace(/(?:[.:!?]+|['’]s)$/, ""))
    .filter((token) => /^(?:[\w@.[\]+-]+\/)+[\w@.[\]+-]*$/.test(token) || isFileName(token));
  return [...new Set(paths.map((path) => path.replace(/^\.\/|\/$/g, "")))].slice(0, 2);
}

/** The import aliases of bundlers that a question names, such as `@/lib/utils`: text in the code, not paths. */
export function aliasesIn(text: string): string[] {
  return text.split(/[\s"'`“”‘’,;()<>]+/).flatMap((token) => {
    return aliasStart.test(token) && token.length <= pathLimit ? [token.replace(/[.:!?]+$/, "")] : [];
  });
}

const aliasStart = /^[@~]\/\w/;

/**
 * The parts of a message that may stand in the code as they are, longest first: what is quoted, numbers and paths are
 * filled in when it is made. Of a long part also its ends, because a name may be filled in anywhere.
 */
export function messageParts(text: string): string[] {
  const parts = text
    .slice(0, messageLimit)
    .replace(errorName, "")
    .split(/[`"'“”‘’][^`"'“”‘’\n]*[`"'“”‘’]|\S*\d\S*|\S*\/\S*|\n/)
    .map((part) => part.replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, ""));
  const pieces = parts.flatMap((part) => {
    const words = part.split(/\s+/);
    return words.length < 5 ? [part] : [part, words.slice(0, 3).join(" "), words.slice(-3).join(" ")];
  });
  const informative = pieces.filter((part) => /\S\s+\S/.test(part) && part.length >= 8);
  return [...new Set(informative)].toSorted((a, b) => b.length - a.length).slice(0, 4);
}

/** What a runtime puts before a message. */
const errorName = /^(?:Uncaught |Caused by: |\[?cause\]?: )?[\w$.]*(?:Error|Exception|[a-z][A-Z]\w*)(?: \[\w+\])?: /gm;

const pathLimit = 200;
const messageLimit = 2000;

const rules: readonly (readonly [Intent, RegExp])[] = [
  [
    "callers",
    /\b(?:who|what) (?:calls|uses|imports)\b|\bcallers? of\b|\busages? of\b|\bwhere (?:is|are|does) .*\b(?:used|called|invoked|imported)\b/i,
  ],
  ["usage", /\bhow (?:do|can|should|would) (?:I|you|we|one|users?|people)\b|\bhow to\b|\bexamples?\b|\busage\b/i],
  ["listing", /^\s*(?:which|list)\b|^\s*what \w+s (?:are|does|do|can|exist)\b|\b(?:all|list of) the\b/i],
  ["reason", /^\s*why\b|\bwhy\W*$|\breasons? (?:for|why)\b/i],
  ["definition", /^\s*(?:where|what(?:'s| is| are| does| can| may))\b|\bdefin(?:e|ed|es|ition)\b/i],
];

/** What a program prints is pasted as it is: no question, no request, and more than a name or two. */
function isMessage(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return words.length >= 4 && !/\?\s*$/.test(text) && !asking.test(text);
}

const asking =
  /^\s*(?:@\S+\s+)*(?:please\s+)?(?:what|how|why|where|when|which|who|whose|whom|is|are|was|were|does|do|did|can|could|should|would|will|has|have|and|explain|show|describe|compare|list|tell|find|give|summari[sz]e|search|look|I)\b/i;

function isFileName(token: string): boolean {
  return /^[\w@[\]+-][\w@.[\]+-]*\.\w+$/.test(token) && languageOf(token).tag !== "text";
}
