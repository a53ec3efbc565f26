import { isAside } from "./test-path.ts";
import { contentWords, splitIdentifier, stem, weakWords } from "./words.ts";

/** A question for a default or a limit: "default timeout?", "how many connections by default", "the maximum depth". */
export interface ValueQuestion {
  /** The stems of what it asks the value of. */
  stems: readonly string[];
  /** Those that tell what, not when: without `repository` in "default branch of a new repository". */
  subject: readonly string[];
  isLimit: boolean;
  /** Whether it asks for an amount, which `true` is not. */
  isNumber: boolean;
}

/** What a line states: `maxClients` in `createConfig("maxclients", 10000)`. */
export interface StatedValue {
  name: string;
  /** How sure it is that the question means this one. */
  worth: number;
  /** How many lines it takes, from its name on. */
  height: number;
  /** Whether the call that states it begins a line before. */
  beginsAbove: boolean;
}

const asks =
  /\bdefaults?\b(?! (?:exports?|imports?|constructors?|branch(?! names?\b)|case|class|methods?|functions?|implementations?)\b)|\b(?:limit|max(?:imum)?|min(?:imum)?|biggest|largest|longest|smallest)\b|\bhow (?:many|much|big|large|often|long)\b[^?]*\b(?:at most|allowed|kept|unless|if i|without)\b|\bwhen nothing is (?:set|given)\b/i;
const asksForPlaceOrValue =
  /^\W*(?:what(?! happens)|which|where|how (?:many|much|big|large|often|long)|(?:the )?(?:(?:default|max|min)\w*|biggest|largest|longest|smallest))\b/i;
const limitWords = /^(?:limit|maximum|max|biggest|largest|longest|minimum|min|smallest)$/i;
const valueWords = new Set(
  "big long many much often times number amount default defaults nothing written decided kept keep use allowed accept accepts come comes leave".split(
    " ",
  ),
);

/** @param own the words of the resources' names, which say nothing about a setting */
export function valueAsked(text: string, own: ReadonlySet<string>): ValueQuestion | undefined {
  const [sentence = ""] = text.split(/[\n`]/);
  if (sentence !== text || /\w\(\)/.test(text) || !asks.test(text) || !asksForPlaceOrValue.test(text)) return undefined;
  const stems = stemsOf(text, own);
  const isLimit =
    /\b(?:at most|allowed|how many times)\b/i.test(text) || contentWords(text).some((word) => limitWords.test(word));
  const before = stemsOf(nounPhrase.exec(text)?.[1] ?? repeated.exec(text)?.[1] ?? "", own);
  const subject = before.every((one) => ofAnything.has(one)) ? stems : before;
  const isNumber = isLimit || /\b(?:number|how (?:many|much|big|large|often|long))\b/i.test(text);
  return stems.length === 0 ? undefined : { stems, subject, isLimit, isNumber };
}

const nounPhrase =
  /^\W*(?:(?:what|where)(?:['’]?s| is| are) )?(?:the )?default ((?:[\w-]+ ){1,4}?)(?:for|of|in|on|if|when|with) /i;

/** What is counted in "how many times is a failed upload retried". */
const repeated = /\bhow (?:many times|often) (?:is|are|gets?|will) [^?]*\b(\w+ed)\b/i;

/** Words that need the rest: "default size of the queue". */
const ofAnything = new Set("size length name value type format level number".split(" ").map(stem));

function stemsOf(text: string, own: ReadonlySet<string>): string[] {
  const named = contentWords(text).filter((word) => {
    const plain = word.toLowerCase();
    return !limitWords.test(plain) && !valueWords.has(plain) && !weakWords.has(plain) && !own.has(plain);
  });
  return [...new Set(named.flatMap(splitIdentifier).map(stem))]
    .filter((one) => one.length > 2 && one.length < longestWord)
    .slice(0, wordsUsed);
}

const wordsUsed = 5;
/** With five words of this length, the pattern is still short enough for grep. */
const longestWord = 24;
const ofDefault = String.raw`(?:(?<!export )default|dflt)`;
const ofLimit = String.raw`(?:max(?:imum)?|limit|min(?:imum)?)`;

/** In quotes it can have blanks. */
const name = String.raw`(?<=["'])[A-Za-z][\w .-]{1,60}(?=["'])|[A-Za-z_$][\w$.-]*`;
const value = String.raw`(?:-?\d[\w.]*|(?:true|false)\b)`;
/** What stands between a name and its value: a type, an assignment, a comma of arguments or the blank of a configuration. */
const between = String.raw`["']?\??\s*(?::\s*[\w<>[\]|. ]{1,24})?\s*(?:\w{1,12}\s*)?(?:=>?|:=?|\s|,)\s*(?:\w{1,24}(?:(?:::|\.(?!get|at\b|find|index))\w{1,24}){0,3}\(){0,4}`;

const assigned = String.raw`["']?\??\s*(?:(?::\s*[\w<>[\]|. &']{1,24})?\s*(?:\w{1,12}\s*)?:?=>?|:|\s)\s*`;

const other = String.raw`(?:["'\x60]|(?:null|nil|none)\b)`;

/** A constant with its owner: `LevelFilter::INFO`, `zapcore.InfoLevel`. */
const constantOf = String.raw`\s*(?::\s*[\w<>:]{1,40}\s*)?:?=\s*(?:\w+::)*\w+(?:::|\.(?=[A-Z]))(\w+)\s*(?:[;,]|$)`;

/** A name above its values: `LineLength:`, `width: {`. */
const opens = String.raw`["']?\s*[:=]\s*[{(]?\s*$`;

/** The end of the name of an option in tables and declarations: `"history-limit"`, `'--timeout'`. */
const endOfQuoted = String.raw`(?<=["'\x60](?:--?)?[\w.-]*)["'\x60]`;

/** An expression for the lines that can state the value: names of two of the words, and the name that has no other. */
export function valuePattern(asked: ValueQuestion): string {
  const [only, ...others] = asked.subject;
  const part = partOf(asked);
  const alone = others.length === 0 && only !== undefined ? String.raw`(?<![\w$])${spelt(only)}|` : "";
  const named = String.raw`(?:${alone}${part}[\w$. -]{0,16}${part})[\w$.-]*`;
  const fallsBack = String.raw`\s*:?=[^;]*(?:\|\||\?\?| or )\s*["'\x60\d]`;
  const states = `${between}${value}|${assigned}${other}|${fallsBack}|${constantOf}|${opens}|${endOfQuoted}`;
  return String.raw`${named}(?:${states})|[:"']${part}["']?\s*,\s*${value}\s*,`;
}

function partOf({ subject, isLimit }: ValueQuestion): string {
  return `(?:${[...subject.map(spelt), ofDefault, ...(isLimit ? [ofLimit] : [])].join("|")})`;
}

/** `retry` is the stem of `retries`. */
function spelt(one: string): string {
  return one.replace(/y$/, "[yi]");
}

/**
 * Creates a function that finds the best statement that begins in a line of a file, if it is about what the question
 * asks. `at`: from 0.
 */
export function createValueReader(
  asked: ValueQuestion,
): (file: { lines: readonly string[]; path: string }, at: number) => StatedValue | undefined {
  const fitOf = createFit(asked);
  return (file, at) => statedIn(file, at, { asked, fitOf });
}

function statedIn(
  { lines, path }: { lines: readonly string[]; path: string },
  at: number,
  { asked, fitOf }: { asked: ValueQuestion; fitOf: ReturnType<typeof createFit> },
): StatedValue | undefined {
  const line = lines[at] ?? "";
  if (line.length > longestLine || isAside(path)) return undefined;
  const isSetting = settingFile.test(path);
  const isExplained = lines.slice(Math.max(0, at - linesAbove), at + 1).some((text) => /default/i.test(text));
  const stated = [...line.matchAll(names)].flatMap(({ 0: found, index }): StatedValue[] => {
    const fit = fitOf(found);
    if (fit === undefined) return [];
    const { known, others } = fit;
    const rest = line.slice(index + found.length);
    const before = line.slice(0, index);
    const isFilledIn = givesDefault.test(before);
    const beginsAbove = !isFilledIn && givesDefault.test(`${lines[at - 1] ?? ""} ${before}`);
    const isDeclared = !comment.test(line) && beginsName.test(before) && declared.test(rest);
    const hasKind = fit.hasKind || isFilledIn || beginsAbove || isDeclared;
    const [, text] = textHere.exec(rest) ?? [];
    const hasText = text !== undefined && (isSetting || hasKind) && plain(text) !== plain(found);
    const constantName = constantHere.exec(rest)?.[1];
    const hasConstant = (hasKind || known.size > 1) && constantName !== undefined && !isCopy(found, constantName);
    const isHere = hasText || hasConstant || valueHere.test(rest) || fallback.test(rest);
    const below = isHere ? 0 : defaultBelow(rest, { before, lines: lines.slice(at + 1, at + optionHeight) });
    const told = asked.subject.filter((one) => known.has(one)).length;
    if (below === undefined || 2 * told < asked.subject.length || (asked.isNumber ? flag : nextFlag).test(rest))
      return [];
    const worth =
      known.size +
      (hasKind ? ofKind : isExplained || !isHere ? ofBeside : 0) -
      ofOther * others +
      (constant.test(found) ? ofBeside : 0) +
      (isSetting ? ofFile : 0) -
      (comment.test(line) ? ofComment : unset.test(rest) ? ofFile : 0) -
      (hasConstant ? ofConstant : 0) -
      ofDepth * Math.min(deepest, path.split("/").length);
    return [{ name: found, worth, height: below + 1, beginsAbove }];
  });
  return stated.toSorted((a, b) => b.worth - a.worth)[0];
}

/** Whether a setting is only handed on: `server.IdleTimeout = options.IdleTimeout`. */
function isCopy(name: string, from: string): boolean {
  return !/^[A-Z\d_]+$/.test(from) && plain(name).endsWith(plain(from));
}

const names = new RegExp(name, "g");
const flag = /^\W{1,8}(?:true|false)\b/i;
/** Of a call, the argument after this one. */
const nextFlag = /^\s*,\s*(?:true|false)\b/i;
const constant = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/;
/** Not a quote that ends. */
const textHere = new RegExp(`^${assigned}(?!["'\`]\\s*[),;.])(${other}[^"'\`]*)`, "i");
const constantHere = new RegExp(`^${constantOf}`);
const valueHere = new RegExp(`^${between}${value}`, "i");

/** Creates a function that says how well a name fits the words of the question; undefined if it does not. */
function createFit(asked: ValueQuestion) {
  const { stems, isLimit } = asked;
  const part = partOf(asked);
  const joined = new RegExp(`(?<=^${part})(?=${part}(?:e|s|es)?$)`);
  const kind = new RegExp(`^${isLimit ? `(?:${ofDefault}|${ofLimit})` : ofDefault}s?$`);
  return (found: string) => {
    const parts = splitIdentifier(found).flatMap((one) => one.split(joined));
    const known = new Set(parts.map(stem).filter((one) => stems.includes(one)));
    const hasKind = parts.some((one) => kind.test(one));
    const others = parts.filter((one) => !stems.includes(stem(one)) && !kind.test(one) && !neutral.has(one)).length;
    if (known.size === 0 || (known.size < 2 && !hasKind && others > 0)) return undefined;
    return { known, hasKind, others };
  };
}

/** Owners and units: they do not tell one setting from another. */
const neutral = new Set(
  "this self cls config conf options opts settings defaults ms sec secs second seconds milli millis millisecond milliseconds minute minutes hour hours day days byte bytes kb mb percent count num value".split(
    " ",
  ),
);

/**
 * How far below is the default of an option whose name ends in a quote, as in tables and declarations of options
 * (`{ name: "limit", type: "number", default: 20 }`), or is above its values. 0 if it is in the rest of its line.
 */
function defaultBelow(
  rest: string,
  { before, lines }: { before: string; lines: readonly string[] },
): number | undefined {
  const isOver = over.test(rest);
  if (!isOver && !/^["'`]/.test(rest)) return undefined;
  const depth = before.search(/\S|$/);
  const isNext = (text: string) =>
    text.trim() === "" || (isOver ? text.search(/\S/) <= depth : before.trim().length > 1 && text.startsWith(before));
  const end = lines.findIndex(isNext);
  const own = [rest, ...lines.slice(0, end === -1 ? lines.length : end)];
  const below = own.findIndex((text) => defaultValue.test(text));
  return below === -1 ? undefined : below;
}

const over = new RegExp(`^${opens}`);
const optionHeight = 9;
const linesAbove = 3;
const defaultValue = new RegExp(String.raw`default\w*["']?\s{0,2}[:=(,]\s{0,2}(?:${value}|["'\x60])`, "i");
/** `level = given.level || "info"` */
const fallback = new RegExp(String.raw`^\s*:?=[^;]{0,80}(?:\|\||\?\?|\bor\b)\s*(?:${value}|["'\x60]\w)`, "i");
/** What follows the name of an option that a call declares: its default and a text that explains it. */
const declared = /^["'`]?\s*,\s*[^"'`]{1,60},\s*["'`][^"'`]+\s[^"'`]+["'`]/;
const beginsName = /["'`:]$/;
/** Before an argument of a call that fills in a default: `merge_size(conf->limit, `. */
const givesDefault = /\w*(?:merge|default|fallback)\w*\s*\([^()]*$/i;
const comment = /^\s*(?:\/\/|#(?!\s?define)|\*|\/\*)/;
/** What stands for a value that comes later. */
const unset = /^[^=]{0,40}=\s*-1\b/;
const settingFile = /default|config|option|setting|constant|flags?\b|rc\.\w+$|\.(?:conf|ini|toml)$/i;
/** The usual ones of these, as a glob. */
export const settingFiles =
  "**/{*config*,*Config*,*option*,*Option*,*default*,*Default*,*setting*,*Setting*,*constant*,*Constant*,*.conf}";

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z\d]/g, "");
}

const longestLine = 300;
const ofKind = 0.8;
const ofBeside = 0.35;
const ofOther = 0.2;
const ofFile = 0.3;
/** An example, or a text about a value. */
const ofComment = 0.6;
/** Says less than a number or a text. */
const ofConstant = 0.05;
const ofDepth = 0.03;
/** Folders of a Java package say nothing. */
const deepest = 6;
