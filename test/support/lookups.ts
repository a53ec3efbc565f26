import type { Lookups, Place } from "../../server/config/language/lookups.ts";
import type { ResourceListing } from "../../server/protocol/resource.ts";

/** The commit of the scripted repository. */
export const commit = "1234567890123456789012345678901234567890";

/** Scripted lookups: a workspace with zod 4.1.0, folders below /work, one repository. */
export function scriptedLookups(given: Partial<Lookups> = {}): Lookups {
  const folders: Record<string, string[]> = { "/work": [".git/", "src/", "docs/", "a.txt"], "/work/src": ["lib/"] };
  const read = (names: readonly string[]) =>
    names.map((name) => ({
      name: name.replace("/", ""),
      type: name.endsWith("/") ? ("folder" as const) : ("file" as const),
    }));
  return {
    providers: async () => ({
      all: [
        {
          id: "openai",
          name: "OpenAI",
          auth: ["api"],
          envVar: "OPENAI_API_KEY",
          models: { "gpt-5": {}, "gpt-5-mini": {} },
        },
        { id: "builtin", name: "Built-in (extracts)", auth: ["none"], models: { extractive: {} } },
      ],
      connected: ["builtin"],
    }),
    models: async (provider) =>
      provider === "openai"
        ? { "gpt-5": { name: "GPT-5", contextTokens: 400_000 }, "gpt-5-mini": {} }
        : { extractive: { name: "Extracts" } },
    branches: async (url) =>
      url === "https://git.example/o/r"
        ? { main: "master", branches: ["dev", "master"], tags: ["v1", "v2"] }
        : { main: null, branches: [], tags: [] },
    dependencies: async () => [
      { name: "zod", version: "4.1.0", isAdded: false, spec: { type: "npm", name: "zod", package: "zod" } },
    ],
    resources: async () => [],
    files: async (resource, folder) =>
      resource === "repo"
        ? read(folder === "" ? ["docs/", "a.ts"] : ["guide/"]).map((it) => ({ ...it, sizeBytes: null }))
        : [],
    folder: async (path) => (folders[path] === undefined ? undefined : read(folders[path])),
    exists: async (path) => Object.hasOwn(folders, path),
    ...given,
  };
}

/** The project configuration in /work. */
export const projectPlace: Place = { level: "project", folder: "/work", homeDirectory: "/home/ann" };

/** A resource listing with defaults. */
export function listing(given: Partial<ResourceListing>): ResourceListing {
  return {
    type: "git",
    name: "repo",
    url: "https://git.example/o/r",
    branch: "main",
    searchPath: null,
    searchPaths: null,
    path: null,
    origin: "listed",
    package: null,
    version: null,
    specialNotes: null,
    refresh: null,
    state: "ready",
    revision: commit,
    fetchedAt: "2026-01-01T00:00:00.000Z",
    sizeBytes: 1,
    fileCount: 1,
    failure: null,
    ...given,
  };
}
