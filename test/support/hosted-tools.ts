/** The tools of the hosted service for a key with the scope `read`, in alphabetical order. */
export const readingTools = ["compare", "history", "listResources", "listRevisions", "read", "search", "verify"];
/** The same with the scope `ask`. */
export const askingTools = ["ask", ...readingTools];
/** All tools. */
export const allTools = [...askingTools, "addResource", "sync"].toSorted((a, b) => (a < b ? -1 : 1));
