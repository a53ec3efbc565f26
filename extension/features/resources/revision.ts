import type { ResourceListing } from "../../../server/protocol/resource.ts";

/** A whole commit id, of either of git's hashes. */
export function isCommit(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text);
}

/** The version in the revision of a package: `5.3.0+<hash>`; a version may hold a `+` of its own. */
export function versionOf(revision: string): string {
  const end = revision.lastIndexOf("+");
  return end === -1 ? revision : revision.slice(0, end);
}

/** Whether it names one revision for good, and not what a branch or a range comes to. */
export function isPinned({ type, branch, version }: Pick<ResourceListing, "type" | "branch" | "version">): boolean {
  if (type === "git") return branch !== null && isCommit(branch);
  return type === "npm" && version !== null && /^\d+\.\d+\.\d+/.test(version);
}

/** Both ways to name search paths, as one list. */
export function pathsOf({ searchPath, searchPaths }: Pick<ResourceListing, "searchPath" | "searchPaths">): string[] {
  return [...new Set([...(searchPath === null ? [] : [searchPath]), ...(searchPaths ?? [])])];
}
