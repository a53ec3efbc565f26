import type { ResourceListing } from "../../../server/protocol/resource.ts";

const nothing = {
  origin: "listed",
  url: null,
  branch: null,
  searchPath: null,
  searchPaths: null,
  path: null,
  package: null,
  version: null,
  specialNotes: null,
  refresh: null,
  state: "absent",
  revision: null,
  fetchedAt: null,
  sizeBytes: null,
  fileCount: null,
  failure: null,
} as const;

export const commit = "0123456789abcdef0123456789abcdef01234567";

/** A row of the list of each kind, as it is before anything was fetched. */
export const git: ResourceListing = {
  ...nothing,
  type: "git",
  name: "demo",
  url: "https://git.example/owner/demo",
  branch: "main",
};
export const npm: ResourceListing = { ...nothing, type: "npm", name: "zod", package: "zod" };
export const local: ResourceListing = { ...nothing, type: "local", name: "lib", path: "/work/lib", state: "ready" };

/** Fetched three days before `now`. */
export const fetched = {
  state: "ready",
  fetchedAt: "2026-01-01T12:00:00.000Z",
  sizeBytes: 1_400_000,
  fileCount: 1200,
} as const;
export const now = Date.parse("2026-01-04T12:30:00.000Z");

/** Works as `vscode.l10n.t` without a translation. */
export const l10n = {
  t: (message: unknown, ...args: unknown[]) =>
    String(message).replace(/\{(\d+)\}/g, (_, index: string) => String(args[Number(index)])),
};
