import type { Definition } from "../../source/definitions.ts";
import type { LineRange } from "../../protocol/citation.ts";
import { type Hit, linesIn, occurs, type Stretch } from "./evidence.ts";
import { constantLength, isComment, lengthOf, partsIn } from "./produced.ts";
import { nameFit, ofName, type Question, type QuestionWord, shownWord } from "./question.ts";

/** How lines relate to a question. */
export type Role =
  /** `fit` is 1 if the question names it. */
  | { type: "definition"; name: string; fit: number }
  | { type: "caller"; name: string }
  /** `length`: of all words of the parts of the message that the lines have, in characters; whole literals count more. */
  | { type: "message"; part: string; length: number; isThrown: boolean }
  | { type: "mention" };

/** Determines the role of lines. */
export function roleOf(
  { stretch, pieces, pattern }: Pick<Hit, "stretch" | "pattern"> & { pieces: readonly LineRange[] },
  question: Question,
): Role {
  const isShown = (line: number) => pieces.some(({ startLine, endLine }) => line >= startLine && line <= endLine);
  const lines = pieces.flatMap((piece) => linesIn(stretch, piece));
  const saying = stretch.isDocument ? lines : lines.filter((line) => !isComment(line));
  const parts = partsIn(saying, question.message);
  const [part] = parts;
  if (part !== undefined) {
    const length = Math.max(lengthOf(parts), ofWhole * constantLength(saying, question.text));
    return { type: "message", part, length, isThrown: lines.some((line) => throwing.test(line)) };
  }
  const fits = stretch.definitions
    .filter(({ line }) => isShown(line))
    .map(({ name, line }) => ({ name, line, fit: nameFit(name, question) }));
  const best = fits.reduce<(typeof fits)[number] | undefined>(
    (one, other) => (other.fit > (one?.fit ?? 0) ? other : one),
    undefined,
  );
  const isAround = pattern !== undefined && best !== undefined && best.fit < 1 && !stretch.isDocument;
  if (best !== undefined && !isAround) return { type: "definition", name: best.name, fit: best.fit };
  const name = [pattern, ...question.names].find((one) => one !== undefined && lines.some((line) => occurs(one, line)));
  if (name !== undefined && !stretch.isDocument) {
    const isMember = lines
      .map((line) => line.replace(parameterStart, ""))
      .some((line) => line.startsWith(name) && /^\s*(?::|=(?!=))/.test(line.slice(name.length)));
    return isMember ? { type: "definition", name, fit: 1 } : { type: "caller", name };
  }
  return { type: "mention" };
}

/** The worth of a literal that is in the message from end to end, against parts of a message in any text. */
const ofWhole = 1.25;

/** What stands before a parameter in the text that documents it. */
const parameterStart = /^\s*(?:[*#/]+\s+)?(?::(?:param|arg)\s+|@param\s+(?:\{[^}]*\}\s+)?)?/;

/** Why lines are shown: `documents “Routing”`, `defines \`handle\``, `uses \`wait\`, in \`retry\``, `in \`next\`, matches “route”`. */
export function reasonFor({
  stretch,
  pieces,
  role,
  found,
  holding,
}: {
  stretch: Stretch;
  pieces: readonly LineRange[];
  role: Role;
  found: readonly QuestionWord[];
  /** The definition that holds most of these words. */
  holding: Definition | undefined;
}): string {
  const inside = holding === undefined ? "" : `, in \`${holding.name}\``;
  if (role.type === "message")
    return `${role.isThrown ? "throws" : "has"} “${shownWord(role.part)}”${stretch.isDocument ? "" : inside}`;
  if (stretch.isDocument) return holding === undefined ? matching(found) : `documents “${plainHeading(holding.name)}”`;
  if (role.type === "definition" && !isBeside(role, { holding, stretch })) return `defines \`${role.name}\``;
  if (role.type === "caller") return `${stretch.isTest ? "a test of" : "uses"} \`${role.name}\`${inside}`;
  if (holding === undefined) return matching(found);
  return `${holding.line < (pieces[0]?.startLine ?? 0) || pieces.length > 1 ? "in" : "defines"} \`${holding.name}\`, ${matching(found)}`;
}

/** Whether a definition that the question hardly names is not even a part of the one that holds most of its words. */
function isBeside(
  { name, fit }: Extract<Role, { type: "definition" }>,
  { holding, stretch }: { holding: Definition | undefined; stretch: Stretch },
): boolean {
  if (holding === undefined || fit > ofName) return false;
  return !stretch.definitions.some(
    (one) => one.name === name && one.line >= holding.startLine && one.line <= holding.endLine,
  );
}

/** A heading without HTML tags, bold markers and the addresses of links. */
export function plainHeading(name: string): string {
  return name
    .replace(/<[^>]*>|\*\*/g, "")
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?/g, "$1")
    .trim();
}

const throwing =
  /\b(?:throw|throws|raise|panic|reject|die|abort|fail|bail|Err|error|errorf|new \w*(?:Error|Exception))\b/i;

function matching(found: readonly QuestionWord[]): string {
  const strong = found.filter(({ isStrong }) => isStrong);
  const words = (strong.length > 0 ? strong : found).slice(0, 6).map(({ word }) => `“${shownWord(word)}”`);
  return words.length === 0 ? "its path matches" : `matches ${words.join(", ")}`;
}
