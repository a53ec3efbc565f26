import { shorten } from "../../protocol/shorten.ts";
import {
  contentWords,
  splitIdentifier,
  stem,
  stopWords,
  weakWords,
  wordsIn,
  writtenNames,
} from "../../source/words.ts";
import { extractMentions } from "../../protocol/mentions.ts";
import { type Call, type Conversation, isResultOf, type ToolResult } from "./look.ts";
import { asksForCallers, soughtName } from "./callers.ts";
import { comparedIn, kindedNames, madeIn, markedNames, type Member, membersIn } from "./question-names.ts";
import { subjectOf } from "./follow-up.ts";
import { type Frame, framesIn } from "../../source/frames.ts";
import { splitAttachedText } from "../../protocol/attached-text.ts";
import { specialPlace } from "../../source/special-places.ts";
import type { SpecialPlace } from "../../source/special-place.ts";
import { type ValueQuestion, valueAsked } from "../../source/stated-value.ts";
import { historyAsked, type HistoryQuestion } from "./history-question.ts";
import { type VersionQuestion, versionAsked } from "./version-question.ts";
import { type Attachment, splitQuestion } from "../../protocol/attachment.ts";
import { findDefinitions } from "../../source/definitions.ts";
import {
  aliasesIn,
  aliasStart,
  asksForTests,
  asksHow,
  type Intent,
  intentOf,
  messageParts,
  pathsIn,
  wantedBy,
} from "./intent.ts";
import { isOverview } from "./overview-question.ts";

/** An analysed question. */
export interface Question {
  /** The search query: the question without mentions, plus the subject of the turns before if it is a follow-up. */
  text: string;
  /** The content words, without duplicates. */
  words: QuestionWord[];
  /** Identifiers in it: `app.use`, `parseUrl`. */
  names: string[];
  /** The names whose kind it states: `Context` in "Where is the Context class defined?". */
  kinded: string[];
  /** The two identifiers that it asks to compare, or none. */
  compared: string[];
  /** Identifiers with their owner, unless it asks how to use them. */
  members: Member[];
  wants: Intent;
  /** Whether it asks how code computes or decides something, not how to use it. */
  asksHow: boolean;
  /** Whether it asks only for an overview of the project. */
  isOverview: boolean;
  /** Whether it asks what a kind of thing is: "What is an adapter?". */
  asksForType: boolean;
  special: SpecialPlace | undefined;
  /** The default or limit that it asks for. */
  value: ValueQuestion | undefined;
  /** The version that it asks for. */
  version: VersionQuestion | undefined;
  /** What it asks of the history. */
  history: HistoryQuestion | undefined;
  /** The files and folders that it names. */
  paths: string[];
  /** Words that look like file names, but no such file exists: `Node.js`, `express.json`, `retry.ts`. */
  absent: string[];
  /** Import paths that it names, such as `@/lib/utils`. */
  aliases: string[];
  /** Whether it asks only about `paths`. */
  isAboutPath: boolean;
  /** The parts of a pasted message; see `messageParts`. */
  message: string[];
  /** The frames of a pasted stack trace, the innermost first; see `framesIn`. */
  frames: Frame[];
  /** Whether they are the changes of a pasted diff. */
  isDiff: boolean;
  /** The resources that it names. */
  resources: string[];
  /** Whether it is about imports, so that import lines are not ignored. */
  isAboutImports: boolean;
  /** Whether it asks for the callers in tests only. */
  isAboutTests: boolean;
}

/** A content word of a question. */
export interface QuestionWord {
  word: string;
  stems: string[];
  /** False for common words and the names of resources, unless the question has no other words. */
  isStrong: boolean;
  /** Whether only an earlier turn has it. */
  isInherited?: boolean;
  /** The share of the searched files' parts that contain it; undefined if no search reported it. */
  share?: number;
  /** How rare that is, from 1 if it is everywhere. */
  rarity?: number;
}

/** Analyses the last question of a conversation. */
export function readQuestion({ question, earlier, resources, results }: Conversation): Question {
  const said = new Set(wordsIn(question).map((word) => word.toLowerCase()));
  const isNamed = (own: readonly string[]) => own.length > 0 && own.every((word) => said.has(word));
  const named = resources.filter((name) => isNamed(ownWords(name)));
  const common = new Set([
    ...weakWords,
    ...askingWords,
    ...(asksForTests(question) ? testWords : []),
    ...(wordsIn(question).some((word) => settingName.test(word)) ? settingWords : []),
    // Among several resources, a word such as the `retry` of `p-retry` need not mean one.
    ...(resources.length === 1 ? resources : named).flatMap(ownWords),
  ]);
  const mentionable = { names: resources, exists: () => false };
  const {
    frames,
    rest: own,
    isDiff,
  } = framesIn(
    withoutExcepted(extractMentions(withoutAttached(question, common), mentionable).question.replace(purpose, "")),
  );
  const written = pathsIn(own);
  const absent = written.filter((path) => !path.includes("/") && isMissing(path, results));
  const paths = written.filter((path) => !absent.includes(path));
  const saysAll = written.length > 0 || frames.length > 0;
  const isFirst = earlier.length === 0 || saysAll;
  const place = saysAll ? undefined : specialPlace(own, new Set(resources.flatMap(ownWords)));
  const asked = versionAsked(own, resources);
  // The path of a Go module is no file, nor is the name of a PHP package.
  const isPackage = (path: string) => /^[\w-]+(?:\.[\w-]+)+\/\w/.test(path) || path === asked?.name;
  const version = saysAll && !(frames.length === 0 && written.every(isPackage)) ? undefined : asked;
  // "What licence is this under?" is about the project, whatever was asked before.
  const isSelfContained =
    saysAll || version?.name === "this" || (place !== undefined && !/\b(?:its|their)\b/i.test(own));
  const subject = isSelfContained ? { names: [], words: [] } : subjectOf(own, earlier, common);
  const asksForAll =
    version === undefined &&
    (place === undefined || place.hasSubject === true) &&
    !saysAll &&
    isOverview(own, { own: new Set(resources.flatMap(ownWords)), isFirst });
  const text = asksForAll ? overviewQuery : [own, ...subject.names, ...subject.words].join(" ");
  const all = [...contentWords(text), ...compoundWords(text)].filter((word) => !negated.test(word)).slice(0, wordLimit);
  // Single letters, such as the `z` of `z.string`, match everywhere.
  const content = all.some((word) => word.length > 1) ? all.filter((word) => word.length > 1) : all;
  const aliases = aliasesIn(own);
  const ofPaths = new Set([...paths, ...aliases].flatMap(wordsIn));
  const others = content.filter((word) => !ofPaths.has(word));
  const saysNoMore = others.every(
    (word) =>
      common.has(word.toLowerCase()) ||
      /^(?:contain|export|organi[sz]e|structure|source|code|purpose)(?:s|d|ed)?$/i.test(word),
  );
  const isAboutPath = paths.length + aliases.length > 0 && saysNoMore && !/^(?:callers|message)$/.test(intentOf(own));
  const counted = ofPaths.size > 0 && saysNoMore ? content : others;
  const ownContent = new Set(wordsIn(own));
  const isAllCommon = counted.every((word) => common.has(word.toLowerCase()));
  const words = counted.map((word) => ({
    word,
    stems: splitIdentifier(word).map(stem),
    isStrong: isAllCommon || !common.has(word.toLowerCase()),
    ...(ownContent.has(word) ? {} : { isInherited: true }),
  }));
  const compared = comparedIn(own);
  const asksForName = /^(?:callers|definition)$/.test(intentOf(own));
  const marked = asksForName ? markedNames(own) : [];
  const made = [madeIn(own)].filter((name) => name !== undefined).filter((name) => !/[.:]/.test(name));
  const kinded = asksForName && !saysAll && !asksForAll ? kindedNames(own) : [];
  const intent = wantedBy(own, results);
  // "Not permitted by network security policy" is no question about the policy.
  const isSaid = intent === "message" && results.length > 0;
  const special = isSaid && place?.files.length !== 0 ? undefined : place;
  const isFileAsked = special !== undefined && special.isEntry !== true && special.hasSubject !== true;
  const told = asksForAll ? "usage" : frames.length > 0 ? "message" : isFileAsked ? "usage" : undefined;
  // "What uses the helper that tidies names" only describes what is used: its words find the code.
  const stated = [...marked, ...kinded, ...made, ...writtenNames(text), ...subject.names, ...compared, ...aliases];
  const isDescribed =
    intent === "callers" &&
    !asksForTests(own) &&
    soughtName({ wants: intent, names: stated, members: membersIn(text, absent), words, text }) === undefined;
  const wants = told ?? (isDescribed ? "any" : intent);
  const members = wants === "usage" || wants === "message" ? [] : membersIn(text, absent);
  // Who calls `Cart.empty` does not ask who uses the cart.
  const owners = new Set(asksForCallers({ wants, text }) ? members.map(({ owner }) => owner) : []);
  return {
    text,
    words: asksForAll ? [] : distinct(words),
    names: [...new Set(stated)].filter(
      (name) => !ofPaths.has(name) && !owners.has(name) && !marked.some((one) => one.slice(0, -1) === name),
    ),
    kinded,
    compared,
    members,
    wants,
    asksHow: wants === "any" && (isDescribed || asksHow(own)),
    isOverview: asksForAll,
    asksForType: /^\s*what (?:is|are) an? [\w-]+\W*$/i.test(own),
    special,
    value: saysAll || special !== undefined ? undefined : valueAsked(own, new Set(resources.flatMap(ownWords))),
    version,
    history: historyAsked(own, { names: subject.names, own: resources.flatMap(ownWords) }),
    paths,
    absent,
    aliases,
    isAboutPath,
    message: (wants === "message" || intent === "message") && !isDiff ? messageParts(own) : [],
    frames,
    isDiff,
    resources: named,
    isAboutImports: aliases.length > 0 || /\bimport(?:s|ed|ing)?\b/i.test(own),
    isAboutTests: asksForTests(own),
  };
}

/**
 * Removes the text that was piped in with a question, if the question has content words of its own. A stack trace or a
 * message is kept, because the question is about it.
 */
function withoutAttached(text: string, common: ReadonlySet<string>): string {
  const { question: asked, attachments } = splitQuestion(text);
  if (attachments.length > 0) return [asked, ...attachments.map(nameAttached)].join(" ");
  const { question, attached } = splitAttachedText(text);
  if (attached === "") return text;
  const whole = `${question}\n\n${attached}`;
  if (framesIn(whole).frames.length > 0 || intentOf(whole) === "message") return whole;
  return contentWords(question).some((word) => !common.has(word.toLowerCase())) ? question : whole;
}

/** Removes "besides its definition", which is no use of a name anyway. */
function withoutExcepted(text: string): string {
  return text.replace(
    /,? (?:besides|apart from|aside from|other than|except(?: for| in)?|excluding|outside(?: of)?) (?:in )?(?:its|the|where it['’]?s?(?: is)?|their)(?: own)? (?:defin|declar|implement)\w*\b/i,
    "",
  );
}

/** Attached lines as a question would name them: by the definition that they hold, and the file. A diff is kept. */
function nameAttached({ path, label, text }: Attachment): string {
  if (framesIn(text).isDiff) return `\n${text}`;
  const [outer] = /:\d+(?:-\d+)?$/.test(label) ? findDefinitions(path, text.split("\n")) : [];
  return outer === undefined ? `\`${path}\`` : `\`${outer.name}\` in \`${path}\``;
}

/** Whether a path was looked for and no resource has it. */
export function isMissing(path: string, results: readonly ToolResult[]): boolean {
  const looked = results.filter((result) => lookupsOf(path).some((call) => isResultOf(call, result)));
  return (
    looked.length > 0 &&
    looked.every(({ isFailed, files, folders }) => !isFailed && files.length + folders.length === 0)
  );
}

/** The calls that find a named path: a file, a folder, or a module without its extension; of an import path the end. */
export function lookupsOf(path: string): Call[] {
  if (/\.\w+$/.test(path)) return [{ tool: "glob", input: { pattern: `**/${path}` } }];
  const own = path.replace(aliasStart, "");
  return [
    { tool: "list", input: { path: own } },
    { tool: "glob", input: { pattern: `**/${own}.*` } },
  ];
}

/** What an example is wanted for, which says nothing about it. */
const purpose =
  /(?<=\bexamples?\b[^,.?]{0,60}?),? (?:that |which )?(?:I|we|one) (?:can|could) (?:copy|look at|use|start (?:from|with)|follow|try)(?=\W*$)/i;

/** Words that ask for a decision, a difference or an import. Code rarely contains them. */
const askingWords =
  "choose chooses chosen compare compared decide decided decides determine determined determines differ difference differences figure figures import imported importing imports pick picked picks versus vs win wins".split(
    " ",
  );

/** The first half of "doesn't", and "doesnt". */
const negated = /^(?:are|could|did|does|do|had|has|have|must|should|was|were|would)nt?$/i;

/** The name of a setting as the environment has it, and words for one. */
export const settingName = /^[A-Z][A-Z\d]*_[A-Z\d_]+$/;
const settingWords = ["env", "environment", "setting", "var", "variable"];

/** The words of a question about the tests of something. */
const testWords = ["cover", "covers", "test", "tested", "tests"];

/** Stop words in compounds, such as `After` in `Retry-After`. The lookbehind keeps the matching time linear. */
function compoundWords(text: string): string[] {
  const compounds = text.match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+/gu) ?? [];
  return compounds.flatMap((compound) => compound.split("-")).filter((word) => stopWords.has(word.toLowerCase()));
}

const overviewQuery = "readme overview introduction";

/** The maximum number of words. A pasted log has thousands, and the question comes before it. */
const wordLimit = 60;

/** The fit of a name that differs from the question's words in case, endings or order. */
const nearly = 0.9;

/** The weight of a word. */
export function weightOf({ isStrong }: QuestionWord): number {
  return isStrong ? 1 : 0.33;
}

/** The total weight of words. */
export function sumOf(words: readonly QuestionWord[]): number {
  return words.reduce((sum, word) => sum + weightOf(word), 0);
}

/** Shortens a word for display: pasted text may contain very long ones. */
export function shownWord(word: string): string {
  return shorten(word, 60);
}

/** The stems of all strong words. */
export function strongStems({ words }: Pick<Question, "words">): Set<string> {
  return new Set(words.filter(({ isStrong }) => isStrong).flatMap(({ stems }) => stems));
}

/** The least fit of a name that the question is about. */
export const ofName = 0.5;

/**
 * How well a name matches the question, from 0 to 1: 1 if it is a name or the only word of the question, 0 if at most half
 * of its parts are words of the question.
 */
export function nameFit(name: string, question: Pick<Question, "names" | "words" | "asksForType">): number {
  if (question.names.includes(name)) return 1;
  const [only, ...others] = question.words.filter(({ isStrong }) => isStrong);
  if (question.asksForType) {
    if (!/^\p{Lu}/u.test(name)) return 0;
    if (others.length === 0 && only?.word === name.toLowerCase()) return 1;
  }
  if (question.words.length === 1 && only?.word === name) return 1;
  const strong = strongStems(question);
  const all = new Set(question.words.flatMap(({ stems }) => stems));
  const parts = contentWords(name).flatMap(partsOf).map(stem);
  const common = parts.filter((part) => all.has(part));
  const telling = new Set(common.filter((part) => strong.has(part))).size;
  if (telling === 0 || 2 * common.length <= parts.length) return 0;
  return nearly * (common.length / parts.length) * (0.4 + (0.6 * telling) / strong.size);
}

/** The words of a name, without the `is` of `isBlank`, which questions rarely contain. */
function partsOf(name: string): string[] {
  const [first = "", ...others] = splitIdentifier(name);
  return others.length > 0 && /^(?:is|are|has|can|should)$/i.test(first) ? others : [first, ...others];
}

/**
 * The words of a resource's name: `express` for `npm:express`, `typescript` and `website` for `…/TypeScript-Website`.
 */
export function ownWords(resource: string): string[] {
  return wordsIn(/[^/:]*$/.exec(resource)?.[0] ?? resource).map((word) => word.toLowerCase());
}

function distinct(words: readonly QuestionWord[]): QuestionWord[] {
  const byStems = new Map<string, QuestionWord>();
  for (const word of words) {
    const key = word.stems.join(" ");
    if (key !== "" && !byStems.has(key)) byStems.set(key, word);
  }
  return [...byStems.values()];
}
