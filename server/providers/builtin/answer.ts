import { languageOf } from "../../source/languages.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { Conversation } from "./conversation.ts";
import { reportElsewhere } from "./elsewhere.ts";
import { markerOf } from "./evidence.ts";
import { type Extract, isAnswer, linesOf } from "./extracts.ts";
import { isMissing, type Question, type QuestionWord, shownWord } from "./question.ts";
import type { Misspelling } from "./spelling.ts";

/** The length of an extract that only resembles an answer. */
const nearestShown = 2;
const nearestLines = 10;

/** The answer in pieces of a line: what it is, then each extract with its reason, its marker and its lines. */
export function* writeAnswer(
  extracts: readonly Extract[],
  {
    question,
    misspellings,
    conversation,
  }: { question: Question; misspellings: readonly Misspelling[]; conversation: Conversation },
): Generator<string> {
  const fitting = extracts.filter(isAnswer);
  const isFitting = fitting.length > 0;
  const shown = isFitting ? fitting : extracts.slice(0, nearestShown).map(beginningOf);
  yield `${introduce({ isFitting, shown }, { question, conversation })}\n`;
  for (const { written, name } of misspellings) {
    yield `\n“${shownWord(written)}” was not found; \`${name}\` is the nearest name.\n`;
  }
  yield* reportAbsent(shown, question, conversation);
  if (isFitting && !shown.some(({ role }) => role.type === "message")) yield* reportMissing(shown, question);
  for (const [index, extract] of shown.entries()) yield* writeExtract(extract, index + 1);
  if (isFitting) yield* reportElsewhere(shown, { ...conversation, question });
}

/** The marker is outside the code block: inside, nothing is checked. */
export function* writeExtract(
  extract: Pick<Extract, "stretch" | "pieces" | "reason">,
  number: number,
): Generator<string> {
  const { stretch, pieces, reason } = extract;
  const fence = fenceAround(linesOf(extract));
  yield `\n**${number}.** ${reason}: ${pieces.map((piece) => markerOf(stretch, piece)).join(", ")}\n`;
  yield `\n${fence}${languageOf(stretch.path).tag}\n`;
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) yield "…\n";
    for (const line of linesOf({ stretch, pieces: [piece] })) yield `${withoutMarkers(line)}\n`;
  }
  yield `${fence}\n`;
}

function introduce(
  { isFitting, shown }: { isFitting: boolean; shown: readonly Extract[] },
  { question, conversation }: { question: Question; conversation: Conversation },
): string {
  if (isFitting) return "Extracts, not an explanation: the lines that match the question best.";
  if (conversation.results.length === 0) {
    return "No search tool was offered, so nothing was searched. This model shows extracts of what it finds and explains nothing.";
  }
  const where = conversation.resources.join(", ") || "the resources";
  const quoteWords = (words: Question["words"]) => words.map(({ word }) => `“${shownWord(word)}”`).join(", ");
  if (shown.length === 0 && conversation.results.some(({ tool, isFailed }) => tool === "search" && isFailed)) {
    return `The search of ${where} did not finish in time, so there may be matches. Ask again in a moment, or name a file or a folder.`;
  }
  if (shown.length === 0) {
    const sought = question.words.length === 0 ? "" : ` for ${quoteWords(question.words)}`;
    return `No match in ${where}${sought}. Try words that the code would use, the name of a function, or a file name.`;
  }
  const found = question.words.filter((word) => isFound(word, shown));
  const missing = question.words.filter((word) => !found.includes(word));
  return `No match in ${where}${missing.length === 0 ? "" : ` for ${quoteWords(missing)}`}. The closest lines mention ${quoteWords(found)}:`;
}

function beginningOf(extract: Extract): Extract {
  const pieces: LineRange[] = [];
  let room = nearestLines;
  for (const { startLine, endLine } of extract.pieces) {
    if (room > 0) pieces.push({ startLine, endLine: Math.min(endLine, startLine + room - 1) });
    room -= endLine - startLine + 1;
  }
  return { ...extract, pieces };
}

/** A file or folder that is named and does not exist. What only looks like a file may still be a word of the text. */
function* reportAbsent(
  shown: readonly Extract[],
  { paths, absent }: Question,
  { results }: Conversation,
): Generator<string> {
  const isWritten = (name: string) =>
    shown.some(({ role }) => role.type === "definition" && role.name === name) ||
    results.some(({ passages }) =>
      passages.some(({ path, lines }) => path.includes(name) || lines.some((line) => line.includes(name))),
    );
  const gone = [
    ...paths.filter((path) => isMissing(path, results) && !isWritten(path)),
    ...absent.filter((name) => !isWritten(name)),
  ];
  if (gone.length > 0) yield `\nThere is no ${gone.map((path) => `\`${path}\``).join(" and no ")}.\n`;
}

/** What the question is about and no extract holds: the reader should not look for it there. */
function* reportMissing(shown: readonly Extract[], { words }: Question): Generator<string> {
  const missing = words
    .filter((word) => word.isStrong && !isFound(word, shown))
    .map(({ word }) => `“${shownWord(word)}”`);
  if (missing.length > 0) yield `\nNone of them mentions ${missing.slice(0, 6).join(", ")}.\n`;
}

/** A name in the code that is another spelling of the question's word. */
function isFound({ stems }: QuestionWord, shown: readonly Extract[]): boolean {
  const key = stems.join(" ");
  return shown.some((extract) => extract.found.some((one) => one.stems.join(" ") === key));
}

/** A marker in quoted text, as documents about Citewell have, is no citation of this answer. */
function withoutMarkers(line: string): string {
  return line.replace(/\[\[(?=[^\]\n]*#L\d)/g, "[ [");
}

/** Longer than any run of backticks in the lines. */
function fenceAround(lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  return "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
}
