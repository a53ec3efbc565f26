/** A call of a tool in server/agent/tools. */
export interface Call {
  tool: "search" | "references" | "grep" | "glob" | "list" | "outline" | "read";
  input: Record<string, string | number | boolean>;
}

export const queryLengthLimit = 1000;
/** The maximum that `search` allows, because reading costs this model nothing. */
const searchTokens = 6000;

/** Whether a call was made with at least this input. */
export function isCallOf(
  { tool, input }: Call,
  made: { tool: string; input: Readonly<Record<string, unknown>> },
): boolean {
  return made.tool === tool && Object.entries(input).every(([name, value]) => made.input[name] === value);
}

/** A regular expression for a text. */
export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** A search that returns whole passages. */
export function searchFor(query: string, input: { resource?: string; glob?: string; limit: number }): Call {
  return { tool: "search", input: { query: query.slice(0, queryLengthLimit), ...input, tokens: searchTokens } };
}
