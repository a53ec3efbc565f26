import { CitewellError } from "../../errors.ts";
import { findImport } from "../../source/imports.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { kindOfPath, type Retrieval } from "../../retrieval/retrieval.ts";
import type { FoundPassage } from "./show.ts";

/** The number of files read that mention a name; source comes first. */
const filesRead = 40;
/** Modules that are shown. */
const shownModules = 3;

/** Finds where code gets a name that is not defined here: a line of an import for each module. */
export async function findImported(
  snapshots: readonly Snapshot[],
  { name, retrieval, signal }: { name: string; retrieval: Retrieval; signal: AbortSignal | undefined },
): Promise<FoundPassage[]> {
  const [, owner, pattern = ""] = /^(?:.*?([\p{L}\p{N}_$]+)[.:#]+)?([\p{L}\p{N}_$]+)(?:\(.*\))?$/u.exec(name) ?? [];
  if (pattern === "") return [];
  const query = { pattern, isRegex: false, ignoreCase: false, wholeWord: true, limit: 200, contextLines: 0, signal };
  const { files } = await retrieval.grep(snapshots, query);
  const found = new Map<string, FoundPassage>();
  for (const { resource, path } of files.filter((file) => kindOfPath(file.path) !== "docs").slice(0, filesRead)) {
    const snapshot = snapshots.find((candidate) => candidate.resource === resource);
    const lines = (await readLines(snapshot, { path, signal })) ?? [];
    const { module, line = 0 } = findImport(lines, pattern, owner) ?? {};
    if (module === undefined || found.has(module)) continue;
    const caption = `\`${pattern}\` is imported from \`${module}\`${isOutside(module) ? `, which is not in ${resource}` : ""}:`;
    found.set(module, { resource, path, startLine: line, lines: lines.slice(line - 1, line), caption });
    if (found.size === shownModules) break;
  }
  return [...found.values()];
}

/** Undefined where the file has changed. */
async function readLines(
  snapshot: Snapshot | undefined,
  { path, signal }: { path: string; signal: AbortSignal | undefined },
): Promise<readonly string[] | undefined> {
  try {
    return (await snapshot?.read(path, { signal }))?.lines;
  } catch (error) {
    if (error instanceof CitewellError && error.tag !== "Cancelled") return undefined;
    throw error;
  }
}

/** Not relative, and not of the package itself. */
function isOutside(module: string): boolean {
  return !/^(?:\.|@\/|~\/|#|\/|(?:crate|self|super)\b)/.test(module);
}
