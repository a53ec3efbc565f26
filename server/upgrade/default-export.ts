import { dirname, join } from "node:path/posix";
import * as z from "zod";
import { parseJson } from "../lib/parse-json.ts";

/** What a package is when it is loaded as a whole, by the text of the files that its manifest names. */
export interface DefaultExport {
  path: string;
  /** 1-based. */
  line: number;
  /** Whether `require` returns it: `module.exports = clean`, not `exports.default = clean`. */
  isRequired: boolean;
}

const Manifest = z.looseObject({
  main: z.string().optional(),
  module: z.string().optional(),
  types: z.string().optional(),
  typings: z.string().optional(),
  exports: z.unknown().optional(),
});

/** The files that are loaded for the name of a package, and those with its types. */
export function entryFiles(manifest: string, paths: ReadonlySet<string>): string[] {
  const { main = "index.js", exports, ...named } = Manifest.safeParse(parseJson(manifest)).data ?? {};
  const others = [named.module, named.types, named.typings].filter((path) => path !== undefined);
  const written = [main, ...others, ...pathsOf(exports)];
  const found = written.flatMap((one) => {
    const path = join(one);
    return [path, `${path}.js`, join(path, "index.js")].find((form) => paths.has(form)) ?? [];
  });
  return [...new Set(found)].filter((path) => /(?:\.[cm]?js|\.d\.[cm]?ts)$/.test(path) && dirname(path) !== "..");
}

/** Of `exports`, the paths for the package itself: what is below `./part` is another module. */
function pathsOf(exports: unknown): string[] {
  if (typeof exports === "string") return [exports];
  if (typeof exports !== "object" || exports === null) return [];
  return Object.entries(exports).flatMap(([key, value]) => (key.startsWith("./") ? [] : pathsOf(value)));
}

/** `module.exports = {` lists names, and is no function. */
const assigned = /^\s*(?:exports\s*=\s*)?module\.exports\s*=(?!\s*(?:\{|__toCommonJS))/;
const other =
  /^\s*export\s+default\b|\bexports\.default\s*=|\bas\s+default\b|defineProperty\(\w*exports, *["']default["']/;

/** The first line of a file that exports something as a whole. */
export function defaultExportIn(path: string, lines: readonly string[]): DefaultExport | undefined {
  const required = lines.findIndex((line) => assigned.test(line));
  const line = required === -1 ? lines.findIndex((text) => other.test(text)) : required;
  return line === -1 ? undefined : { path, line: line + 1, isRequired: required !== -1 };
}

/**
 * The names that an ES module exports, by its text; undefined if it exports everything of another one, or is another kind of
 * module.
 */
export function exportedNames(text: string): Set<string> | undefined {
  if (/\bexport\s*(?:type\s+)?\*\s*from\b/.test(text)) return undefined;
  const lists = Array.from(text.matchAll(/\bexport\s*(?:type\s*)?\{([^}]*)\}/g), ([, list = ""]) => list.split(","));
  const listed = lists.flat().map((item) => /([\w$]+)\s*$/.exec(item)?.[1]);
  const declared = text.matchAll(
    /\bexport\s+(?:declare\s+|default\s+|abstract\s+|async\s+)*(?:function\*?|class|const|let|var|enum|type|interface|namespace)\s+([\w$]+)/g,
  );
  const names = [...listed, ...Array.from(declared, ([, name]) => name)].filter((name) => name !== undefined);
  return names.length === 0 ? undefined : new Set(names);
}
