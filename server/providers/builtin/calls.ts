/** Tools and inputs as server/agent/tools has them. */
export interface Call {
  tool: "search" | "grep" | "glob" | "list" | "outline" | "read";
  input: Record<string, string | number | boolean>;
}

export const queryLengthLimit = 1000;
/** The most that `search` allows: reading costs this model nothing. */
const searchTokens = 6000;

/** A search with whole passages. */
export function searchFor(query: string, input: { resource?: string; glob?: string; limit: number }): Call {
  return { tool: "search", input: { query: query.slice(0, queryLengthLimit), ...input, tokens: searchTokens } };
}
