import { languageOf } from "../../lib/languages.ts";
import { formatLineFragment } from "../../protocol/citation.ts";
import type { Conversation } from "./conversation.ts";
import type { Extract } from "./extracts.ts";
import { type Question, tellWord } from "./question.ts";

/** With less of the question's words an extract is no answer, only the nearest there is. */
const leastCoverage = 0.4;
const nearestShown = 2;

/** The answer in pieces of a line: what it is, then each extract with its reason, its marker and its lines. */
export function* writeAnswer(
  extracts: readonly Extract[],
  { question, conversation }: { question: Question; conversation: Conversation },
): Generator<string> {
  const fitting = extracts.filter(({ coverage }) => coverage >= leastCoverage);
  const shown = fitting.length > 0 ? fitting : extracts.slice(0, nearestShown);
  const isFitting = fitting.length > 0;
  yield `${introduce({ isFitting, isEmpty: shown.length === 0 }, { question, conversation })}\n`;
  if (isFitting) yield* tellMissing(shown, question);
  for (const [index, extract] of shown.entries()) yield* writeExtract(extract, index + 1);
}

function introduce(
  { isFitting, isEmpty }: { isFitting: boolean; isEmpty: boolean },
  { question, conversation }: { question: Question; conversation: Conversation },
): string {
  if (isFitting) return "Extracts, not an explanation: the lines that fit the question best, as they stand.";
  if (conversation.results.length === 0) {
    return "Nothing was searched, because no search tool was offered. This model shows extracts of what it finds; it explains nothing.";
  }
  const where = conversation.resources.join(", ") || "the resources";
  const words = question.words.map(({ word }) => `“${tellWord(word)}”`).join(", ");
  const sought = words === "" ? "" : ` Searched for ${words}.`;
  return isEmpty
    ? `Nothing in ${where} fits the question.${sought} Try the words that the code would use, the name of a function, or a file name.`
    : `Nothing in ${where} fits the question well.${sought} The nearest lines, as extracts and not as an explanation:`;
}

/** What the question is about and no extract holds: the reader should not look for it there. */
function* tellMissing(shown: readonly Extract[], { words }: Question): Generator<string> {
  const found = new Set(shown.flatMap((extract) => extract.found.map(({ word }) => word)));
  const missing = words
    .filter(({ word, isStrong }) => isStrong && !found.has(word))
    .map(({ word }) => `“${tellWord(word)}”`);
  if (missing.length > 0) yield `\nNone of them holds ${missing.slice(0, 6).join(", ")}.\n`;
}

/** The marker stands outside the code block: within it nothing is checked. */
function* writeExtract({ stretch, startLine, endLine, lines, reason }: Extract, number: number): Generator<string> {
  const fence = fenceAround(lines);
  yield `\n**${number}.** ${reason}: [[${stretch.target}#${formatLineFragment({ startLine, endLine })}]]\n`;
  yield `\n${fence}${languageOf(stretch.path).tag}\n`;
  for (const line of lines) yield `${line}\n`;
  yield `${fence}\n`;
}

/** Longer than any run of backticks in the lines. */
function fenceAround(lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  return "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
}
