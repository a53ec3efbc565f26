import { languageOf } from "../../source/languages.ts";
import type { LineRange } from "../../protocol/citation.ts";
import { asksForCallers, reportCallers } from "./callers.ts";
import type { Conversation } from "./look.ts";
import { reportElsewhere } from "./elsewhere.ts";
import { type Hit, markerOf } from "./evidence.ts";
import { trimmed } from "./excerpt-surroundings.ts";
import { type Extract, isAnswer, linesOf, withFirstFound } from "./extracts.ts";
import { writeFurther } from "./further.ts";
import { absentPaths, absentWords, reportUnsearched } from "./known-words.ts";
import { type Question, type QuestionWord, shownWord } from "./question.ts";
import type { Misspelling } from "./spelling.ts";

/** The limits if no extract answers the question: how many extracts are shown, and how many lines of each. */
const nearestShown = 2;
const nearestLines = 10;
/** How many unmatched words are listed. */
const wordsListed = 6;

/** Yields the answer in whole lines: an introduction, then each extract with its reason, citation marker and lines. */
export function* writeAnswer({
  extracts,
  question,
  hits,
  misspellings,
  conversation,
}: {
  extracts: readonly Extract[];
  question: Question;
  hits: readonly Hit[];
  misspellings: readonly Misspelling[];
  conversation: Conversation;
}): Generator<string> {
  const fitting = extracts.filter(isAnswer);
  const isFitting = fitting.length > 0;
  const nearest = extracts.filter(({ found }) => found.some(({ isStrong }) => isStrong));
  const best = isFitting ? fitting : nearest.slice(0, nearestShown).map(beginningOf);
  const shown = isComplete(best, question) ? best : withFirstFound(best, hits, question);
  yield `${introduce({ isFitting, shown }, { question, conversation })}\n`;
  for (const { written, name } of misspellings) {
    yield `\n“${shownWord(written)}” was not found; \`${name}\` is the nearest name.\n`;
  }
  const isShown = (path: string) => shown.some(({ role }) => role.type === "definition" && role.name === path);
  const paths = absentPaths(question, conversation.results).filter((path) => !isShown(path));
  if (paths.length > 0) yield `\nThere is no ${paths.map((path) => `\`${path}\``).join(" and no ")}.\n`;
  if (isFitting && !shown.some(({ role }) => role.type === "message")) {
    const absent = missingFrom(conversation, question);
    if (absent !== undefined) yield `\n${absent}\n`;
  }
  const callers = reportCallers(question, conversation.results, shown);
  if (callers !== undefined) yield `\n${callers.count}\n`;
  for (const [index, extracts] of byFile(shown, question).entries()) {
    for (const [place, extract] of extracts.entries())
      yield* writeExtract(extract, place === 0 ? index + 1 : undefined);
    if (isFitting && index === 0) yield* reportElsewhere(shown, { ...conversation, question });
  }
  if (callers !== undefined && callers.others.length > 0) yield `\nOther callers:\n\n${callers.others.join("")}`;
  if (isFitting && callers === undefined) yield* writeFurther(shown, { hits, question });
}

type Written = Pick<Extract, "stretch" | "pieces" | "reason">;

/** Markers are outside the code block, because citations in code blocks are not checked. */
export function* writeExtract({ stretch, pieces, reason }: Written, number?: number): Generator<string> {
  const fence = fenceAround(linesOf({ stretch, pieces }));
  const start = number === undefined ? "Also there," : `**${number}.**`;
  yield `\n${start} ${reason}: ${pieces.map((piece) => markerOf(stretch, piece)).join(", ")}\n`;
  yield `\n${fence}${languageOf(stretch.path).tag}\n`;
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) yield "…\n";
    for (const line of linesOf({ stretch, pieces: [piece] })) yield `${withoutMarkers(line)}\n`;
  }
  yield `${fence}\n`;
}

/** Groups extracts by file, in the order of their first extract. Callers and compared things stay apart. */
function byFile(shown: readonly Extract[], question: Question): Extract[][] {
  if (asksForCallers(question) || question.compared.length > 1) return shown.map((one) => [one]);
  const files = new Map<string, Extract[]>();
  for (const one of shown) files.set(one.stretch.target, [...(files.get(one.stretch.target) ?? []), one]);
  return [...files.values()];
}

/** Whether what search found first would add nothing: the named definition, the callers or the message are shown. */
function isComplete([first]: readonly Extract[], { wants, resources }: Question): boolean {
  if (first === undefined || wants === "callers" || wants === "message" || resources.length > 1) return true;
  if (wants !== "definition" && wants !== "usage") return false;
  return first.role.type === "definition" && (first.role.fit === 1 || first.coverage > 0.9);
}

function introduce(
  { isFitting, shown }: { isFitting: boolean; shown: readonly Extract[] },
  { question, conversation }: { question: Question; conversation: Conversation },
): string {
  if (isFitting) return "Extracts, not an explanation: the lines that match the question best.";
  if (conversation.results.length === 0) {
    return "`maxSteps` leaves no step for a search, so nothing was searched. This model shows extracts of what it finds and explains nothing.";
  }
  const where = anyOf.format(conversation.resources) || "the resources";
  if (shown.length === 0 && conversation.results.some(({ tool, isFailed }) => tool === "search" && isFailed)) {
    return `The search in ${where} did not finish in time, so it may have missed matches. Ask again in a moment, or name a file or a folder.`;
  }
  const absent = missingFrom(conversation, question);
  if (shown.length === 0) {
    return `${absent ?? `Nothing in ${where} matches the question.`} Try words that the code would use, the name of a function, or a file name.`;
  }
  const found = question.words.filter((word) => isFound(word, shown));
  const matched = absent ?? `No lines in ${where} match the whole question.`;
  return `${matched} The closest lines${found.length === 0 ? "" : ` mention ${allOf.format(quote(found))}`}:`;
}

/** The words of the question that occur nowhere, and what could not be searched. */
function missingFrom({ resources, results }: Conversation, question: Question): string | undefined {
  const absent = absentWords(question, results).slice(0, wordsListed);
  if (absent.length === 0) return undefined;
  const missing = `No match in ${anyOf.format(resources) || "the resources"} for ${anyOf.format(quote(absent))}.`;
  return [missing, ...reportUnsearched(results)].join(" ");
}

const anyOf = new Intl.ListFormat("en-GB", { type: "disjunction" });
const allOf = new Intl.ListFormat("en-GB", { type: "conjunction" });

function quote(words: readonly QuestionWord[]): string[] {
  return words.map(({ word }) => `“${shownWord(word)}”`);
}

function beginningOf(extract: Extract): Extract {
  const pieces: LineRange[] = [];
  let remaining = nearestLines;
  for (const { startLine, endLine } of extract.pieces) {
    const end = Math.min(endLine, startLine + remaining - 1);
    if (remaining > 0) pieces.push(trimmed({ startLine, endLine: end }, extract.stretch));
    remaining -= endLine - startLine + 1;
  }
  return { ...extract, pieces };
}

/** Whether an extract contains the word in any spelling. */
function isFound({ stems }: QuestionWord, shown: readonly Extract[]): boolean {
  const key = stems.join(" ");
  return shown.some((extract) => extract.found.some((one) => one.stems.join(" ") === key));
}

/** Breaks citation markers in quoted text, such as documents about Citewell: they are not citations of this answer. */
function withoutMarkers(line: string): string {
  return line.replace(/\[\[(?=[^\]\n]*#L\d)/g, "[ [");
}

/** A fence longer than any run of backticks in the lines. */
export function fenceAround(lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  return "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
}
