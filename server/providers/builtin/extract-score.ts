import { asksForCallers } from "./callers.ts";
import type { Hit, Stretch } from "./evidence.ts";
import { type Question, settingName, strongStems } from "./question.ts";
import { splitIdentifier, stem, wordsIn } from "../../source/words.ts";
import { asksForGuidance, changesPath, guidancePath } from "../../source/lesser-path.ts";
import type { Role } from "./role.ts";

/** Scores an extract by its words, the kind of lines that the question asks for, and its rank in the results. */
export function scoreOf(
  hit: Hit,
  { coverage, role, question }: { coverage: number; role: Role; question: Question },
): number {
  const { stretch, tool, rank } = hit;
  const isAboutCallers = asksForCallers(question);
  const place = weightOfPlace(hit, { role, question });
  if (isAboutCallers && role.type === "caller")
    return (
      (tool === "references" ? 1 : ofOtherUse) *
      (1 - 0.001 * rank) *
      (isWithin(role.name, hit) ? ofLesser : 1) *
      (stretch.isTest && !question.isAboutTests ? ofLesser : 1)
    );
  const { definition, test } = worth[question.wants];
  const asDocument = stretch.isDocument ? weightOfDocument({ coverage, role, question }) : 1;
  const asTest = (stretch.isTest && !question.isAboutTests ? test : 1) * (isLesser(stretch, question) ? ofLesser : 1);
  const ofDefinition = isAboutCallers ? ofSought : definition;
  const asDefinition = 1 + ofDefinition * (role.type === "definition" ? role.fit : 0);
  const asPath = isPathOf(stretch.path, question) ? ofSamePath : 1;
  const asMessage = role.type === "message" ? 1 - 1 / (1 + role.length / messageLength) : 1;
  return (
    place * asMessage * asPath * (0.1 + coverage ** 1.5) * asDefinition * asDocument * asTest * roleWorth[role.type]
  );
}

/** The weight of what the hit is and of its rank in the results. */
function weightOfPlace({ rank }: Hit, { role, question }: { role: Role; question: Question }): number {
  const { wants } = question;
  if (role.type === "caller" && !(namesSetting(question) && wants === "any")) return 0.8;
  if (role.type === "message") return 1 - 0.001 * rank;
  return 1 / (1 + orderWeight * rank);
}

function weightOfDocument({ coverage, role, question }: { coverage: number; role: Role; question: Question }): number {
  const { wants, names, words, compared, text, asksHow } = question;
  if (compared.length > 1 && coverage > 0.8)
    return role.type === "definition" && namesAll(role.name, compared) ? ofBoth : ofComparisons;
  if (namesSetting(question) && wants === "any") return ofSettings;
  const isName = names.length > 0 || words.some(({ word }) => /\p{Lu}/u.test(word));
  if (wants === "definition" && (namesSetting(question) || !isName) && /^\s*what\b/i.test(text)) return ofConcepts;
  return asksHow ? ofMechanisms : worth[wants].document;
}

function namesSetting({ names }: Question): boolean {
  return names.some((name) => settingName.test(name));
}

function namesAll(heading: string, names: readonly string[]): boolean {
  const words = new Set(wordsIn(heading.toLowerCase()));
  return names.every((name) => words.has(name.toLowerCase()));
}

/** Whether a use is in the definition of the name itself: readers look for the others. */
function isWithin(name: string, { stretch, startLine }: Hit): boolean {
  return stretch.definitions.some((one) => one.name === name && one.line <= startLine && one.endLine >= startLine);
}

/** Whether a file has the words of a question, but seldom the answer. */
export function isLesser({ path }: Stretch, { text, wants }: Question): boolean {
  const lower = path.toLowerCase();
  if (guidancePath.test(lower) && !asksForGuidance.test(text)) return true;
  if (changesPath.test(lower) && wants !== "message" && !aboutChanges.test(text)) return true;
  return lesserFile.test(path) || (translation.test(path) && wants !== "message" && !aboutTranslations.test(text));
}

/** The weight of the file that a question names by its path: `gist/create.go` for "gist create". */
const ofSamePath = 3;

/** Whether the last two parts of a path or more are words of a question without names, and nothing else. */
function isPathOf(path: string, question: Question): boolean {
  if (question.names.length > 0) return false;
  const asked = new Set(question.words.flatMap(({ stems }) => stems));
  const parts = path
    .replace(/\.[^/]*$/, "")
    .split("/")
    .map((part) => wordsIn(part).flatMap(splitIdentifier).map(stem));
  const other = parts.findLastIndex((stems) => !stems.every((one) => asked.has(one)));
  const named = new Set(parts.slice(other + 1).flat());
  return other + 2 < parts.length && named.size > 1 && [...strongStems(question)].some((one) => named.has(one));
}

/** The penalty for each rank in the results. `npm run bench -- extracts` has lower figures with 0.1 and 0.5. */
const orderWeight = 0.25;

/** The weight of documents for a question about a concept, which prose explains better than code. */
const ofConcepts = 1.1;

/** The same for a setting that is only named: code just reads it. */
const ofSettings = 1.5;

/** The weight of documents that name both compared things, which code only uses. */
const ofComparisons = 2;
/** The same for a section whose heading names both. */
const ofBoth = 3;

/** The weight of documents for a question about how code decides or computes something: they say that it does, not how. */
const ofMechanisms = 0.8;

/** Files that explain little: data without prose, and declarations without a body. */
export const lesserFile = /\.(?:json|lock|csv|xml|svg|map|snap|d\.[cm]?ts)$/i;
const ofLesser = 0.35;

/** Translated texts contain the words of every feature, but no behaviour. */
const translation = /(?:^|\/)(?:locales?|i18n|l10n|nls|translations?)\//i;
const aboutTranslations = /\b(?:locales?|locali[sz]\w+|i18n|l10n|translat\w+|languages?|messages?|texts?)\b/i;
const aboutChanges =
  /\b(?:change ?logs?|(?:what|things) changed|changes? (?:in|since|between|from)|changed (?:in|since|between|from)|what['’]?s new|new in|releas\w*|versions?|upgrad\w*|migrat\w*|since|deprecat\w*)\b/i;
/** The weight of uses that only a ranked search found, for a question about uses. */
const ofOtherUse = 0.8;

/** The weight of the definition of a name for a question about its callers, which come first. */
const ofSought = -0.3;

/** Lines with this many characters of a message count half as much as lines with a long message whole. */
const messageLength = 8;

/** The weights by kind of question: documents explain how and why, definitions what something is. */
const worth: Readonly<Record<Question["wants"], { definition: number; document: number; test: number }>> = {
  usage: { definition: 0.4, document: 1.3, test: 0.7 },
  callers: { definition: 0.6, document: 0.6, test: 0.6 },
  listing: { definition: 0.4, document: 1.2, test: 0.4 },
  message: { definition: 0, document: 0.8, test: 0.4 },
  reason: { definition: 0.4, document: 1.3, test: 0.4 },
  any: { definition: 0.6, document: 1.15, test: 0.4 },
  definition: { definition: 0.8, document: 0.7, test: 0.4 },
};
const roleWorth: Readonly<Record<Role["type"], number>> = { definition: 1, caller: 1, message: 1.5, mention: 0.9 };
