import { declarationTest } from "../../source/calls.ts";
import type { Call, ToolResult } from "./look.ts";
import { isUse } from "./evidence.ts";
import type { Extract } from "./extracts.ts";
import { formatMarker } from "../../protocol/passage.ts";
import { shorten } from "../../protocol/shorten.ts";
import { isTest } from "../../source/test-path.ts";
import type { Question } from "./question.ts";
import { placesAsked } from "./question-names.ts";
import { wordsIn } from "../../source/words.ts";

type Use = ToolResult["uses"][number];

/** The maximum of one call. */
const usesFound = 200;

/** Whether a question asks for the callers. A name alone asks for its definition and its uses. */
export function asksForCallers({ wants, text }: Pick<Question, "wants" | "text">): boolean {
  return wants === "callers" && /\S\s+\S/.test(text);
}

/** Finds all uses of the name that a question about callers is about. */
export function findCallers(question: Question): Call[] {
  const name = soughtName(question);
  return name === undefined ? [] : [findUses(name)];
}

export function findUses(name: string): Call {
  return { tool: "references", input: { name, limit: usesFound } };
}

/** The name in question: in "Who calls its invoke?" `invoke`, not what it belongs to. */
export function soughtName({
  wants,
  names,
  members,
  words,
  text,
}: Pick<Question, "wants" | "names" | "members" | "words" | "text">): string | undefined {
  if (wants !== "callers") return undefined;
  const places = new Set(placesAsked(text).flatMap(wordsIn));
  const strong = words.filter(({ word, isStrong }) => isStrong && !places.has(word)).map(({ word }) => word);
  const member = /\b(?:its|their)\s+`?([\p{L}_$][\p{L}\p{N}_$]*)/iu.exec(text)?.[1];
  if (member !== undefined && strong.includes(member)) return member;
  const [path] = members;
  if (path !== undefined) return `${path.owner}.${path.name}`;
  return names[0] ?? (strong.length === 1 ? strong[0] : undefined);
}

/** The uses of a name in code, without imports; undefined if they were not looked up. `isCut`: there may be more. */
export function usesOf(name: string, results: readonly ToolResult[]): { uses: Use[]; isCut: boolean } | undefined {
  const found = results.find((one) => one.tool === "references" && one.input["name"] === name && !one.isFailed);
  const last = name.split(/[.#:]+/).at(-1) ?? name;
  const isOwn = ({ use, isCode, path, text }: Use) =>
    isCode && use !== "imports" && isUse(last, text) && !declarationTest(path, last)(text);
  return found && { uses: found.uses.filter(isOwn), isCut: found.uses.length >= usesFound };
}

/** `13 callers of \`wait\`.`, or that there is none, and a line for each that no extract shows. */
export interface CallersReport {
  count: string;
  others: string[];
}

/** Undefined if the question is about something else. */
export function reportCallers(
  question: Question,
  results: readonly ToolResult[],
  shown: readonly Place[],
): CallersReport | undefined {
  const name = soughtName(question);
  const found = name === undefined ? undefined : usesOf(name, results);
  if (name === undefined || found === undefined) return undefined;
  const placeOf = ({ resource, path, aroundLine, line }: Use) => `${resource}:${path}:${aroundLine ?? line}`;
  const { isAboutTests } = question;
  const used = found.uses.filter(({ path }) => isTest(path) || !isAboutTests);
  const places = new Map<string, Use[]>();
  for (const use of used) places.set(placeOf(use), [...(places.get(placeOf(use)) ?? []), use]);
  const isShown = (uses: readonly Use[]) => uses.some((use) => shown.some((extract) => holds(extract, use)));
  const left = [...places.values()].filter((uses) => !isShown(uses)).flatMap((uses) => uses.slice(0, 1));
  const others = left.toSorted((a, b) => Number(isTest(a.path)) - Number(isTest(b.path))).slice(0, mostListed);
  const count = places.size;
  if (count === 0) return { count: `No ${isAboutTests ? "test" : "code"} calls or uses \`${name}\`.`, others: [] };
  const callers = `${count} ${count === 1 ? "caller" : "callers"}${isAboutTests ? " in tests" : ""} of \`${name}\``;
  const rest = left.length - others.length;
  return {
    count: `${found.isCut ? "at least " : ""}${callers}${rest > 0 ? `, ${count - rest} shown` : ""}.`,
    others: others.map(rowOf),
  };
}

const mostListed = 20;

type Place = Pick<Extract, "stretch" | "pieces">;

function holds({ stretch, pieces }: Place, { resource, path, line }: Use): boolean {
  if (stretch.resource !== resource || stretch.path !== path) return false;
  return pieces.some(({ startLine, endLine }) => line >= startLine && line <= endLine);
}

function rowOf({ resource, path, line, around, text }: Use): string {
  const shownText = shorten(text.trim().replaceAll("`", "'"), 120);
  return `- ${around === undefined ? "" : `in \`${around}\`: `}\`${shownText}\` ${formatMarker({ resource, path, startLine: line, endLine: line })}\n`;
}
