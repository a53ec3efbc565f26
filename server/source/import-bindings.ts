import { languageOf } from "./languages.ts";

/** A name that a file has from a module. */
export interface ImportBinding {
  /** As the import writes it: `zod/v4`, `pydantic.types`, `github.com/spf13/cobra`, `clap::builder`, `org.junit`. */
  module: string;
  /** The name in the module; undefined if the name of the file means the module itself. */
  imported: string | undefined;
  /** The name in the file. */
  local: string;
  /** 1-based. */
  line: number;
}

/** Longer lines are minified code or data. */
const lineLimit = 400;
/** The most lines of an import. */
const statementLimit = 60;

/** The names that a file imports, for languages whose packages can be opened; none of others. */
export function findImportBindings(path: string, lines: readonly string[]): ImportBinding[] {
  const form = formOf(languageOf(path).tag);
  if (form === undefined) return [];
  const bindings: ImportBinding[] = [];
  for (const [index, text] of lines.entries()) {
    if (text.length > lineLimit || !form.start.test(text)) continue;
    const statement = statementAt(lines, index);
    for (const one of form.read(statement)) bindings.push({ ...one, line: lineOf(one.local, lines, index) });
  }
  return bindings;
}

/** The names that one statement binds, of whatever length its lines are. */
export function importedNames(path: string, statement: string): Omit<ImportBinding, "line">[] {
  return formOf(languageOf(path).tag)?.read(statementAt(statement.trim().split("\n"), 0)) ?? [];
}

type Read = (statement: string) => Omit<ImportBinding, "line">[];
interface Form {
  start: RegExp;
  read: Read;
}

function formOf(tag: string): Form | undefined {
  switch (tag) {
    case "js":
    case "jsx":
    case "ts":
    case "tsx":
    case "vue":
    case "svelte":
    case "astro":
      return {
        start: /^\s*(?:(?:export\s+)?import\b|require\(|export\b.*\bfrom\b|export\s*\{\s*$|(?:const|let|var)\b.*)/,
        read: readScript,
      };
    case "python":
      return { start: /^\s*(?:from\s+[\w.]+\s+import|import\s+\w)/, read: readPython };
    case "go":
      return { start: /^\s*(?:import\s+)?(?:[\w.]+\s+)?"[\w.~/-]+"\s*(?:\/\/.*)?$/, read: readGo };
    case "rust":
      return { start: /^\s*(?:pub(?:\([^)]*\))?\s+)?use\s/, read: readRust };
    case "java":
    case "kotlin":
    case "scala":
    case "groovy":
      return { start: /^\s*import\s+(?:static\s+)?[\w.]+/, read: readJvm };
    case "ruby":
      return { start: /^\s*require\s/, read: readRuby };
    default:
      return undefined;
  }
}

/** The lines of a statement as one: until its brackets are closed. */
function statementAt(lines: readonly string[], start: number): string {
  let statement = "";
  for (const line of lines.slice(start, start + statementLimit)) {
    statement += ` ${line.replace(/(?:^|\s)(?:\/\/|#).*$/, "")}`;
    const open = (statement.match(/[({[]/g) ?? []).length - (statement.match(/[)}\]]/g) ?? []).length;
    // Python continues a line with a backslash.
    if (open <= 0 && !statement.endsWith("\\")) break;
  }
  return statement
    .replace(/\\(?=\s)/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** The line of a statement that names it. */
function lineOf(local: string, lines: readonly string[], start: number): number {
  const word = new RegExp(String.raw`(?<![\w$])${local.replace(/[$.]/g, "\\$&")}(?![\w$])`);
  const within = lines.slice(start, start + statementLimit).findIndex((line) => word.test(line));
  return start + Math.max(0, within) + 1;
}

function readScript(statement: string): ReturnType<Read> {
  const from = /^(?:import|export)\s+(?:type\s+)?(.*?)\s*\bfrom\s*["']([^"']+)["']/.exec(statement);
  if (from !== null) return readClause(from[1] ?? "", from[2] ?? "");
  const bare = /^(?:import|require\()\s*["']([^"']+)["']/.exec(statement)?.[1];
  if (bare !== undefined) return [{ module: bare, imported: undefined, local: bare }];
  const loaded =
    /^(?:const|let|var|(?:export\s+)?import(?:\s+type)?)\s+(.+?)\s*=\s*(?:await\s+)?(?:require|import)\(\s*["']([^"']+)["']\s*\)(?:\.([\w$]+))?/;
  const [, names = "", module, member] = loaded.exec(statement) ?? [];
  if (module === undefined) return [];
  if (member !== undefined && /^[\w$]+$/.test(names)) return [{ module, imported: member, local: names }];
  return readClause(names.replace(/([\w$]+)\s*:\s*([\w$]+)/g, "$1 as $2"), module);
}

/** `a`, `* as a`, `a, { b, c as d }`. */
function readClause(clause: string, module: string): ReturnType<Read> {
  const [, before = "", list] = /^([^{]*)(?:\{([^}]*)\})?/.exec(clause) ?? [];
  const whole = before
    .split(",")
    .map((text) => text.replace(/^\s*\*\s+as\s+/, "").trim())
    .filter((text) => /^[\w$]+$/.test(text))
    .map((local) => ({ module, imported: undefined, local }));
  return [...whole, ...readList(list ?? "", module)];
}

/** `b, c as d, type e`. */
function readList(list: string, module: string): ReturnType<Read> {
  return list.split(",").flatMap((text) => {
    const [, imported, local = imported] =
      /^\s*(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?(?:\s*=.*)?\s*$/.exec(text) ?? [];
    if (imported === undefined || local === undefined) return [];
    return [{ module, imported: imported === "default" ? undefined : imported, local }];
  });
}

function readPython(statement: string): ReturnType<Read> {
  const [, module, names] = /^from ([\w.]+) import (.+)$/.exec(statement) ?? [];
  if (module !== undefined && names !== undefined) return readList(names.replace(/[()]/g, ""), module);
  return (/^import (.+)$/.exec(statement)?.[1] ?? "").split(",").flatMap((text) => {
    const [, whole, alias] = /^\s*([\w.]+)(?:\s+as\s+(\w+))?\s*$/.exec(text) ?? [];
    return whole === undefined ? [] : [{ module: whole, imported: undefined, local: alias ?? whole }];
  });
}

/** Without a name, the package is named as the end of its path, without a version. */
function readGo(statement: string): ReturnType<Read> {
  return [...statement.matchAll(/(?:([\w.]+)\s+)?"([\w.~/-]+)"/g)].flatMap(([, alias, module = ""]) => {
    const parts = module.split("/").filter((part) => !/^v\d+$/.test(part));
    const named = alias === undefined || alias === "import" ? undefined : alias;
    const local = named ?? (parts.at(-1) ?? "").replace(/^go-|\.v\d+$|[.-]go$/g, "").replaceAll("-", "_");
    return local === "_" || local === "." ? [] : [{ module, imported: undefined, local }];
  });
}

/** `use a::{b, c::{d as e, self}}`: each name with the path before it. */
function readRust(statement: string): ReturnType<Read> {
  const path = statement.replace(/^(?:pub(?:\([^)]*\))? )?use (?:::)?/, "").replace(/;.*$/, "");
  return expandRust(path, "").flatMap((one): ReturnType<Read> => {
    const [, whole = "", alias] = /^(.+?)(?: as (\w+))?$/.exec(one) ?? [];
    const parts = whole.split("::").map((part) => part.trim());
    if (parts.at(-1) === "self") parts.pop();
    const last = parts.at(-1) ?? "";
    if (!/^\w+$/.test(last) || /^(?:crate|self|super)$/.test(parts[0] ?? "")) return [];
    const local = alias ?? last;
    if (parts.length === 1) return [{ module: last, imported: undefined, local }];
    return [{ module: parts.slice(0, -1).join("::"), imported: last, local }];
  });
}

function expandRust(path: string, prefix: string): string[] {
  const brace = path.indexOf("{");
  if (brace === -1) return [prefix + path.trim()];
  const before = prefix + path.slice(0, brace).trim();
  return splitOutside(path.slice(brace + 1, path.lastIndexOf("}"))).flatMap((part) => expandRust(part, before));
}

/** The parts between the commas that are in no brackets. */
function splitOutside(text: string): string[] {
  const parts: string[] = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "{") depth++;
    if (character === "}") depth--;
    if (character === "," && depth === 0) parts.push("");
    else parts.push((parts.pop() ?? "") + character);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function readJvm(statement: string): ReturnType<Read> {
  const [, whole = "", alias] = /^import (?:static )?([\w.]+\w|[\w.]+\.\*)(?: as (\w+))?/.exec(statement) ?? [];
  const dot = whole.lastIndexOf(".");
  const imported = whole.slice(dot + 1);
  return dot <= 0 ? [] : [{ module: whole.slice(0, dot), imported, local: alias ?? imported }];
}

function readRuby(statement: string): ReturnType<Read> {
  const module = /^require ["']([\w/.-]+)["']/.exec(statement)?.[1];
  return module === undefined ? [] : [{ module, imported: undefined, local: module }];
}
