import type { FileClass } from "../file-class.ts";
import type { Query } from "./query.ts";

/**
 * How much a match in a file of that class is worth, unless the question asks for such files. Tests and examples repeat
 * the words of a question better than the code does, and win where they are not held back (bench notes: -6 points).
 */
export function priorOf(fileClass: FileClass, { isTwin, query }: { isTwin: boolean; query: Query }): number {
  const prior = classPrior(fileClass, query.asksFor);
  return isTwin ? 0.4 * prior : prior;
}

function classPrior(fileClass: FileClass, asksFor: Query["asksFor"]): number {
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
    case "locale":
    case "generated":
    case "outdated":
      return 0.4;
    case "data":
    case "vendored":
      return 0.28;
  }
}
