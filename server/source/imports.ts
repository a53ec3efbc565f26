import { escapeExpression } from "../lib/escape-expression.ts";

/** Where a file has a name from: the module as the import writes it, and the line of the name in that import. */
export interface ImportedName {
  module: string;
  /** What is imported from the module: the name, or what it is qualified with. */
  imported: string;
  /** 1-based. */
  line: number;
}

/**
 * Finds the import of a name in a file, in any language whose imports list names; else the import of what the name is
 * qualified with at a line that uses it (`salsa.Cancelled`, `salsa::Cancelled`), as Go does it always. Undefined if there
 * is none, or it has no module (C's `#include`, Ruby's `require`). With an owner, only the import of that owner counts, and
 * only in a file that uses the name with it: other packages have things of the same name.
 */
export function findImport(lines: readonly string[], name: string, owner?: string): ImportedName | undefined {
  if (owner !== undefined) {
    const used = new RegExp(
      String.raw`(?<![\w$])${escapeExpression(owner)}(?:\.|::)${escapeExpression(name)}(?![\w$])`,
    );
    const isUsed = lines.some((line) => line.length <= lineLimit && used.test(line));
    return isUsed ? (findQualified(lines, owner) ?? findPath(lines, name, owner)) : undefined;
  }
  const word = wordTest(name);
  for (const [index, line] of lines.entries()) {
    const module = line.length <= lineLimit && word.test(line) ? importAt(lines, index, name) : undefined;
    if (module !== undefined) return { module, imported: name, line: index + 1 };
  }
  const qualifier = findQualifier(lines, name);
  return (
    (qualifier === undefined ? findQualified(lines, name) : findQualified(lines, qualifier)) ?? findPath(lines, name)
  );
}

/** Longer lines are minified code or data. */
const lineLimit = 400;
/** The most lines of an import. */
const statementLimit = 60;

const keyword =
  /^\s*(?:import|export|from|use|pub(?:\([^)]*\))?\s+use|alias|(?:(?:const|let|var|local)\b[^=]*=\s*(?:await\s+)?(?:require|import)\b)|(?:const|let|var)\s*\{[^=]*$)/;

/** The module of the import that a line with the name is in. */
function importAt(lines: readonly string[], index: number, name: string): string | undefined {
  const start = statementStart(lines, index);
  if (start === undefined) return undefined;
  let statement = "";
  for (let at = start; at < Math.min(lines.length, start + statementLimit); at++) {
    statement += ` ${lines[at] ?? ""}`;
    if (at >= index && countBrackets(statement) <= 0) break;
  }
  return moduleOf(statement.replace(/\s+/g, " ").trim(), name);
}

/** How many brackets are open at the end. */
function countBrackets(text: string): number {
  return (text.match(/[({[]/g) ?? []).length - (text.match(/[)}\]]/g) ?? []).length;
}

function statementStart(lines: readonly string[], index: number): number | undefined {
  for (let at = index; at >= Math.max(0, index - statementLimit); at--) {
    const line = lines[at] ?? "";
    // Above the name there are other names of a list, until the bracket that opens it.
    if (at < index && !/[,({]\s*$/.test(line)) return undefined;
    if (keyword.test(line)) return at;
  }
  return undefined;
}

function moduleOf(statement: string, name: string): string | undefined {
  const own = escapeExpression(name);
  const forms = [
    // import { a } from "m", export { a } from "m"
    /^(?:import|export)\b.*\bfrom ["']([^"']+)["']/,
    // const { a } = require("m"), local a = require "m", await import("m"), import a = require("m")
    /^(?:const|let|var|local|(?:export )?import)\b.*\b(?:require|import) ?\(? ?["']([^"']+)["']/,
    // from m import a
    /^from ([.\w]+) import\b/,
    // import 'm' show a
    /^import ["']([^"']+)["'] show\b/,
    // use m::{a, b}, use m::a, use m\a
    new RegExp(
      String.raw`^(?:pub(?:\([^)]*\))? )?use (?:function |const )?(?:::|\\)?([\w:\\]+?)(?:::|\\) ?(?:\{|${own}\b)`,
    ),
    // import m.a; import static m.a; import m.{a, b}; alias m.a
    new RegExp(String.raw`^(?:import|alias) (?:static )?([\w.]+?)\.(?:\{|${own}\b(?!\.))`),
    // import qualified m (a), import m (a)
    new RegExp(String.raw`^import (?:qualified )?([\w.]+)(?: as \w+)? ?\(.*\b${own}\b`),
    // import a, import m as a, use a
    new RegExp(String.raw`^(?:import|use) (?:\\?([\w.\\]+) as )?${own};?$`),
  ];
  for (const form of forms) {
    const match = form.exec(statement);
    if (match !== null) return match[1] ?? name;
  }
  return undefined;
}

/** What the name is qualified with where it is used: `salsa` of `salsa::Cancelled`. */
function findQualifier(lines: readonly string[], name: string): string | undefined {
  const qualified = new RegExp(String.raw`(?<![\w$.:>\\])([A-Za-z_]\w*)(?:\.|::)${escapeExpression(name)}(?![\w$])`);
  for (const line of lines) {
    const found = line.length <= lineLimit && !comment.test(line) ? qualified.exec(line)?.[1] : undefined;
    if (found !== undefined && !ownNames.has(found)) return found;
  }
  return undefined;
}

const comment = /^\s*(?:\/\/|#|\*|\/\*|--)/;
const ownNames: ReadonlySet<string> = new Set(["this", "self", "Self", "super", "crate", "cls"]);

/** The import of a qualifier; in Go, the end of a path or the name before it. */
function findQualified(lines: readonly string[], qualifier: string): ImportedName | undefined {
  const own = escapeExpression(qualifier);
  const goPath = new RegExp(
    String.raw`^\s*(?:import\s+)?(?:${own}\s+"([^"]+)"|"((?:[^"]*\/)?(?:go-)?${own}(?:\/v\d+|\.v\d+)?)")\s*$`,
  );
  const namespace = new RegExp(String.raw`^import (?:type )?(?:\w+, )?\* as ${own} from ["']([^"']+)["']`);
  const word = wordTest(qualifier);
  for (const [index, line] of lines.entries()) {
    if (line.length > lineLimit || !word.test(line)) continue;
    const path = goPath.exec(line);
    const module = path?.[1] ?? path?.[2] ?? namespace.exec(line)?.[1] ?? importAt(lines, index, qualifier);
    if (module !== undefined) return { module, imported: qualifier, line: index + 1 };
  }
  return undefined;
}

/** A path that needs no import, as in Rust: `serde_json` of `serde_json::from_str`, `std` of `std::fs::read`. */
function findPath(lines: readonly string[], name: string, owner?: string): ImportedName | undefined {
  const end =
    owner === undefined ? escapeExpression(name) : String.raw`${escapeExpression(owner)}::${escapeExpression(name)}`;
  const written = new RegExp(String.raw`(?<![\w$.:>\\])((?:[a-z]\w*::)+(?:[A-Z]\w*::)*)${end}(?![\w$])`);
  for (const [index, line] of lines.entries()) {
    const path = line.length <= lineLimit && !comment.test(line) ? written.exec(line)?.[1]?.slice(0, -2) : undefined;
    const [root = ""] = path?.split("::") ?? [];
    if (path !== undefined && !ownNames.has(root)) return { module: path, imported: owner ?? name, line: index + 1 };
  }
  const crate = new RegExp(String.raw`(?<![\w$.:>\\])${escapeExpression(owner ?? name)}::\w`);
  const index = lines.findIndex((line) => line.length <= lineLimit && !comment.test(line) && crate.test(line));
  const root = owner ?? name;
  return index === -1 || !/^[a-z]\w*$/.test(root) || ownNames.has(root)
    ? undefined
    : { module: root, imported: root, line: index + 1 };
}

function wordTest(name: string): RegExp {
  return new RegExp(String.raw`(?<![\w$])${escapeExpression(name)}(?![\w$])`);
}
