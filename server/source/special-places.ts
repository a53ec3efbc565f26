import type { LineRange } from "../protocol/citation.ts";
import { languageOf } from "./languages.ts";
import { changesPath, guidancePath } from "./lesser-path.ts";
import { translatedDocument } from "./translated-path.ts";
import type { SpecialPlace } from "./special-place.ts";
import { usualPlace } from "./usual-places.ts";
import { splitIdentifier, stopWords, wordsIn } from "./words.ts";

const optionStart = String.raw`^\W{0,12}(?:[A-Z]{2}\W{1,4})?(?:[\w.]{1,40}\(\W{0,3})?(?:\\?-\w\W{1,6})?(?:\\?-){2}`;

/**
 * The special place that a question asks for: an option such as `--color`, a documented name, or what is in a file with
 * a usual name.
 * @param own the words of the resources' names, which are no names of settings
 */
export function specialPlace(text: string, own: ReadonlySet<string>): SpecialPlace | undefined {
  const options = text.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? [];
  const [option] = options.toSorted((a, b) => Number(aliases.test(text)) * (b.length - a.length));
  if (option === undefined) {
    const asked = nameAsked(withoutProgram(text, own));
    const isOwn = asked === undefined || own.has(asked.name.toLowerCase());
    return usualPlace(text, own) ?? (isOwn ? undefined : documented(asked));
  }
  // Others are messages that name an option.
  if (options.length > 2 || !(asksForOption.test(text) || commandWithOption.test(text))) return undefined;
  const written = option.replaceAll("-", String.raw`\\?-`);
  const isLong = option.startsWith("--");
  const start = isLong
    ? `${optionStart}${written.slice(2 * String.raw`\\?-`.length)}`
    : String.raw`^(?:\W|\\f[A-Z]){0,12}${written}`;
  const name = option.replace(/^--?/, "");
  const quote = `["']`;
  return {
    pattern: `${start}(?![\\w-])`,
    files: [],
    reason: `documents \`${option}\``,
    height: 12,
    end: `${optionStart}\\w|^\\s*$|^\\.TP`,
    near: wordsIn(text.toLowerCase()),
    declaration: isLong
      ? `${quote}(?:-\\w[ ,|]+)?(?:--)?${name}(?:[ =][^"']*)?${quote}\\s*(?:[,)]|$)`
      : `${quote}${option}${quote}\\s*,|\\w+P\\(.{0,60},\\s*"${name}",|\\bshort(?:_name)?\\W{1,4}${name}["']`,
  };
}

const asksForOption = /^\W*(?:what|which|how|is|does|explain|describe|--?)/i;
/** A command with an option and its value, and nothing else: "tool run --watch ?". */
const commandWithOption = /^\W*(?:[\w.-]+\s+){1,3}--?\w[\w-]*(?:[ =][^\s?]+)?\s*(?:[?,]\s*(?:what .*)?)?$/i;
/** Two forms of one option: "-z / --search-zip". */
const aliases = /(?<![\w-])(?:-\w\s*(?:[,/|]|or)\s*--[\w-]+|--[\w-]+\s*(?:[,/|]|or)\s*-\w\b)/;

/** "What does the install command do", for "what does shop install do". */
function withoutProgram(text: string, own: ReadonlySet<string>): string {
  const [, program = "", command] = /^\W*what does ((?:[\w.-]+ ){1,3})([a-z][\w-]*) do\W*$/i.exec(text) ?? [];
  const isProgram = program
    .trim()
    .split(" ")
    .every((word) => own.has(word.toLowerCase()));
  return command !== undefined && isProgram ? `what does the ${command} command do` : text;
}

/**
 * The name that a question asks to explain: `lock` in "what does the lock setting do" and in "lock?". Whatever a command
 * or a rule is called, it may have a file of its own.
 */
function nameAsked(text: string): { name: string; hasFile: boolean } | undefined {
  const [, name, noun] =
    /^\W*(?:(?:what(?:['’]?s| is| does| do)?|explain)\s+)?(?:the\s+)?[`'"“]?([\w$][\w$.:-]*[\w$])[`'"”]?(?:\s*[:=]\s*[\w"'\x60-]+)?(?:\s+(option|setting|flag|(?:sub)?command|rule|cop|plugin|parameter|argument|field|property|key|variable|directive|filter|builtin))?(?:\s+(?:do|for|mean|control|change|affect))?\s*(?:$|[?,]|and\b)/i.exec(
      text,
    ) ?? [];
  if (name === undefined) return undefined;
  const hasFile = noun !== undefined && /^(?:(?:sub)?command|rule|cop|plugin|directive|filter|builtin)$/i.test(noun);
  const isAsked = noun !== undefined || /\?|\b(?:do|change|affect)\b/.test(text) || /^\W*[\w$.:-]+\W*$/.test(text);
  return isAsked && (hasFile || !stopWords.has(name.toLowerCase())) ? { name, hasFile } : undefined;
}

/** The entry of a name in a document: its heading, the row of a table, the item of a list, the term of a definition. */
function documented({ name, hasFile }: { name: string; hasFile: boolean }): SpecialPlace {
  const written = name.replaceAll(/[$.]/g, String.raw`\$&`);
  return {
    pattern: String.raw`${entryStart}(?:[\w$]+[.#:]+)*${written}(?:\(.{0,40}\))?[\x60*_"')\]]{0,4}(?:</\w+>)?[\x60*]{0,2}\s*(?:$|[|:=<({—–#-]|\s{2}|\]\()`,
    files: documents,
    reason: `documents \`${name}\``,
    height: 24,
    isEntry: true,
    ...(hasFile ? { ownFile: { globs: filesAbout(name), forms: formsOf(written) } } : {}),
  };
}

/** Globs for a file about something of this name: `par-each.*`, `ParEach.*`, `where_.*`; of documents also `tool_up.md`. */
function filesAbout(name: string): string[] {
  const words = splitIdentifier(name).map((word) => word.toLowerCase());
  const capital = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  const [dashed, joined] = [words.join("-"), words.join("_")];
  const names = new Set([name, dashed, joined, words.join(""), capital, `${joined}_`]);
  return [...names]
    .map((one) => `${one}.*`)
    .concat(documents.slice(0, 5).map((end) => `*[_-]${dashed}${end.slice(1)}`));
}

const documents = ["*.md", "*.mdx", "*.markdown", "*.rst", "*.adoc", "*.[1-8]", "*.html"];
const entryStart = String.raw`^(?:[#=]{1,6}\s+|\s*[-*+]\s+|\s*\|\s*|\s*<(?:dt|td|th|h\d|li)[^>]*>\s*|\.(?:B|It|IP|SS|SH|TP)\s+)(?:<\w+>)?[\x60*_"'(\[]{0,4}`;

interface EntryForm {
  start: RegExp;
  /** The line after it. */
  end: RegExp;
  height: number;
}

const sectionForms: readonly EntryForm[] = [
  { start: /^#{1,6}\s/, end: /^#{1,6}\s/, height: 24 },
  { start: /^={1,6}\s/, end: /^={1,6}\s/, height: 24 },
];

/** Best first. */
const entryForms: readonly EntryForm[] = [
  ...sectionForms,
  { start: /^\s*<(?:dt|h\d)/, end: /^\s*<(?:dt|h\d|\/dl)/, height: 14 },
  { start: /^\s*<(?:td|th)/, end: /^\s*<(?:tr|\/tr|\/table)/, height: 8 },
  { start: /^\.\w/, end: /^\.(?:B|It|IP|SS|SH|TP)\b/, height: 14 },
  { start: /^\s*\|/, end: /^/, height: 1 },
  { start: /^\s*[-*+]\s/, end: /^\s*(?:[-*+]\s|$)|^#/, height: 8 },
];

/** How well a file fits, less is better; undefined for a page in another language. */
export function preferenceOf({ files, isEntry, ownFile }: SpecialPlace, path: string): number | undefined {
  if (translatedDocument.test(path.toLowerCase())) return undefined;
  if (isEntry === true) {
    // A README has "Install" and "Update" for the project, not for a command of that name.
    const isReadme = ownFile !== undefined && /(?:^|\/)readme[^/]*$/i.test(path);
    const isOfChanges =
      /(?:^|\/)(?:change|history|news|release|migrat|upgrad)(?:[^/.]*|[^/]*\.(?:mdx?|markdown|rst|adoc|html|txt))$/i;
    return isOfChanges.test(path) ? undefined : isReadme ? 2 : 0;
  }
  if (files.length > 0) {
    const index = files.findIndex((glob) => matches(glob, path));
    const isAny = files[index]?.startsWith("*.") === true;
    const lower = path.toLowerCase();
    const isOther = isAny && (changesPath.test(lower) || guidancePath.test(lower));
    // The README of a part speaks of that part.
    return isOther || (/readme[^/]*$/.test(lower) && distanceOf(path) > 0) ? undefined : index;
  }
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (manualPage.test(name) || /help|usage/i.test(name)) return 0;
  return /^(?:change|history|news)|\.(?:bash|elv|fish|nu|ps1|zsh|ya?ml|json|toml)(?:\.in)?$/i.test(name) ||
    changesPath.test(path.toLowerCase())
    ? 5
    : /^(?:markdown|rst|asciidoc)$/.test(languageOf(path).tag)
      ? 1
      : 2;
}

/** Matches the name of a page of a manual: `tool.1`, `tool.5.in`. */
export const manualPage = /\.[1-9](?:\.in)?$/;

/** How far a file is from the root, in folders, not counting those for what is said of the whole project. */
export function distanceOf(path: string): number {
  return path.replace(folderOfAll, "").split("/").length - 1;
}

const folderOfAll = /^(?:\.github(?:\/workflows)?|\.?docs?|guide|site)\//i;

function matches(glob: string, path: string): boolean {
  const pattern = `(?:^|/)${glob.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`;
  return new RegExp(pattern).test(path) || (isCapital(glob) && new RegExp(pattern, "i").test(path) && prose.test(path));
}

/** The globs for a usual name: a document may have it in small letters, too. */
export function globsOf(name: string): string[] {
  if (!isCapital(name)) return [name];
  const lower = name.toLowerCase();
  return [name, `[${name[0]}${lower[0]}]${lower.slice(1)}${proseFiles}`];
}

function isCapital(name: string): boolean {
  return /^[A-Z]+\*$/.test(name);
}

const proseFiles = ".{md,markdown,rst,adoc,txt}";
const prose = /\.(?:md|markdown|rst|adoc|txt)$/i;

/**
 * The lines of the place. The entry of an option has words that describe it; a list of completions has none.
 * `rank`: how well they fit, less is better.
 */
export function rangeIn(
  { pattern, best, height, end, files, isEntry, declaration, ownFile }: SpecialPlace,
  { lines: written, startLine }: { lines: readonly string[]; startLine: number },
): { range: LineRange; rank: number } | undefined {
  const first = new RegExp(pattern, files.length > 0 ? "i" : "");
  if (isEntry === true) {
    const entry = entryIn(first, { lines: written, startLine });
    const described = ownFile && ownIn(ownFile.forms, { lines: written, startLine });
    return described !== undefined && described.rank < (entry?.rank ?? Infinity) ? described : entry;
  }
  const lines = written.map((line, index) =>
    isUnderline(written[index + 1]) && /^\w/.test(line) ? `# ${line}` : line,
  );
  const section = files.length > 0 ? undefined : entryIn(first, { lines, startLine }, sectionForms);
  if (section !== undefined) return { ...section, rank: ofSection };
  let sentence: LineRange | undefined;
  const preferred = best === undefined ? -1 : lines.findIndex((line) => new RegExp(best, "i").test(line));
  for (const [start, text] of lines.entries()) {
    if (!first.test(text) || start < preferred) continue;
    const rest = lines.slice(start + 1, start + height);
    const isEnd = (line: string) => end !== undefined && new RegExp(end).test(line);
    // A heading may follow at once, as "Prerequisites" does "Getting started".
    const content = text.startsWith("#")
      ? rest.findIndex((line) => line.trim() !== "" && !isEnd(line) && !isUnderline(line))
      : -1;
    const stop = rest.findIndex((line, index) => index > content && isEnd(line));
    const own = stop === -1 ? rest : rest.slice(0, stop);
    const words =
      [text, ...own]
        .join(" ")
        .replaceAll(/(?:\\?-){1,2}[\w\\-]+/g, " ")
        .match(/[a-z]{2,}/gi) ?? [];
    if (files.length === 0 && words.length < leastWords) continue;
    const last = own.findLastIndex((line) => line.trim() !== "");
    const range = { startLine: startLine + introducedAt(lines, start), endLine: startLine + start + 1 + last };
    if (files.length > 0 || ownLine.test(text.replace(first, "")))
      return { range, rank: Number(best !== undefined && preferred === -1) };
    sentence ??= range;
  }
  const declared = declaration === undefined ? undefined : declaredIn(new RegExp(declaration), { lines, startLine });
  if (declared !== undefined) return { range: declared, rank: ofDeclaration };
  return sentence === undefined ? undefined : { range: sentence, rank: ofSentence };
}

/** The rank of a section about an option, which says more than a line of a list. */
const ofSection = -0.5;

const ofDeclaration = 0.5;

/** The rank of a sentence that begins with an option, such as an example: a declaration in any code says more. */
const ofSentence = 3;

/** How the file of a command or a rule says what it is, best first: a heading or title, its name in quotes, a definition. */
function formsOf(name: string): string[] {
  return [
    String.raw`^(?:#{1,6}|=+|title:)\s.*\b${name}\b`,
    String.raw`["']${name}(?:["']|\s+[A-Z[<{(])`,
    String.raw`^[\s\w]*\b(?:class|struct|def|type|func|function|fn|module|interface)\s.*\b${name}\b`,
  ];
}

function ownIn(forms: readonly string[], { lines, startLine }: { lines: readonly string[]; startLine: number }) {
  for (const [form, expression] of forms.entries()) {
    const at = lines.findIndex((line) => new RegExp(expression, form === 1 ? "" : "i").test(line));
    if (at === -1) continue;
    const comment = lines.slice(0, at).findLastIndex((line) => !/^\s*(?:\/\/|\/?\*|#|--|@)/.test(line)) + 1;
    const start = form === 2 ? comment : form === 1 ? Math.max(0, at - 2) : at;
    const end = Math.min(lines.length, start + linesOfOwn) - 1;
    return { range: { startLine: startLine + start, endLine: startLine + end }, rank: (form + 1) / 2 };
  }
  return undefined;
}

const linesOfOwn = 24;

/** The call or the object that declares an option, with a text of several words that describes it. */
function declaredIn(
  declaration: RegExp,
  { lines, startLine }: { lines: readonly string[]; startLine: number },
): LineRange | undefined {
  for (const [found, text] of lines.entries()) {
    if (!declaration.test(text)) continue;
    let start = found;
    while (start > 0 && found - start < mostAbove && /[(,{]\s*$/.test(lines[start - 1] ?? "")) {
      start--;
      if (/[({]\s*$/.test(lines[start] ?? "")) break;
    }
    let depth = 0;
    let isDescribed = false;
    for (const [index, line] of lines.slice(start, found + mostBelow).entries()) {
      depth += (line.match(/[([{]/g) ?? []).length - (line.match(/[)\]}]/g) ?? []).length;
      isDescribed ||= description.test(line.replace(declaration, " "));
      if (start + index >= found && isDescribed && depth <= 0)
        return { startLine: startLine + start, endLine: startLine + start + index };
      // A call that ends here describes nothing, unless it is one of a chain.
      const isLast = !/^\s*\./.test(lines[start + index + 1] ?? "");
      if (depth < 0 || (depth === 0 && isLast && start + index >= found && /\)[;,]?\s*$/.test(line))) break;
    }
  }
  return undefined;
}

const description = /["'\x60][^"'\x60]*[a-z]{2,}\s+[a-z]{2,}/i;
const mostAbove = 3;
const mostBelow = 14;

/**
 * The beginning of the sentence that a line goes on with, or that precedes the code block around it, or of that block; else
 * the line itself.
 */
function introducedAt(lines: readonly string[], at: number): number {
  const [text = "", previous = ""] = [lines[at], lines[at - 1]];
  if (/^\s*[a-z([]/.test(text) && /^\s*(?:[-*+]|\d+\.)?\s*[A-Z].*[^\s.:;!?]\s*$/.test(previous)) return at - 1;
  const fence = lines.slice(0, at).findLastIndex((line) => isFence(line));
  // A block that began further away, or ended before a blank line, is another one.
  const isInside = fence !== -1 && fence >= at - 3 && lines.slice(fence, at).every((line) => line.trim() !== "");
  if (!isInside || text.startsWith("#")) return at;
  const sentence = lines.slice(0, fence).findLastIndex((line) => line.trim() !== "");
  return sentence === -1 || sentence < fence - 2 || isFence(lines[sentence] ?? "") ? fence : sentence;
}

function isFence(line: string): boolean {
  return /^\s*(?:```|~~~)/.test(line);
}

function isUnderline(line: string | undefined): boolean {
  return line !== undefined && /^([=~^*+-])\1{2,}\s*$/.test(line);
}

/** What follows an option in its own entry: other names and values, and nothing or a gap. */
const ownLine =
  /^(?:[\x60'"*)\]}>]|\s?=?\s?\[?[<{[][^>}\]]*[>}\]]|[ =]"?[A-Z][\w.|-]*|,\s*[\x60'"*]*\\?-[\w\\-]+)*\s*(?:$|[,|:—–(]|-\s|\s{2}|\t)/;

/** The entry in the best form that has words beside the name. */
function entryIn(
  first: RegExp,
  { lines, startLine }: { lines: readonly string[]; startLine: number },
  forms = entryForms,
): { range: LineRange; rank: number } | undefined {
  const found = lines.flatMap((text, start) => {
    const form = forms.findIndex((one) => one.start.test(text));
    if (!first.test(text) || (form === -1 && forms === sectionForms)) return [];
    const { end, height } = forms[form] ?? { end: /^/, height: 1 };
    const rest = lines.slice(start + 1, start + height);
    const stop = rest.findIndex((line) => end.test(line));
    const own = stop === -1 ? rest : rest.slice(0, stop);
    const words = [text.replace(first, ""), ...own].join(" ").match(/[a-z]{2,}/gi) ?? [];
    const last = own.findLastIndex((line) => line.trim() !== "");
    const range = { startLine: startLine + start, endLine: startLine + start + 1 + last };
    return words.length < leastWords ? [] : [{ rank: form, range }];
  });
  return found.toSorted((a, b) => a.rank - b.rank)[0];
}

const leastWords = 4;
