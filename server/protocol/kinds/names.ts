/** The kinds of resource, in the order of lists. Apart from `kinds.ts` so that a command line can be read without zod. */
export const kindNames = ["git", "local", "npm"] as const;
