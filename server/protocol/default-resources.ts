import type { ResourceSpec } from "./resource.ts";

/** The resources of a global file without a list (docs/contract.md, "Names"). Imports nothing: each Tab loads it. */
export const defaultResources: readonly ResourceSpec[] = [
  { type: "npm", name: "express", package: "express" },
  { type: "npm", name: "zod", package: "zod" },
  {
    type: "git",
    name: "typescript",
    url: "https://github.com/microsoft/TypeScript-Website",
    branch: "v2",
    searchPath: "packages/documentation/copy/en",
  },
];
