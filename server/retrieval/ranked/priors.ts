import type { FileClass } from "../file-class.ts";
import { stem } from "../../source/words.ts";
import type { IndexedFile } from "../index/snapshot-index.ts";
import type { Query } from "./query.ts";

/**
 * What tools write, copies of other projects, translations, older versions and forms for reports repeat the words of what
 * they are made from. They come last, unless the question asks for them.
 */
const lastPrior = 0.02;

/**
 * How much a match in a file of that class is worth, unless the question asks for such files. Tests and examples repeat
 * the words of a question better than the code does, and win where they are not held back (bench notes: -6 points).
 */
export function priorOf(
  { path, fileClass, twinOf }: Pick<IndexedFile, "path" | "fileClass" | "twinOf">,
  query: Query,
): number {
  const isTwin = twinOf !== undefined;
  const isWanted = isTwin || (fileClass === "vendored" && isInNamedFolder(path, query));
  const prior = classPrior(fileClass, { asksFor: query.asksFor, isWanted });
  return isTwin ? 0.4 * prior : prior;
}

/** Whether the question has the name of a folder in a path: of `deps/hiredis/async.c`, `hiredis`. */
function isInNamedFolder(path: string, { tellingStems }: Query): boolean {
  const folders = path.toLowerCase().split("/").slice(0, -1);
  return folders.some((folder) => tellingStems.includes(stem(folder)));
}

function classPrior(
  fileClass: FileClass,
  { asksFor, isWanted }: { asksFor: Query["asksFor"]; isWanted: boolean },
): number {
  switch (fileClass) {
    case "source":
      return 1;
    case "docs":
      return asksFor.has("docs") || asksFor.has("usage") || asksFor.has("examples") ? 1.2 : 0.8;
    case "config":
      return asksFor.has("config") ? 1 : 0.5;
    case "declaration":
      return asksFor.has("types") ? 0.9 : 0.5;
    case "test":
      if (!asksFor.has("tests")) return 0.28;
      return asksFor.has("usage") ? 0.4 : 0.9;
    case "example":
      if (asksFor.has("examples") || asksFor.has("docs")) return 0.8;
      return asksFor.has("usage") ? 0.5 : 0.25;
    case "changelog":
      return asksFor.has("changes") ? 0.9 : 0.35;
    case "guidance":
      return asksFor.has("guidance") || asksFor.has("docs") ? 1.2 : 0.8;
    case "locale":
      return asksFor.has("translations") ? 0.4 : lastPrior;
    case "generated":
      return isWanted || asksFor.has("generated") ? 0.4 : lastPrior;
    case "outdated":
      return asksFor.has("versions") ? 0.4 : lastPrior;
    case "template":
      return asksFor.has("templates") ? 0.8 : lastPrior;
    case "vendored":
      return isWanted || asksFor.has("copies") ? 0.28 : lastPrior;
    case "data":
      return 0.28;
  }
}
