import { languageOf } from "../../source/languages.ts";
import { contentWords, isMemberInCapitals } from "../../source/words.ts";
import { isDocument } from "./evidence.ts";
import type { ToolResult } from "./look.ts";
import { madeIn } from "./question-names.ts";
import { isComment, lengthOf, partsIn } from "./produced.ts";

/**
 * What a question asks for: a definition, how something is used, its callers, a list of all items of a kind, a reason, the
 * source of a message, or `any` if only the words are known.
 */
export type Intent = "definition" | "usage" | "callers" | "listing" | "reason" | "message" | "any";

export function intentOf(text: string): Intent {
  if (isRequest(text)) return "usage";
  return isMessage(messageIn(text)) || saidIn(text) !== undefined ? "message" : askedFor(text);
}

function askedFor(text: string): Intent {
  if (/^\s*[\w$.#:]+(?:\(\))?\s*$/.test(text)) return "callers";
  if (madeIn(text) !== undefined) return "callers";
  return rules.find(([, pattern]) => pattern.test(text))?.[0] ?? "any";
}

/**
 * What a question asks for, now that something was looked up. A message that no code contains is none: it describes a
 * definition (“Reads the cache if it exists”) or says what somebody wants to do ("shut the server down gracefully").
 */
export function wantedBy(text: string, results: readonly ToolResult[]): Intent {
  const intent = intentOf(text);
  if (intent !== "message" || results.length === 0) return intent;
  const isRequest = isPlain(text);
  const parts = messageParts(text);
  const whole = parts[0]?.length ?? 0;
  const isProduced = results.some(({ passages }) =>
    passages.some(({ path, lines }) => {
      const isProse = isDocument(path);
      const made =
        isProse && isRequest ? [] : partsIn(isProse ? lines : lines.filter((line) => !isComment(line)), parts);
      const least = (isProse ? leastInProse : leastInCode) * whole;
      return made.length > 0 && lengthOf(made) >= least;
    }),
  );
  if (isProduced) return intent;
  const other = askedFor(text);
  return isRequest ? "usage" : other === "any" ? "definition" : other;
}

/** The share of a message's longest part that lines have at least which produce it; fewer words are there by chance. */
const leastInCode = 0.35;
const leastInProse = 0.7;

/** Whether a question is about how something is done. "How do I" asks for usage, see `intentOf`. */
export function asksHow(text: string): boolean {
  return mechanism.test(text) && !advice.test(text);
}

const mechanism =
  /^\s*(?:how|when|why|what (?:happens|makes|decides|determines)|(?:what|which) (?:code|function|method|line|part))\b|[,;]\s*what (?:happens|becomes|comes)\b/i;

/** Asks for the path of something through the code, from beginning to end. */
export const asksForWay =
  /\b(?:go(?:es)? through|travels? through|in (?:which|what) order|(?:which|what) (?:steps|stages|phases)|life ?cycle|one turn|walk me through|from \w[^,?]*? (?:to|until) (?:the|a|its|being)\b)/i;

/** A rule for people, or a difference: documents say those. */
const advice = /^\s*how (?:should|(?:is|are|does|do|did) .*\b(?:differ\w*|compares?|relates?)\b)/i;

/** Whether a question is about the tests of something. */
export function asksForTests(text: string): boolean {
  return /\btest(?:s|ed)?\b/i.test(text) && intentOf(text) === "callers";
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

/** The import paths that a question names, such as `@/lib/utils` and `@scope/name`: text in the code, not paths. */
export function aliasesIn(text: string): string[] {
  return text.split(/[\s"'`“”‘’,;()<>]+/).flatMap((token) => {
    return aliasStart.test(token) && token.length <= pathLimit ? [token.replace(/[.:!?]+$/, "")] : [];
  });
}

/** `@/`, `~/`, `#lib/`, `$lib/`, `@scope/`. */
export const aliasStart = /^(?:[@~#]|[@#$][\w-]+)\/(?=\w)/;

/**
 * The parts of a message that may occur in the code literally, longest first: its clauses, and each three words in a
 * row, because a value may be filled in anywhere and a literal may go on in the next line. Quoted text, numbers and paths
 * are removed; the longest quoted text of two words or more is kept, because a message can be a field of JSON.
 */
export function messageParts(text: string): string[] {
  const said = saidIn(text) ?? messageIn(text);
  // Lines of a log may precede the message.
  const own = said
    .slice(Math.max(0, said.search(errorName)))
    .slice(0, messageLimit)
    .replace(errorName, "");
  const clauses = own
    .split(filledIn)
    .flatMap((part) => part.split(/:\s+|[.!?;]\s+|\s+--?\s+/))
    .map((part) => part.replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, ""));
  const pieces = clauses.flatMap((clause) => {
    const words = clause.split(/\s+/);
    return [clause, ...words.slice(0, -2).map((_, index) => words.slice(index, index + 3).join(" "))];
  });
  const [quoted] = [...own.matchAll(/"([^"\n]*)"/g)]
    .map(([, one = ""]) => one.trim())
    .filter(isTelling)
    .toSorted((a, b) => b.length - a.length);
  const informative = [...pieces, quoted ?? ""].filter(isTelling);
  return [...new Set(informative)].toSorted((a, b) => b.length - a.length).slice(0, partLimit);
}

/** What code fills in: quoted text, numbers, paths; and the level of a log. An apostrophe is no quote. */
const filledIn =
  /[`"“”][^`"“”\n]*[`"“”]|(?<![\p{L}\p{N}])['‘][^'’\n]*['’](?![\p{L}\p{N}])|^\s*\[[^\]\n]*\]|\S*\d\S*|\S*\/\S*|\n/mu;

/** Whether a part has two words, one of them not everywhere, and enough letters to be rare. */
function isTelling(part: string): boolean {
  return /\S\s+\S/.test(part) && part.length >= 8 && contentWords(part).length > 0;
}

const partLimit = 40;

/** The prefix that a runtime adds to a message. */
const errorName =
  /^(?:(?:Uncaught |Caused by: |\[?cause\]?: )?[\w$.]*(?:Error|Exception|[a-z][A-Z]\w*)(?: \[\w+\])?: |terminate called after throwing .*|Aborted .*|Segmentation fault.*|[ \t]*what\(\):[ \t]+)/gm;

/**
 * The message that a sentence is about: in "why does it say it did not start", "i get: …", "the log says “…”", "[error] …
 * why?".
 */
function saidIn(text: string): string | undefined {
  const start = text.slice(0, messageLimit);
  if (logStart.test(start)) return text;
  const quoted = quotedMessage.exec(start)?.slice(1) ?? [];
  const said = quoted.find((one) => one !== undefined) ?? announced.exec(start)?.[1];
  const isOpen = /^(?:any|reason)$/.test(askedFor(start)) && (/^\s*(?:why|I)\b/i.test(start) || !asking.test(start));
  if (said !== undefined || !isOpen) return said;
  return unmarked.exec(start.slice(0, saidLimit))?.[1];
}

const saying = String.raw`\b(?:says?|said|saying|gets?|got|getting|sees?|seeing|fails?|complains?|errors?|message)\b`;
const announcing = String.raw`(?:${saying}|\b(?:gives?|giving|shows?|showing|prints?|throws?|crash(?:es|ed)?|reports?|warnings?|log)\b)(?: \w+){0,3}`;
const announced = new RegExp(String.raw`${announcing}(?::\s+|\s*\n\s*)(\S+\s+\S[^]*)`, "i");
const quotedMessage = new RegExp(
  String.raw`(?:${announcing}|\bwhy|\bwhat does|\bmeaning of):?\s+(?:["“]([^"”\n]*\S\s+\S[^"”\n]*)["”]|'([^'\n]*\S\s+\S[^'\n]*)'(?!\w))`,
  "i",
);
const logStart =
  /^\s*(?:\[\w*(?:error|warn|fatal|fail)[^\]\n]*\]|\d[\d:.,-]*\s+(?:error|warn(?:ing)?|fatal)\b|(?:error|warn(?:ing)?|fatal|[\w$.]+(?:Error|Exception))(?:\[\w*\])?:)\s/i;
const unmarked = new RegExp(String.raw`${saying}(?: (?:with|that|is|was))?:?\s+((?:\S+\s+){2,}\S[^]*)`, "i");

/** In a longer text, a message is after a colon or in quotes. */
const saidLimit = 300;
const pathLimit = 200;
const messageLimit = 2000;

const rules: readonly (readonly [Intent, RegExp])[] = [
  // Not who uses what is chosen.
  ["definition", /^\W*where\b.*\b(?:decid\w*|chosen|chooses?|determin\w+|picked|picks)\b/i],
  [
    "callers",
    /\b(?:who|what|which \w+)(?: (?:in|inside|within) [^,;?]{1,40}?)? (?:calls?|uses?|imports?|invokes?)\b|\bcallers? of\b|\busages? of\b|\bwhere (?:(?:in|inside|within) [^,;?]{1,40} )?(?:is|are|do|does|did) [^,;]*\b(?:used?|call|called|invoked?|imports?|imported|tested)\b|\b(?:what|which) tests? (?:call|cover|test|use)s?\b/i,
  ],
  ["usage", /\bhow (?:do|can|should|would) (?:I|you|we|one|users?|people)\b|\bhow to\b|\bexamples?\b|\busage\b/i],
  [
    "listing",
    /^\s*(?:which(?! (?:code|function|method|class|file|module|type|line|part|place)\b)|list)\b|^\s*what \w+s (?:are|does|do|can|exist)\b|\b(?:all|list of) the\b/i,
  ],
  ["reason", /^\s*why\b|\bwhy\W*$|\breasons? (?:for|why)\b/i],
  ["definition", /^\s*(?:where|what(?:'s| is| are| does| can| may))\b|\bdefin(?:e|ed|es|ition)\b/i],
];

/** Whether the text is pasted output of a program: several words, but neither a question nor a request. */
function isMessage(text: string): boolean {
  const words = text.trim().split(/\s+/);
  const isLong = words.length >= 4 || /^[\w.]+ [\w ]+: \S/.test(text);
  const isAsked = /\?\s*$/.test(text) || asking.test(text);
  return isLong && !isAsked && !nounPhrase.test(text);
}

/** The message that a text begins with, if a question about it follows: "“a” not found. Any of: [b, c] - what is wrong?". */
function messageIn(text: string): string {
  const [, message = ""] = followed.exec(text.slice(0, messageLimit)) ?? [];
  return printed.test(message) && !asking.test(message) ? message : text;
}

const followed =
  /^\s*(\S+(?:\s+\S+){3,}?)(?:\s+[-–—]{1,2}\s+|[.!)\]]\s+|\s*\n\s*)(?:(?:and|but|so|my|I|we|it|is|does|do|can|any)\b[^\n]*\?+|(?:what|why|how|where|help)\b[^\n]*)\s*$/i;
/** What programs print: quoted values, lists, and words for what went wrong. */
const printed =
  /['"\x60“][^'"\x60”\n]+['"\x60”]|\[[^\]\n]+\]|\b(?:error|warning|fail(?:ed|ure)|can(?:no|['’])t|could not|(?:is|are|was|were|does|do|did) not|not found|invalid|unknown|unexpected|unable|missing|denied|refused)\b/i;

/** Whether a text is written as people write, without what programs print: quotes, colons, numbers, several lines. */
function isPlain(text: string): boolean {
  return /^\s*\p{Ll}[^\n:"`“=]*$/u.test(text) && !/\d|\.\s*$/.test(text);
}

/** What is looked for, without a verb: "default load balancing policy", "stack size of the pool's threads". */
const nounPhrase =
  /^\s*(?:the )?(?:default|maximum|minimum|max|min|size|number)\b|^\s*\w+ (?:size|limit|default|timeout)s? (?:of|for|in)\b/;

/** Whether the text says what a reader wants to do: "turn off paging", "put /v1 in front of all routes". */
function isRequest(text: string): boolean {
  return request.test(text) && !/[\n:]|\.\s*$/.test(text.trim());
}

const request =
  /^\s*(?:please )?(?:add|allow|block|build|change|choose|close|compile|configure|connect|convert|copy|create|cut|delete|deploy|disable|download|enable|exclude|export|filter|force|hide|ignore|import|include|increase|install|keep|let|limit|load|log|loop|make|merge|move|open|pass|print|put|reduce|remove|rename|replace|run|save|send|serve|set|skip|sort|start|stop|store|turn|update|upload|use|wait|write) (?:\S+ )+\S+/;

const asking =
  /^\s*(?:@\S+\s+)*(?:please\s+)?(?:what|how|why|where|when|which|who|whose|whom|is|are|was|were|does|do|did|can|could|should|would|will|has|have|and|explain|show|describe|compare|list|tell|find|give|summari[sz]e|search|look|I)\b/i;

function isFileName(token: string): boolean {
  return /^[\w@[\]+-][\w@.[\]+-]*\.\w+$/.test(token) && languageOf(token).tag !== "text" && !isMemberInCapitals(token);
}
