import type { Snapshot } from "../resources/snapshot.ts";
import { definitionsAround, findDefinitions } from "../source/definitions.ts";
import { languageOf } from "../source/languages.ts";
import { linesWithinStrings } from "../source/multiline-strings.ts";
import { escapeExpression } from "../lib/escape-expression.ts";

/** A place that declares a name. Lines are 1-based. */
export interface Declaration {
  /** The version of a package that has it. */
  snapshot: Snapshot;
  path: string;
  line: number;
  text: string;
  /** What it is declared in or on: `Command`, `req` of `req.param = …`. */
  owners: readonly string[];
  /** The parameters, where it has some, each without type and default; optional ones end with `?`. */
  parameters: readonly string[] | undefined;
  /** The types that it returns, as its first line names them: `DataFrame`. */
  returns: readonly string[];
  /** Of a function of Go the types of its results, which a caller takes all. */
  results?: readonly string[];
  isDeprecated: boolean;
  /** Whether it is a parameter, which is no member of what it is declared in. */
  isParameter: boolean;
}

/** What the code of a package says of a name. */
export interface NameFacts {
  declared: Declaration[];
  /** Lines of code with the name that declare nothing. */
  mentions: number;
  /** The first line of code with the name in each file that has one; not a name that the file gives another one. */
  files: Map<string, number>;
}

export function emptyFacts(): NameFacts {
  return { declared: [], mentions: 0, files: new Map() };
}

/** Longer lines are minified code or data. */
const lineLimit = 400;
/** The most lines of a comment above a declaration, and of its parameters. */
const aboveLimit = 40;
const parameterLimit = 120;

/** Adds what one file says of names. */
export function addFacts(
  facts: Map<string, NameFacts>,
  { snapshot, path, lines }: { snapshot: Snapshot; path: string; lines: readonly string[] },
): void {
  const language = languageOf(path);
  const { tag, family } = language;
  if (family === "none" || family === "markdown" || family === "rst") return;
  const isInterface = /\.d\.[cm]?ts$|\.pyi$/.test(path);
  const quoted = linesWithinStrings(language, lines);
  let definitions: ReturnType<typeof findDefinitions> | undefined;
  let isWithinComment = false;
  for (const [index, text] of lines.entries()) {
    const wasWithin: boolean = isWithinComment;
    isWithinComment = hasComments(family) && endsWithinComment(text, wasWithin);
    if (wasWithin || comment.test(text) || quoted.has(index)) continue;
    for (const name of wordsOf(text)) {
      const fact = facts.get(name);
      if (fact === undefined) continue;
      const declared = text.length > lineLimit ? undefined : declarationAt(name, index);
      if (declared === undefined) fact.mentions++;
      else fact.declared.push(declared);
      if (!fact.files.has(path) && !isRenamed(name, text)) fact.files.set(path, index + 1);
    }
  }

  function declarationAt(name: string, index: number): Declaration | undefined {
    const text = lines[index] ?? "";
    const line = index + 1;
    definitions ??= findDefinitions(path, lines);
    const definition = definitions.find((one) => one.line === line && lastPart(one.name) === name);
    if (definition === undefined && !isMemberLine(text, { name, family, isInterface })) return undefined;
    const scopes = definitionsAround({ startLine: line, endLine: line }, definitions);
    // What a function assigns is its own; its parameters end with a comma.
    const within = lines[(scopes.at(-1)?.startLine ?? 0) - 1] ?? "";
    const isOfModule = /^\s*def __getattr__\(/.test(within) && servedName.test(text);
    const isWithinFunction = /^\s*(?:async\s+)?def\s/.test(within);
    if (!isOfModule && definition === undefined && isWithinFunction && !/,\s*(?:#.*)?$/.test(text)) return undefined;
    const around = scopes.map((one) => lastPart(one.name));
    const own = escapeExpression(name);
    const written =
      family === "go"
        ? undefined
        : new RegExp(String.raw`([\w$]+)(?:\.prototype)?\s*(?:\.|::|#)\s*${own}(?![\w$])`).exec(text)?.[1];
    const defined = new RegExp(String.raw`\(\s*([\w$]+)\s*,\s*['"]${own}['"]`).exec(text)?.[1];
    const receiver = /^\s*func\s+\(\w*\s*\*?(\w+)/.exec(text)?.[1];
    return {
      snapshot,
      path,
      line,
      text,
      owners: [...around, written, defined, receiver]
        .filter((owner) => owner !== undefined)
        .filter((owner) => owner !== "exports"),
      // What follows a class is what it is based on.
      ...(/^\s*(?:export\s+)?class\s/.test(text)
        ? { parameters: undefined, returns: [] }
        : signatureOf(name, lines, index, tag)),
      isDeprecated: isDeprecated(lines, index, isOfModule ? line + servedLines : definition?.endLine),
      isParameter: definition === undefined && (isWithinFunction || isInterface) && endsParameter(text, lines[line]),
    };
  }
}

function endsParameter(text: string, next = ""): boolean {
  return /,\s*(?:#.*)?$/.test(text) || /^\s*\)/.test(next);
}

/** A name that a module of Python gives only when it is asked for, often with a warning in the next lines. */
const servedName = /^\s*(?:el)?if\s+\w+\s*==\s*['"]/;
const servedLines = 8;

/** `name as other`: what the file has is the other one. */
function isRenamed(name: string, text: string): boolean {
  const own = escapeExpression(name);
  return new RegExp(String.raw`(?<![\w$])${own}\s+as\s+(?!${own}\b)`).test(text);
}

function hasComments(family: string): boolean {
  return !["python", "ruby", "shell", "lua", "sections"].includes(family);
}

/** Whether a line ends within a comment that began on it or before. */
function endsWithinComment(text: string, isWithin: boolean): boolean {
  const start = text.lastIndexOf("/*");
  const end = text.lastIndexOf("*/");
  if (start === -1 && end === -1) return isWithin;
  return start > end && /^\s*\/\*/.test(text);
}

const comment = /^\s*(?:\/\/|\/\*|\*(?!\w)|#(?!\s*\[)|--|<!--)/;

function wordsOf(text: string): Set<string> {
  return new Set(text.match(/[A-Za-z_$][\w$]*/g));
}

function lastPart(name: string): string {
  return name.split(/[.:#]/).at(-1) ?? name;
}

/** Members that are declared without a body, what is exported by a list, and fields, by the family of the language. */
const memberForms: Readonly<Record<string, (own: string, isInterface: boolean) => string>> = {
  script: (own, isInterface) =>
    String.raw`^\s*(?:(?:public|protected|static|abstract|readonly|declare|get|set|async)\s+)*${own}\??\s*(?:<[^=]*>)?\s*[${isInterface ? "(:" : ":"}](?!:)|^\s*(?:module\.)?exports\.${own}\s*=|^\s*[\w$]+\s+as\s+${own},?\s*$|^\s*(?:export|import)\b.*\bas\s+${own}\b|^\s*export\s*(?:type\s*)?\{[^}]*\b${own}\b|^\s*${own},?$|^(?:[\w$]+\.)+${own}\s*=[^=]|define(?:Getter|Property)\([^)]*['"]${own}['"]`,
  python: (own) =>
    String.raw`^\s*${own}\s*(?::[^=]+)?=[^=]|^\s*${own}\s*:\s*\S|^\s*['"]${own}['"],?$|\bas\s+${own}\b|^\s*(?:el)?if\s+\w+\s*==\s*['"]${own}['"]`,
  go: (own) => String.raw`^\s+${own}\s*(?:\(|[\w*[\].]+\s*(?:${"`"}|$|//))|^\s+${own}\s*(?:=|$)`,
  rust: (own) => String.raw`^\s*pub\s+${own}\s*:|\bas\s+${own}\b|^\s*pub\s+use\s.*\b${own}\b|^\s*${own}\s*(?:[({,]|=>)`,
  class: (own) => String.raw`^\s+[\w<>\[\],.?@ ]+\s${own}\s*(?:[(;=]|$)|^\s+${own}\s*(?:\(|,|;)`,
};

function isMemberLine(
  text: string,
  { name, family, isInterface }: { name: string; family: string; isInterface: boolean },
): boolean {
  const form = memberForms[family]?.(escapeExpression(name), isInterface);
  return form !== undefined && new RegExp(form).test(text);
}

/** Whether a comment or a mark above it, or its first lines, say that it is deprecated. */
function isDeprecated(lines: readonly string[], index: number, endLine: number | undefined): boolean {
  let isInMark = false;
  for (let at = index - 1; at >= Math.max(0, index - aboveLimit); at--) {
    const line = lines[at] ?? "";
    // A mark may have arguments over several lines.
    if (/^\s*\)/.test(line)) isInMark = true;
    const isMark = /^\s*[@#[]/.test(line);
    if (!isInMark && !isMark && !comment.test(line) && !/\*\/\s*$/.test(line)) break;
    if (deprecation.test(line)) return true;
    if (isMark) isInMark = false;
  }
  const body = lines.slice(index, Math.min(endLine ?? index + 1, index + 12));
  return body.some((line, at) => (at > 0 || /deprecat\w*\s*\(|\.\s*deprecate/i.test(line)) && warned.test(line));
}

const deprecation = /@deprecated\b|#\[deprecated|\bDeprecated:|\.\. deprecated::|@Deprecated\b|@(?:\w+\.)?deprecated\(/;
const warned =
  /deprecat\w*\s*\(|\.deprecate\b|DeprecationWarning|Deprecated(?:Since|In)\w+|\.\. deprecated::|@deprecated\b/i;

/**
 * The parameters that follow the name, each by its own name, and the types after them. Of languages with the type first,
 * the whole text counts.
 */
function signatureOf(
  name: string,
  lines: readonly string[],
  index: number,
  tag: string,
): Pick<Declaration, "parameters" | "returns" | "results"> {
  const text = lines.slice(index, index + parameterLimit).join(tag === "go" ? "\n" : " ");
  const found = new RegExp(
    String.raw`(?<![\w$])${escapeExpression(name)}(?![\w$])\s*(?:[?!]?\s*(?:<[^()]*?>|\[[^\]()]*\])?\s*\(|[:=]\s*(?:async\s+)?(?:function\b[^(]*)?\()`,
  ).exec(text);
  // A function of the same name in the next lines is another one.
  const start = found !== null && found.index <= (lines[index] ?? "").length ? found : null;
  const first = start === null ? 0 : start.index + start[0].length;
  const inside = start === null ? undefined : untilClosed(text.slice(first));
  if (inside === undefined)
    return {
      parameters: undefined,
      returns: typesIn(
        /^\s*(?:(?:export|declare|const|let|var|readonly|static)\s+)*[\w$]+\??\s*:([^=]*)/.exec(
          lines[index] ?? "",
        )?.[1],
      ),
    };
  const parameters = partsOf(inside, tag)
    .map((part) => part.replace(/\/\*.*?\*\//g, "").trim())
    .filter((part) => part !== "" && !/^(?:&?\s*(?:'\w+\s+)?(?:mut\s+)?self|cls|this\b.*|\/|\*)$/.test(part))
    .map((part) => parameterName(part, tag));
  const isTypeFirst = tag === "java" || tag === "csharp";
  const after = returnForms[tag]?.exec(text.slice(first + inside.length))?.[1];
  const returns = typesIn(isTypeFirst ? text.slice(0, start?.index) : after);
  if (tag !== "go") return { parameters, returns };
  const results = partsOf((after ?? "").replace(/^\s*\(|\)\s*$|\/\/.*/g, ""), tag).filter((part) => part.trim() !== "");
  return { parameters, returns, results: results.map((part) => parameterName(part.trim(), tag)) };
}

function partsOf(list: string, tag: string): string[] {
  return tag === "go" ? withTypes(splitParameters(list)) : splitParameters(list);
}

/** What follows the parameters, by the tag of the language: `-> DataFrame:`, `): Model {`, `) (API, error) {`. */
const returnForms: Readonly<Record<string, RegExp>> = {
  python: /^\)\s*->\s*([^:]*)/,
  rust: /^\)\s*->\s*([^{;]*)/,
  go: /^\)([ \t]*\([^)]*\)|[^{\n]*)/,
  ts: /^\)\s*:\s*([^{;]*)/,
  tsx: /^\)\s*:\s*([^{;]*)/,
};

/** The names of types in a text: they begin with a capital letter. */
function typesIn(text: string | undefined): string[] {
  return text?.slice(0, typeLimit).match(/(?<![\w$])[A-Z][\w$]*/g) ?? [];
}

/** The most characters of a type. */
const typeLimit = 200;

/** Further arguments by name, as `**kwargs` takes them. */
export const furtherNames = "**";

function parameterName(part: string, tag: string): string {
  // What takes any number of arguments takes none.
  const further = part.includes("...") ? "?" : "";
  if (tag === "java" || tag === "csharp") {
    return (
      part
        .replace(/@\w+(?:\([^)]*\))?\s*/g, "")
        .replace(/\s+\w+$/, "")
        .replace(/\s+/g, " ") + further
    );
  }
  if (tag === "go") return part.replace(/^\w+\s+(?=\S)/, "") + further;
  if (part.startsWith("**")) return `${furtherNames}?`;
  const isOptional = /^[\w$]+\s*\?|=(?!>)|^\s*(?:\.\.\.|\*)/.test(part);
  const own = /[\w$]+/.exec(part.replace(/^(?:mut|readonly|public|private|protected)\s+/, ""))?.[0] ?? part;
  return isOptional ? `${own}?` : own;
}

/** Of `a, b string` in Go both have the type, where any has a name. */
function withTypes(parts: readonly string[]): string[] {
  const isNamed = parts.some((part) => /^\s*\w+\s+\S/.test(part));
  let type = "";
  return parts
    .toReversed()
    .map((part) => {
      const isAlone = isNamed && /^\s*\w+\s*$/.test(part);
      type = isAlone ? type : part.replace(/^\s*\w+\s+/, "");
      return isAlone ? `${part} ${type}` : part;
    })
    .toReversed();
}

function untilClosed(text: string): string | undefined {
  let depth = 1;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "(" || character === "[" || character === "{") depth++;
    else if (character === ")" || character === "]" || character === "}") depth--;
    if (depth === 0) return text.slice(0, at);
  }
  return undefined;
}

/** The parts between the commas that are in no brackets. */
function splitParameters(text: string): string[] {
  const parts: string[] = [""];
  let depth = 0;
  let before = "";
  for (const character of text) {
    if ("([{<".includes(character)) depth++;
    else if (")]}".includes(character) || (character === ">" && before !== "=" && before !== "-")) depth--;
    if (character === "," && depth === 0) parts.push("");
    else parts.push((parts.pop() ?? "") + character);
    before = character;
  }
  return parts;
}
