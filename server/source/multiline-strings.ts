import type { Language } from "./languages.ts";

/**
 * The 0-based numbers of lines that begin within a string: a raw string, a heredoc, a template literal or a triple-quoted
 * string. None after a string whose end is not found, because it may be no string.
 */
export function linesWithinStrings(language: Language, lines: readonly string[]): ReadonlySet<number> {
  const within = new Set<number>();
  const syntax = byTag[language.tag] ?? byTag[language.family];
  if (syntax === undefined || !lines.some((line) => syntax.hint.test(line))) return within;
  const text = lines.join("\n");
  let line = 0;
  let lineStart = 0;
  // The tokens are tried at each place, so that a quote in a comment or another string opens none.
  const tokens = new RegExp(`${syntax.skipped}|${syntax.opening}`, "g");
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [token] = found;
    const end = found.groups?.["open"] === undefined ? undefined : syntax.endOf(found.groups, text, tokens.lastIndex);
    if (end === -1) return within;
    tokens.lastIndex = Math.max(end ?? tokens.lastIndex, found.index + Math.max(1, token.length));
    if (end === undefined) continue;
    for (; lineStart <= end && line < lines.length; line++) {
      if (lineStart > found.index) within.add(line);
      lineStart += (lines[line]?.length ?? 0) + 1;
    }
  }
  return within;
}

interface Syntax {
  /** What some line of a file with such strings has. */
  hint: RegExp;
  /** Comments, and strings of a line. */
  skipped: string;
  /** The beginning of a longer string; `open` is the group that has what its end depends on. */
  opening: string;
  /** Where it ends, from a place in it on; -1 if it does not. */
  endOf(groups: Readonly<Record<string, string | undefined>>, text: string, from: number): number;
}

const slashes = String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`;
const hashes = String.raw`(?<![^\s;])#[^\n]*`;
const single = String.raw`'(?:[^'\\\n]|\\.)*'`;
const quoted = String.raw`"(?:[^"\\\n]|\\.)*"|${single}`;

/** A string that ends with the mark that it begins with. */
const sameMark: Syntax["endOf"] = ({ open = "" }, text, from) => after(text, open, from);
/** A heredoc ends with a line of its word. */
const heredoc: Syntax["endOf"] = ({ open = "" }, text, from) => afterMatch(text, `\\n[ \\t]*${open}\\b`, from);

/** The rules of each language, under its tag or the name of its family. */
const byTag: Readonly<Record<string, Syntax>> = {
  script: {
    hint: /`/,
    // A regular expression follows what no value can end with.
    skipped: `${slashes}|${quoted}|${String.raw`(?<=(?:^|[(,=:[!&|?{};\n]|\breturn|=>)\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,200}\/`}`,
    opening: "(?<open>`)",
    endOf: (_, text, from) => afterTemplate(text, from),
  },
  python: triple(hashes),
  class: triple(slashes),
  ruby: { ...triple(hashes), ...withHeredocs(String.raw`<<[~-](?<quote>["'\`]?)(?<open>\w+)\k<quote>`) },
  elixir: triple(hashes),
  julia: triple(hashes),
  sections: triple(hashes),
  shell: withHeredocs(String.raw`(?<!<)<<-?[ \t]*\\?(?<quote>["']?)(?<open>[A-Za-z_]\w*)\k<quote>`),
  php: {
    ...withHeredocs(String.raw`<<<[ \t]*(?<quote>["']?)(?<open>\w+)\k<quote>`),
    skipped: `${slashes}|${hashes}|${quoted}`,
  },
  powershell: {
    hint: /@["']/,
    skipped: `${hashes}|${String.raw`<#[^]*?(?:#>|$)`}`,
    opening: String.raw`@(?<open>["'])(?=\n)`,
    endOf: ({ open = "" }, text, from) => after(text, `\n${open}@`, from),
  },
  go: { hint: /`/, skipped: `${slashes}|${quoted}`, opening: "(?<open>`)", endOf: sameMark },
  rust: {
    hint: /r#*"/,
    skipped: `${slashes}|${String.raw`'(?:[^'\\\n]|\\[^\n']+|\\')'|(?<!\br#*)"(?:[^"\\]|\\[^])*"`}`,
    opening: String.raw`\br(?<open>#*)"`,
    endOf: ({ open = "" }, text, from) => after(text, `"${open}`, from),
  },
  c: {
    hint: /R"/,
    skipped: `${slashes}|${quoted}`,
    opening: String.raw`R"(?<open>[^()\s\\]{0,16})\(`,
    endOf: ({ open = "" }, text, from) => after(text, `)${open}"`, from),
  },
  csharp: {
    hint: /"""|@\$?"/,
    skipped: `${slashes}|${String.raw`(?<!["@$])"(?!"")(?:[^"\\\n]|\\.)*"|${single}`}`,
    opening: String.raw`(?<open>"{3,}|@\$?"|\$@")`,
    endOf: ({ open = "" }, text, from) =>
      open.startsWith('"') ? after(text, open, from) : afterMatch(text, '(?<=(?:[^"]|^)(?:"")*)"(?!")', from),
  },
  lua: {
    hint: /\[=*\[/,
    skipped: `${String.raw`--(?!\[=*\[)[^\n]*`}|${quoted}`,
    opening: String.raw`\[(?<open>=*)\[`,
    endOf: ({ open = "" }, text, from) => after(text, `]${open}]`, from),
  },
  sql: {
    hint: /\$\w*\$/,
    skipped: String.raw`--[^\n]*|'[^'\n]*'`,
    opening: String.raw`(?<open>\$\w*\$)`,
    endOf: sameMark,
  },
};

function triple(comments: string): Syntax {
  const plain = String.raw`"(?!"")(?:[^"\\\n]|\\.)*"|'(?!'')(?:[^'\\\n]|\\.)*'`;
  return {
    hint: /"""|'''/,
    skipped: `${comments}|${plain}`,
    opening: `(?<open>"""|''')`,
    endOf: sameMark,
  };
}

function withHeredocs(opening: string): Syntax {
  return { hint: /<</, skipped: `${hashes}|${quoted}`, opening, endOf: heredoc };
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at === -1 ? -1 : at + end.length;
}

function afterMatch(text: string, end: string, from: number): number {
  const pattern = new RegExp(end, "g");
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Where a template literal ends; its expressions may have others. */
function afterTemplate(text: string, from: number): number {
  // Each open template has an entry: how many braces are open in its expression, or -1 in its text.
  const open = [-1];
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    const depth = open.at(-1) ?? -1;
    if (character === "\\") at++;
    else if (character === "`" && depth === -1) open.pop();
    else if (character === "`") open.push(-1);
    else if (depth === -1 && character === "$" && text[at + 1] === "{") {
      open[open.length - 1] = 1;
      at++;
    } else if (depth > 0 && character === "{") open[open.length - 1] = depth + 1;
    else if (depth > 0 && character === "}") open[open.length - 1] = depth === 1 ? -1 : depth - 1;
    if (open.length === 0) return at + 1;
  }
  return -1;
}
