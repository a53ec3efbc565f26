import { type Family, languageOf } from "./languages.ts";

/** Expressions that recognise definitions by single lines. Each captures the name. */
export interface Grammar {
  patterns: readonly RegExp[];
  /** Also matches calls; a definition only if a `{` follows the closing parenthesis. */
  signature?: RegExp;
  /** Declarations in a group, by the first line of the group. */
  group?: { head: RegExp; pattern: RegExp };
}

/** Modifiers before a definition, and keywords whose parenthesis is not a signature. */
const modifiers =
  "(?:public|private|protected|internal|static|final|abstract|sealed|open|data|inner|override|async|partial|readonly|" +
  "const|inline|suspend|export|default|fileprivate|mutating|lazy|implicit|case|companion|external|virtual|unsafe|" +
  "synchronized|native|extern|required|convenience|class|func(?=\\s+\\())\\s+";
const notCalls =
  "(?!(?:if|for|foreach|while|switch|catch|return|function|with|do|else|new|throw|await|yield|using|lock|synchronized|super|when|try|typeof|delete|case|in|of|not|and|or|assert|sizeof|" +
  "const|echo|print|clone|guard|is|as|to|by|extends|implements|throws|out|ref|defer|include|include_once|require|require_once|instanceof|goto|raise|emit|step|until|downTo|xor|unset)\\b)";

/** What may precede the name of a type in C++: macros, attributes, alignment. */
const attribute =
  "(?:[A-Z][A-Z0-9_]+(?:\\([^()]*\\))?|\\[\\[[^\\]]*\\]\\]|(?:alignas|__declspec|__attribute__)\\s*\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\))(?=\\s+(?!final\\b)[\\w[])";
/** Statements of C and C++ that may be followed by a parenthesis and a body. */
const notSignatures =
  "(?!(?:return|else|if|for|while|switch|case|do|catch|new|delete|throw|goto|using|typedef|co_\\w+)\\b)";

/** The line grammar of each family of languages. */
export const grammars: Readonly<Record<Exclude<Family, "none" | "markdown" | "rst">, Grammar>> = {
  script: {
    patterns: [
      // function f, class C, interface I, type T =
      /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\b\s*\*?|class|interface|type|(?:const\s+)?enum|namespace|module)\s+([\w$]+)(?=\s*[<({=]|\s+(?:extends|implements)\b|\s*$)/,
      // const X = …, at the top level
      /^(?:export\s+)?(?:declare\s+)?(?:const|let|var)\s+([\w$]+)\s*[:=](?!\s*(?:await\s+import|require|import)\b)/,
      // const f = () => …, at any level
      /^\s*(?:const|let|var)\s+([\w$]+)\b[^=]*=\s*(?:async\s*)?(?:function\b|class\b|\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)/,
      // app.use = function …, C.prototype.m = …
      /^\s*(?:[\w$]+\.)+([\w$]+)\s*=\s*(?:[\w$]+(?:\.[\w$]+)*\s*=\s*)?(?:async\s*)?(?:function\b|class\b|\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)/,
      // m: function …, m = () => … in a class
      /^\s+(?:(?:public|private|protected|static|override|readonly)\s+)*(#?[\w$]+)\s*[:=]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)/,
    ],
    signature: new RegExp(
      `^\\s+(?:(?:public|private|protected|static|async|override|readonly|get|set|abstract|declare)\\s+)*\\*?${notCalls}(#?[\\w$]+)\\??\\s*(?:<[^>]*>)?\\((?:$|[^()]*(?:\\([^()]*\\)[^()]*)*\\)\\s*(?::[^={]+)?\\{)`,
    ),
  },
  python: { patterns: [/^\s*(?:async\s+)?(?:c?p?def|class)\s+(\w+)/, /^([A-Za-z_]\w*)\s*(?::[^=]+)?=(?!=)/] },
  go: {
    patterns: [/^func\s+(?:\([^)]*\)\s*)?(\w+)/, /^type\s+(\w+)/, /^(?:var|const)\s+(\w+)/],
    group: { head: /^type\s*\(/, pattern: /^\t(\w+)(?:\[[^\]]*\])?\s+\S/ },
  },
  rust: {
    patterns: [
      /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?(?:extern\s+"[^"]*"\s+)?(?:fn|struct|enum|trait|union|mod|type|static|const|macro_rules!)\s+(?:mut\s+)?(\w+)/,
      /^\s*(?:unsafe\s+)?impl(?:<.*?>)?\s+(?:.*\sfor\s+)?&?(?:\w+::)*(\w+)/,
    ],
  },
  c: {
    patterns: [
      // struct s, class EXPORTED c, enum class e: type
      new RegExp(
        `^\\s*(?:template\\s*<[^;]*>\\s*)?(?:typedef\\s+)?(?:struct|enum(?:\\s+(?:class|struct))?|union|class|namespace)\\s+(?:${attribute}\\s+)*(\\w+)[^;()]*(?:\\{.*)?$`,
      ),
      /^\s*#\s*define\s+(\w+)/,
      /^@(?:interface|implementation|protocol)\s+(\w+)/,
      // using name = …; typedef … name;
      /^\s*using\s+(\w+)\s*=/,
      /^\s*typedef\b[^;{}()]*?\b(\w+)\s*(?:\[\w*\]\s*)*;/,
      // static const int n = …, also within a class; const int n = … at the top level
      /^(?:\s*(?=(?:inline\s+|static\s+|constexpr\s+)*static\b)|(?:inline\s+|static\s+)*(?=const))(?:inline\s+|static\s+)*(?:const|constexpr)\b[\w\s:<>,*&]*?\b(?!operator\b)(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=(?!=)|\{)/,
    ],
    // At the top level the type may be missing: `A::A(int a)`, `TEST(name)`.
    signature: new RegExp(
      `^(?:${notSignatures}|\\s+${notSignatures}(?=[\\w:]+(?:\\s*<[^;()]*>)?[\\s*&]+[\\w\\s*&:<>,~]*\\w\\s*\\())` +
        "(?:[A-Za-z_][\\w\\s*&:<>,~]*?(?:[\\s*&]|>(?:::)?))?([A-Za-z_~][\\w:~]*)\\s*\\((?:[^;]*$|[^;{]*\\{.*$)",
    ),
  },
  class: {
    patterns: [
      new RegExp(
        `^\\s*(?:@\\w+(?:\\([^)]*\\))?\\s+)*(?:${modifiers})*(?:class|interface|enum|record|trait|object|struct|protocol|extension|namespace|message|service|rpc|typealias|type|union|input|scalar|@interface)\\s+(?:class\\s+)?(\\w+)`,
      ),
      new RegExp(
        `^\\s*(?:@\\w+\\s+)*(?:${modifiers})*(?:fun|func|def|function|fn)\\s+(?:<[^>]*>\\s*)?(?:[\\w.<>?]+\\.)?&?(\\w+)`,
      ),
      new RegExp(
        `^\\s+(?:@\\w+(?:\\([^)]*\\))?\\s+)*(?:${modifiers})*(?:<[^>]*>\\s+)?${notCalls}[\\w.]+(?:<.*?>)?(?:\\[\\])*\\??\\s+${notCalls}(\\w+)\\s*\\((?:[^;]*|[^;{]*\\{.*)$`,
      ),
      new RegExp(`^\\s+(?:(?:public|private|protected|internal)\\s+)${notCalls}(\\w+)\\s*\\((?:[^;]*|[^;{]*\\{.*)$`),
    ],
  },
  ruby: {
    patterns: [
      /^\s*(?:private\s+|public\s+|protected\s+)?(?:def|defp|defmacro|defmodule|class|module)\s+(?:self\.)?([\w.:!?=]+)/,
    ],
  },
  shell: { patterns: [/^\s*(?:function\s+)?([\w:-]+)\s*\(\)\s*\{?/, /^\s*function\s+([\w:-]+)/i] },
  lua: { patterns: [/^\s*(?:local\s+)?function\s+([\w.:!]+)/, /^\s*(?:mutable\s+)?(?:struct|macro|module)\s+(\w+)/] },
  // The name starts and ends with a non-space: otherwise matching takes cubic time in the number of spaces.
  sections: { patterns: [/^\s*\[+\s*([^\][\s](?:[^\]]*[^\]\s])?)\s*\]+\s*(?:[#;].*)?$/] },
  sql: {
    patterns: [
      /^\s*create\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|index|trigger|type)\s+(?:if\s+not\s+exists\s+)?[`"[]?([\w.]+)/i,
    ],
  },
};

/** Returns a test for import lines, which only name definitions of other files. */
export function importTest(path: string): (line: string) => boolean {
  return isCode(path) ? (line) => importLine.test(line) : () => false;
}

/** Also `exports.parse = parse`, which defines nothing new. */
const importLine =
  /^\s*(?:import\b(?!\s*\()|from\s+\S+\s+import\b|export\s*(?:\*|(?:type\s*)?\{[^}]*\})[^;]*\bfrom\b|(?:const|let|var)\b[^=]*=\s*require\(|(?:pub\s+)?use\s+[\w:\\]|using\s+[\w.]+;|#\s*include\b|(?:module\.)?exports\.[\w$]+\s*=\s*(?:require\(|[\w$.]+;?$))/;

/** The same for a line of a file by its 1-based number: also for the lines of an import over several lines. */
export function importLineTest(path: string, lines: readonly string[]): (number: number) => boolean {
  if (!isCode(path)) return () => false;
  const lists = importLists(lines);
  return (number) => lists.has(number - 1) || importLine.test((lines[number - 1] ?? "").trimEnd());
}

/** A test for lines that say nothing about the code, by their 1-based number: imports, and the licence above it all. */
export function boilerplateTest(path: string, lines: readonly string[]): (number: number) => boolean {
  const isImport = importLineTest(path, lines);
  const licence = isCode(path) ? licenceLines(lines) : undefined;
  if (licence === undefined) return isImport;
  return (number) => isImport(number) || (number >= licence.startLine && number <= licence.endLine);
}

/** The lines from where the first comment of a file names its licence to the end of that comment. */
function licenceLines(lines: readonly string[]): { startLine: number; endLine: number } | undefined {
  const start = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#!"));
  const isBlock = /^\s*(?:\/\*|<!--)/.test(lines[start] ?? "");
  const rest = lines.slice(start, start + licenceLimit);
  const last = rest.findIndex((line) =>
    isBlock ? /\*\/|-->/.test(line) : !/^\s*(?:\/\/|#(?!\s*include)|--|;|%)/.test(line),
  );
  const comment = rest.slice(0, last === -1 ? rest.length : last + (isBlock ? 1 : 0));
  const named = comment.findIndex((line) => /\b(?:copyright|licen[cs]ed?|spdx)\b/i.test(line));
  return start === -1 || named === -1 ? undefined : { startLine: start + named + 1, endLine: start + comment.length };
}

const licenceLimit = 60;

function isCode(path: string): boolean {
  const { family } = languageOf(path);
  return family !== "none" && family !== "markdown" && family !== "rst" && family !== "sections";
}

/** The indexes of lines that belong to multi-line imports. */
function importLists(lines: readonly string[]): Set<number> {
  const found = new Set<number>();
  for (const [index, line] of lines.entries()) {
    if (found.has(index) || !/^(?:import|export|from|const|let|var)\b[^;'"]*[{(]\s*$/.test(line)) continue;
    const length = lines.slice(index, index + importLimit).findIndex((text) => /^[)}]/.test(text));
    const last = lines[index + length] ?? "";
    const isImport =
      /^(?:import\b|from\s.*\bimport\b)/.test(line) ||
      /^\}\s*(?:from\b|=\s*(?:await\s+)?(?:require|import)\()/.test(last);
    if (length > 0 && isImport) for (let next = index; next <= index + length; next++) found.add(next);
  }
  return found;
}

const importLimit = 80;
