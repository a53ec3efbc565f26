import { declarationTest } from "../../source/calls.ts";
import type { Call, ToolResult } from "./look.ts";
import { isUse } from "./evidence.ts";
import { isTest } from "../../source/test-path.ts";
import type { Question } from "./question.ts";

type Use = ToolResult["uses"][number];

/** The maximum of one call. */
const usesFound = 200;

/** Finds all uses of the name that a question about callers is about. */
export function findCallers(question: Question): Call[] {
  const name = soughtName(question);
  return name === undefined ? [] : [findUses(name)];
}

export function findUses(name: string): Call {
  return { tool: "references", input: { name, limit: usesFound } };
}

/** The name in question: in "Who calls its invoke?" `invoke`, not what it belongs to. */
function soughtName({ wants, names, words, text }: Question): string | undefined {
  if (wants !== "callers") return undefined;
  const strong = words.filter(({ isStrong }) => isStrong).map(({ word }) => word);
  const member = /\b(?:its|their)\s+`?([\p{L}_$][\p{L}\p{N}_$]*)/iu.exec(text)?.[1];
  if (member !== undefined && strong.includes(member)) return member;
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

/** `3 callers of \`wait\`, 2 shown.`, or that there is none; undefined if the question is about something else. */
export function countCallers(question: Question, results: readonly ToolResult[], shown: number): string | undefined {
  const name = soughtName(question);
  const found = name === undefined ? undefined : usesOf(name, results);
  if (name === undefined || found === undefined) return undefined;
  const placeOf = ({ resource, path, around, line }: Use) => `${resource}:${path}:${around ?? line}`;
  const { isAboutTests } = question;
  const used = found.uses.filter(({ path }) => isTest(path) || !isAboutTests);
  const count = new Set(used.map(placeOf)).size;
  const more = found.isCut ? "at least " : "";
  if (count === 0) return `No ${isAboutTests ? "test" : "code"} calls or uses \`${name}\`.`;
  const rest = shown < count ? `, ${shown} shown` : "";
  return `${more}${count} ${count === 1 ? "caller" : "callers"}${isAboutTests ? " in tests" : ""} of \`${name}\`${rest}.`;
}
