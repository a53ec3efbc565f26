/** The kinds of resource, in the order of lists. Apart from `kinds.ts` so that a command line can be read without zod. */
export const kindNames = ["git", "local", "npm", "pypi"] as const;

/** Those that are packages of an ecosystem; server/resources/packages/ reads them. */
export const packageTypes = ["npm", "pypi"] as const;
export type PackageType = (typeof packageTypes)[number];
