import { escapeExpression } from "../lib/escape-expression.ts";
import { type Definition, findDefinitions, type Scope } from "../source/definitions.ts";
import { languageOf } from "../source/languages.ts";

/** A definition that others may know: not one within a function. Lines are 1-based. */
export interface ReadDefinition {
  /** With what it is in or on: `Command.parse`, `res.send`. */
  name: string;
  path: string;
  line: number;
  endLine: number;
  /** Its first lines up to its body, in one line. */
  signature: string;
  /** What is in it, without comments, white space and definitions of their own. */
  body: string;
  isPublic: boolean;
}

/** The definitions of a file in the order of its lines, those of one name together. */
export function readDefinitions(path: string, lines: readonly string[]): Map<string, ReadDefinition[]> {
  const { family } = languageOf(path);
  if (family === "none" || family === "markdown" || family === "rst" || family === "sections") return new Map();
  const found = new Map<string, ReadDefinition[]>();
  const add = (definition: ReadDefinition) => {
    const same = found.get(definition.name);
    if (same === undefined) found.set(definition.name, [definition]);
    else same.push(definition);
  };
  const exported = exportedNames(path, lines);
  const listed = withScopes(path, lines);
  for (const { name: written, line, endLine, scopes, inner } of listed) {
    const text = lines[line - 1] ?? "";
    const name = qualified(written, text, scopes);
    // What compilers add to each file.
    if (family === "script" && name.startsWith("__")) continue;
    const { signature, bodyStart } = signatureAt(lines, line - 1, family);
    const body: string[] = [];
    let next = 0;
    for (let number = bodyStart.line + 1; number <= endLine; number++) {
      const within = inner[next];
      if (within !== undefined && number >= within.line) {
        number = within.endLine;
        next++;
      } else body.push((lines[number - 1] ?? "").slice(number - 1 === bodyStart.line ? bodyStart.column : 0));
    }
    add({
      name,
      path,
      line,
      endLine,
      signature,
      body: bare(body, family),
      isPublic: isPublic({ name, text, path, family, scopes, lines, exported }),
    });
  }
  for (const [name, line] of exported) {
    const isDefined = [...found.keys()].some((one) => one === name || one.endsWith(`.${name}`));
    if (!isDefined) add({ name, path, line, endLine: line, signature: "", body: "", isPublic: true });
  }
  return found;
}

interface Listed extends Definition {
  scopes: readonly Scope[];
  /** The listed ones directly within it, in their order. */
  inner: { line: number; endLine: number }[];
}

/** The definitions of a file but those within functions. */
function withScopes(path: string, lines: readonly string[]): Listed[] {
  const listed: Listed[] = [];
  const open: (Definition & { isContainer: boolean; own: Listed | undefined })[] = [];
  for (const definition of findDefinitions(path, lines)) {
    while ((open.at(-1)?.endLine ?? Infinity) < definition.line) open.pop();
    const isContainer = containerTest.test(lines[definition.line - 1] ?? "");
    let own: Listed | undefined;
    if (open.every((one) => one.isContainer)) {
      const scopes = open.map(({ name, line, endLine }) => ({ name, startLine: line, endLine }));
      own = { ...definition, scopes, inner: [] };
      listed.push(own);
      open.at(-1)?.own?.inner.push(definition);
    }
    open.push({ ...definition, isContainer, own });
  }
  return listed;
}

/** Whether what is in a definition belongs to it for others: a class, an object; not a function. */
const containerTest =
  /^(?!.*(?:\bfunction\b|=>)).*(?:\b(?:class|interface|namespace|module|enum|trait|impl|struct|mod|record|protocol|extension|object|union|type|service|message|defmodule)\b|[=:]\s*\{\s*$)/;

function qualified(name: string, text: string, scopes: readonly Scope[]): string {
  // Building an expression for each definition takes a tenth of the time of a comparison.
  const on = /\.\s*[\w$]+\s*=/.test(text) ? assignedOn(name, text) : "";
  const [, receiver = ""] = /^\s*func\s+\(\w*\s*\*?(\w+)/.exec(text) ?? [];
  const owner = (receiver || on).replace(/(?:^|\.)prototype$/, "").replace(/^(?:module\.)?exports$|^this$/, "");
  return [...scopes.map((scope) => scope.name), owner, name].filter((part) => part !== "").join(".");
}

/** What a member is assigned on: `Router.prototype` of `Router.prototype.use = `. */
function assignedOn(name: string, text: string): string {
  const own = escapeExpression(name);
  return new RegExp(String.raw`((?:[\w$]+\.)*[\w$]+)\s*\.\s*${own}\s*=`).exec(text)?.[1] ?? "";
}

/** The most lines of a signature. */
const signatureLimit = 40;

interface Signature {
  signature: string;
  /** Where the body begins: a 0-based line, and a column. */
  bodyStart: { line: number; column: number };
}

/** From a definition's line to where its body or its value begins, outside of brackets. */
function signatureAt(lines: readonly string[], index: number, family: string): Signature {
  let depth = 0;
  let text = "";
  for (let line = index; line < Math.min(lines.length, index + signatureLimit); line++) {
    const written = lines[line] ?? "";
    let quote = "";
    for (let column = 0; column < written.length; column++) {
      const character = written[column] ?? "";
      const rest = written.slice(column);
      if (quote !== "") {
        if (character === "\\") column++;
        else if (character === quote) quote = "";
      } else if (/^(?:\/\/|\/\*)/.test(rest) || (character === "#" && (family === "python" || family === "ruby")))
        break;
      else if (/["'`]/.test(character) && !(character === "'" && family === "rust")) quote = character;
      else if (depth === 0 && isBodyStart(rest, family)) return end(line, column, written.slice(0, column));
      else if (/[([]/.test(character) || (character === "{" && depth > 0) || opensTypes(written, column)) depth++;
      else if (/[)\]]/.test(character) || (depth > 0 && (character === "}" || closesTypes(written, column)))) {
        depth = Math.max(0, depth - 1);
      }
    }
    text += ` ${withoutComment(written, family)}`;
    if (depth === 0 && !continues(written, lines[line + 1] ?? "")) return end(line + 1, 0, "");
  }
  return end(index + 1, 0, "");

  function end(line: number, column: number, last: string): Signature {
    return { signature: oneLine(`${text} ${last}`), bodyStart: { line, column } };
  }
}

/** `<` after a name, as of type parameters. */
function opensTypes(line: string, column: number): boolean {
  return line[column] === "<" && /[\w$]/.test(line[column - 1] ?? "") && line[column + 1] !== "<";
}

function closesTypes(line: string, column: number): boolean {
  return line[column] === ">" && !/[=-]/.test(line[column - 1] ?? "");
}

function continues(line: string, next: string): boolean {
  return /[,<(|&=\\]\s*$/.test(line) || /^\s*(?:[{)>]|where\b|extends\b|implements\b|->|throws\b|:)/.test(next);
}

/** A brace, an arrow, a colon at the end; `=` unless a function or a class follows. */
function isBodyStart(rest: string, family: string): boolean {
  if (family === "python" && /^:\s*(?:#.*)?$|^:\s+(?:\.\.\.|pass\b|return\b)/.test(rest)) return true;
  if (/^(?:\{|=>)/.test(rest)) return true;
  return (
    /^=(?![=>])/.test(rest) && !/^=\s*(?:async\b\s*)?(?:function\b|class\b|\(|[\w$]+\s*=>|[\w$.]+\s*=[^=>])/.test(rest)
  );
}

function withoutComment(line: string, family: string): string {
  const mark = family === "python" || family === "ruby" ? /\s+#\s.*$/ : /\s+\/\/.*$/;
  return line.replace(mark, "");
}

/** Without what formatters and compilers change: white space, a comma before a bracket, `export declare`. */
function oneLine(text: string): string {
  return text
    .replace(/\/\*.*?\*\//g, " ")
    .replace(/^\s*(?:(?:export|declare|default)\s+)+/, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([^\w\s$]) ?/g, "$1")
    .replace(/,(?=[)\]}>])/g, "")
    .replace(/[;,]$/, "")
    .trim();
}

function bare(lines: readonly string[], family: string): string {
  const comment = family === "python" || family === "ruby" ? /^\s*#/ : /^\s*(?:\/\/|\/\*|\*(?!\w))/;
  const code = lines.filter((line) => !comment.test(line)).map((line) => withoutComment(line, family));
  return code
    .join("")
    .replace(/\s+/g, "")
    .replace(/,([)\]}])/g, "$1");
}

interface Visible {
  name: string;
  text: string;
  path: string;
  family: string;
  scopes: readonly Scope[];
  lines: readonly string[];
  exported: ReadonlyMap<string, number>;
}

/** Whether others can use it, by the text of its line, of what it is in, and by its path. */
function isPublic({ name, text, path, family, scopes, lines, exported }: Visible): boolean {
  const parts = name.split(".");
  if (/(?:^|\/)(?:internals?|_[^/.]\w*|private)(?:\/|\.\w+$)/.test(path)) return false;
  if (parts.some((part) => /^[_#]/.test(part) && !/^__\w+__$/.test(part))) return false;
  const [first = ""] = parts;
  const outer = lines[(scopes[0]?.startLine ?? 0) - 1] ?? text;
  switch (family) {
    case "script":
      if (/^\s*(?:private|protected)\b/.test(text)) return false;
      if (/^\s*export\b|\bexports\b/.test(outer) || exported.has(first)) return true;
      // What is put on an object, mostly one that is exported; declarations without a module.
      return (parts.length > 1 && scopes.length === 0) || (isDeclarations(path) && !lines.some(isExport));
    case "go":
      return parts.every((part) => /^[A-Z]/.test(part)) && !path.endsWith("_test.go");
    case "rust":
      return /^\s*pub\s|^\s*(?:unsafe\s+)?impl\b/.test(text) || /\bmacro_rules!/.test(text) || isOfTrait(outer);
    case "class":
      return !/^\s*(?:@\w+\s+)*(?:private|protected|internal|fileprivate)\b/.test(text) && isPublicIn(path, text);
    case "c":
      return /\.(?:h|hh|hpp|hxx)$/.test(path) || !/^\s*static\b/.test(text);
    default:
      return !/^\s*(?:private|local)\b/.test(text);
  }
}

function isDeclarations(path: string): boolean {
  return /\.d\.[cm]?ts$/.test(path);
}

function isExport(line: string): boolean {
  return /^export\b/.test(line);
}

function isOfTrait(outer: string): boolean {
  return /^\s*pub\s+(?:unsafe\s+)?trait\b/.test(outer);
}

/** Java and C# hide what is not said to be public; members of interfaces are. */
function isPublicIn(path: string, text: string): boolean {
  return !/\.(?:java|cs)$/.test(path) || /\bpublic\b/.test(text) || !/[({]/.test(text);
}

/** What a module exports apart from where it defines it, and on which line. */
function exportedNames(path: string, lines: readonly string[]): Map<string, number> {
  const names = new Map<string, number>();
  const { family } = languageOf(path);
  const isInit = /(?:^|\/)__init__\.pyi?$/.test(path);
  const forms = isInit ? exportForms.python : family === "script" ? exportForms.script : [];
  if (forms.length === 0) return names;
  const text = lines.join("\n");
  const starts = lineStarts(lines);
  for (const form of forms) {
    for (const { 1: list = "", index } of text.matchAll(form)) {
      const from = text.indexOf(list, index);
      const name = list.replace(/(?<=\w)\.prototype(?=\.)/, "");
      if (/^[\w$]+\.[\w$]+$/.test(name) && !names.has(name)) names.set(name, lineAt(starts, from));
      for (const { 1: name = "", index: at } of list.matchAll(listedName)) {
        if (name !== "" && !names.has(name)) names.set(name, lineAt(starts, from + at));
      }
    }
  }
  return names;
}

/** `a`, `a as b`, `b: a`: each by the name that others know. */
const listedName = /(?<![\w$.])(?:[\w$*]+\s+as\s+)?([\w$]+)\s*(?::[^,\n]*)?(?=\s*(?:,|#|\/\/|\n|$))/g;

const exportForms = {
  script: [
    /^export\s*(?:type\s*)?\{([^}]*)\}/gm,
    /^(?:module\.exports|exports)\s*=\s*\{([^{}]*)\}/gm,
    /^(?:(?:module\.)?exports\s*=\s*)+([\w$]+);?$/gm,
    /^(?:module\.)?exports\.([\w$]+)\s*=/gm,
    /^(?!module\.|exports\.|this\.)([\w$]+\.(?:prototype\.)?[\w$]+)(?=\s*=[^=])/gm,
    /^export\s+default\s+([\w$]+);?$/gm,
    /^export\s+\*\s+as\s+([\w$]+)/gm,
  ],
  python: [/^from\s+\.[\w.]*\s+import\s+\(([^)]*)\)/gm, /^from\s+\.[\w.]*\s+import\s+(?!\()([^\n]*)/gm],
} as const;

function lineStarts(lines: readonly string[]): number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

/** The 1-based line of an offset. */
function lineAt(starts: readonly number[], offset: number): number {
  const next = starts.findIndex((start) => start > offset);
  return next === -1 ? starts.length : next;
}
