import type { Call, ToolResult } from "./look.ts";
import { branch, type Hit } from "./evidence.ts";
import { type Question, strongStems } from "./question.ts";

/** Lines of a file that define a function. */
interface Place {
  resource: string;
  path: string;
  startLine: number;
  endLine: number;
}

/** Shorter definitions are ignored. The number of lines after the first. */
const leastHeight = 2;
/** A single branch that mentions the question is too weak a sign. */
const leastBranches = 2;
/** How many lines of the function are read, and how many before it, for its comment. */
const linesRead = 80;
const linesBefore = 8;

/**
 * Finds the function that decides what a question asks about: the one with the most branches that mention its words.
 * Needs the results of the search for branches, and the outlines of their files.
 */
function findDeciding(results: readonly ToolResult[], question: Question): Place | undefined {
  if (!question.asksForDecision) return undefined;
  const stems = [...strongStems(question)].filter((one) => one.length > 3);
  const isBranch = new RegExp(branch, "i");
  const counts = new Map<string, { place: Place; branches: number; byStem: Map<string, number> }>();
  for (const { resource, path, startLine, lines } of results.filter(searchesBranches).flatMap((one) => one.passages)) {
    const { definitions = [] } = results.find(outlines({ resource, path })) ?? {};
    for (const [index, text] of lines.entries()) {
      const found = isBranch.test(text) ? stems.filter((one) => text.toLowerCase().includes(one)) : [];
      const at = startLine + index;
      const own = definitions.findLast(
        ({ line, endLine }) => line <= at && endLine >= at && endLine - line >= leastHeight,
      );
      if (found.length === 0 || own === undefined) continue;
      const place = { resource, path, startLine: own.line, endLine: own.endLine };
      const key = `${resource}:${path}:${own.line}`;
      const count = counts.get(key) ?? { place, branches: 0, byStem: new Map<string, number>() };
      count.branches++;
      for (const one of found) count.byStem.set(one, (count.byStem.get(one) ?? 0) + 1);
      counts.set(key, count);
    }
  }
  // Repetitions of a word count less and less, so that a function about the whole question wins over a long one.
  const worth = (byStem: Map<string, number>) => [...byStem.values()].reduce((sum, one) => sum + Math.log(1 + one), 0);
  const [best] = [...counts.values()]
    .filter(({ branches }) => branches >= leastBranches)
    .toSorted((a, b) => worth(b.byStem) - worth(a.byStem));
  return best?.place;
}

/** Reads the whole deciding function: the search has returned only its branches. */
export function readDeciding(results: readonly ToolResult[], question: Question): Call[] {
  const place = findDeciding(results, question);
  if (place === undefined) return [];
  const { startLine, endLine, ...file } = place;
  const last = Math.min(endLine, startLine + linesRead - 1);
  return [{ tool: "read", input: { ...file, startLine: Math.max(1, startLine - linesBefore), endLine: last } }];
}

/** Marks the branches inside the deciding function, and extends each to all lines of it that were read. */
export function markDeciding(
  hits: readonly Hit[],
  { question, results }: { question: Question; results: readonly ToolResult[] },
): Hit[] {
  const place = findDeciding(results, question);
  if (place === undefined) return [...hits];
  return hits.map((hit) => {
    const { resource, path, startLine, endLine } = hit.stretch;
    const isInside = hit.startLine <= place.endLine && hit.endLine >= place.startLine;
    if (hit.tool !== "branches" || resource !== place.resource || path !== place.path || !isInside) return hit;
    const start = Math.max(startLine, place.startLine);
    return { ...hit, tool: "deciding", startLine: start, endLine: Math.min(endLine, place.endLine) };
  });
}

export function searchesBranches({ tool, input }: ToolResult): boolean {
  return tool === "grep" && String(input["pattern"]).startsWith(branch);
}

function outlines({ resource, path }: { resource: string; path: string }): (result: ToolResult) => boolean {
  return ({ tool, input }) => tool === "outline" && input["resource"] === resource && input["path"] === path;
}
