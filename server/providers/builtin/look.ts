import type { ToolData } from "../../protocol/tool-data.ts";

export interface Conversation {
  question: string;
  /** The turns before it, oldest first. */
  earlier: readonly Turn[];
  /** Names of the resources. */
  resources: readonly string[];
  /** Whether two of them are versions of one thing. */
  hasVersions?: boolean | undefined;
  /** The results of all calls so far, in the order of the calls. */
  results: ToolResult[];
}

export interface Turn {
  question: string;
  answer: string;
}

/** A call of a tool in server/agent/tools. */
export interface Call {
  tool:
    | "search"
    | "changes"
    | "compare"
    | "definition"
    | "dependents"
    | "open"
    | "references"
    | "grep"
    | "glob"
    | "list"
    | "outline"
    | "history"
    | "upgrade"
    | "read";
  input: Record<string, string | number | boolean | readonly string[]>;
}

export interface ToolResult extends ToolData {
  tool: string;
  input: Readonly<Record<string, unknown>>;
  /** A failed call has no data. */
  isFailed: boolean;
  /** Why, if the tool refused the call. */
  refusal?: string | undefined;
}

/** Tool calls, and the reason for them as text for the reader. */
export interface Look {
  thought: string;
  calls: Call[];
}

/** Yields what to look up, and goes on with the results: none if no more calls are allowed. */
export type Looking<Result> = Generator<Look, Result, readonly ToolResult[]>;

/** Adds the results of the calls to the conversation. Calls that were made before are left out. */
export function* lookUp({ results }: Conversation, thought: string, calls: readonly Call[]): Looking<void> {
  const fresh = newCalls(calls, results);
  if (fresh.length > 0) results.push(...(yield { thought: `${thought}\n`, calls: fresh }));
}

/** The calls that were not made before, each once. */
export function newCalls(calls: readonly Call[], results: readonly ToolResult[]): Call[] {
  const unique = [...new Map(calls.map((call) => [keyOf(call), call])).values()];
  return unique.filter((call) => !results.some((made) => isResultOf(call, made)));
}

export function isResultOf(call: Call, made: Pick<ToolResult, "tool" | "input">): boolean {
  return keyOf(call) === keyOf(made);
}

function keyOf({ tool, input }: Pick<ToolResult, "tool" | "input">): string {
  return `${tool} ${JSON.stringify(input)}`;
}

export const queryLengthLimit = 1000;
/** The maximum that `search` allows, because reading costs nothing here. */
const searchTokens = 6000;

/** A regular expression for a text. */
export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** A search that returns whole passages. */
export function searchFor(query: string, input: { resource?: string; glob?: string; limit: number }): Call {
  return { tool: "search", input: { query: query.slice(0, queryLengthLimit), ...input, tokens: searchTokens } };
}

/** Reads `count` lines of a file. */
export function readLines(
  { resource, path }: { resource: string; path: string },
  startLine: number,
  count: number,
): Call {
  return { tool: "read", input: { resource, path, startLine, endLine: startLine + count - 1 } };
}
