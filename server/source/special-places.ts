import { languageOf } from "./languages.ts";
import { changesPath, guidancePath } from "./lesser-path.ts";
import { translatedDocument } from "./translated-path.ts";
import type { SpecialPlace } from "./special-place.ts";
import { usualPlace } from "./usual-places.ts";
import { contentWords, splitIdentifier, stopWords, wordsIn } from "./words.ts";

const optionStart = String.raw`^(?:\.\. [\w:-]+:: )?\W{0,20}(?:[A-Z]{2}\W{1,4})?(?:[\w.]{1,40}\(\W{0,3})?(?:\\?-\w\W{1,6})?(?:\\?-){2}`;

/**
 * The special place that a question asks for: an option such as `--color`, a documented name, or what is in a file with
 * a usual name.
 * @param own the words of the resources' names, which are no names of settings
 */
export function specialPlace(text: string, own: ReadonlySet<string>): SpecialPlace | undefined {
  const options = text.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? [];
  const [option, other] = options.toSorted((a, b) => Number(aliases.test(text)) * (b.length - a.length));
  if (option === undefined) {
    const asked = nameAsked(withoutProgram(text, own));
    const isOwn = asked === undefined || own.has(asked.name.toLowerCase());
    const usual = usualPlace(text, own);
    if (usual?.hasSubject === true)
      return {
        ...usual,
        near: contentWords(text.toLowerCase()).filter((word) => !own.has(word)),
      };
    return usual ?? (isOwn ? undefined : documented(asked));
  }
  // Others are messages that name an option.
  const areCompared = other !== undefined && comparison.test(text);
  if (options.length > 2 || !(areCompared || asksForOption.test(text) || commandWithOption.test(text)))
    return undefined;
  const near = wordsIn(text.toLowerCase());
  return { ...placeOfOption(option, near), ...(areCompared ? { other: placeOfOption(other, near) } : {}) };
}

/** The entry of an option, or its declaration. The `-vvv` of a repeated option is that of `-v`. */
function placeOfOption(given: string, near: readonly string[]): SpecialPlace {
  const option = given.replace(/^(-(\w))\2+$/, "$1");
  const name = option.replace(/^--?/, "");
  const written = name.replaceAll("-", String.raw`\\?-`);
  const isLong = option.startsWith("--");
  const start = isLong
    ? String.raw`${optionStart}${written}|^\.It Fl (?:Fl |\\?-)${written}`
    : String.raw`^(?:\.\. [\w:-]+:: )?(?:\W|\\f[A-Z]){0,20}\\?-${written}|^\.It Fl ${written}`;
  const quote = `["']`;
  return {
    pattern: `(?:${start})(?![\\w-])`,
    files: [],
    reason: `documents \`${option}\``,
    height: 12,
    end: `${optionStart}\\w|^\\s*$|^\\.(?:TP|It)`,
    near,
    declaration: isLong
      ? `${quote}(?:-\\w[ ,|]+)?(?:--)?${name}(?:[ =][^"']*)?${quote}\\s*(?:[,)]|$)`
      : `${quote}${option}${quote}\\s*,|\\w+P\\(.{0,60},\\s*"${name}",|\\bshort(?:_name)?\\W{1,4}${name}["']`,
    ...(isLong ? { member: String.raw`^\s*(?:pub )?(?:r#)?${name.replaceAll("-", "_")}:\s` } : {}),
  };
}

const asksForOption = /^\W*(?:what|which|how|is|does|explain|describe|--?)/i;
/** A command with an option and its value, and nothing else: "tool run --watch ?". */
const commandWithOption =
  /^\W*(?:[\w.-]+\s+){1,3}--?\w[\w-]*(?:[ =](?!what\b)[^\s?]+)?\s*(?:[?,:–-]?\s*(?:what .*)?)?$/i;
const comparison = /\b(?:vs\.?|versus|differ\w*|compared?|instead of)\b/i;
/** Two forms of one option: "-z / --search-zip". */
const aliases = /(?<![\w-])(?:-\w\s*(?:[,/|]|or)\s*--[\w-]+|--[\w-]+\s*(?:[,/|]|or)\s*-\w\b)/;

/** "What does the install command do", for "what does shop install do". */
function withoutProgram(text: string, own: ReadonlySet<string>): string {
  const [, program = "", command] = /^\W*what does ((?:[\w.-]+ ){1,3})([a-z][\w-]*) do\W*$/i.exec(text) ?? [];
  const isProgram = program
    .trim()
    .split(" ")
    .every((word) => own.has(word.toLowerCase()));
  return command !== undefined && isProgram && !ofProject.test(command) ? `what does the ${command} command do` : text;
}

/** What stands for the project itself, or only adds to the verb: "what does the tool do", "what does it actually do". */
const ofProject =
  /^(?:project|tool|library|program(?:me)?|app|application|package|repo(?:sitory)?|codebase|framework|crate|gem|thing|actually|really|exactly|even)$/i;

interface NameAsked {
  name: string;
  hasFile: boolean;
  /** Whether code may declare it, and not only prose have it. */
  isSetting: boolean;
}

/**
 * The name that a question asks to explain: `lock` in "what does the lock setting do" and in "lock?". Whatever a command
 * or a rule is called, it may have a file of its own.
 */
function nameAsked(text: string): NameAsked | undefined {
  const [, name, noun] =
    /^\W*(?:(?:what(?:['’]?s| is| does| do)?|explain)\s+)?(?:the\s+)?[`'"“]?([\w$][\w$.:-]*[\w$])[`'"”]?(?:\s*[:=]\s*[\w"'\x60-]+)?(?:\s+(?:cargo\s+|config\w*\s+)?(option|feature|setting|flag|(?:sub)?command|rule|cop|plugin|parameter|argument|field|property|key|variable|directive|filter|builtin))?(?:\s+(?:do|for|mean|control|change|affect))?(?:\s*(?:$|[?,])|\s+(?:and|compared|exactly|in|instead|on|versus|vs|when)\b)/i.exec(
      text,
    ) ?? [];
  if (name === undefined || (noun === undefined && ofProject.test(name))) return undefined;
  const hasFile = noun !== undefined && /^(?:(?:sub)?command|rule|cop|plugin|directive|filter|builtin)$/i.test(noun);
  const isWritten = /[a-z\d][A-Z]|\w_\w/.test(name);
  const isAsked =
    noun !== undefined || /\?|\b(?:do|change|affect)\b/.test(text) || /^\W*[\w$.:-]+\W*$/.test(text) || isWritten;
  // "What is parseUrl?" asks for a definition.
  const isSetting =
    noun !== undefined || (isWritten && /\b(?:do|does|for|means?|controls?|changes?|affects?)\b/i.test(text));
  return isAsked && (hasFile || !stopWords.has(name.toLowerCase())) ? { name, hasFile, isSetting } : undefined;
}

/** The entry of a name in a document: its heading, the row of a table, the item of a list, the term of a definition. */
function documented({ name, hasFile, isSetting }: NameAsked): SpecialPlace {
  const written = name.replaceAll(/[$.]/g, String.raw`\$&`);
  const ofOption = written.replaceAll("_", "[_-]");
  return {
    pattern: String.raw`${entryStart}(?:-\w, )?(?:--)?(?:[\w$]+[.#:]+)*${ofOption}(?:\(.{0,40}\))?[\x60*_"')\]]{0,4}(?:</\w+>)?[\x60*]{0,2}\s*(?:$|[|:=<({—–#-]|\s{2}|\]\()`,
    files: documents,
    reason: `documents \`${name}\``,
    height: 24,
    isEntry: true,
    ...(isSetting ? inCode(written) : {}),
    ...(hasFile ? { ownFile: { globs: filesAbout(name), forms: formsOf(written) } } : {}),
  };
}

/** How code declares a setting. A function is none: its definition is shown whole. */
function inCode(written: string): Pick<SpecialPlace, "declaration" | "member"> {
  const members = [
    String.raw`(?:(?:public|readonly|static|pub|val|var|const) )*${written}[?!]?(?::|\s*=(?!=))(?!.*(?:=>|\b(?:function|fn|func|lambda)\b|[({]\s*$))`,
    // With a tag, or with its type after it.
    String.raw`\w+\s.*["']${written}(?:["']|,omitempty)|${written}\s+[\w*[\].]+$`,
  ];
  return {
    declaration: String.raw`(?:["']${written}["']|(?<!:):${written})\s*,`,
    member: String.raw`^\s*(?:${members.join("|")})`,
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

/** How the file of a command or a rule says what it is, best first: a heading or title, its name in quotes, a definition. */
function formsOf(name: string): string[] {
  return [
    String.raw`^(?:#{1,6}|=+|title:)\s.*\b${name}\b`,
    String.raw`["']${name}(?:["']|\s+[A-Z[<{(])`,
    String.raw`^[\s\w]*\b(?:class|struct|def|type|func|function|fn|module|interface)\s.*\b${name}\b`,
  ];
}

const documents = ["*.md", "*.mdx", "*.markdown", "*.rst", "*.adoc", "*.[1-8]", "*.html", "lib.rs"];
const entryStart = String.raw`^(?:[#=]{1,6}\s+|\s*[-*+]\s+|\s*\|\s*|\s*<(?:dt|td|th|h\d|li)[^>]*>\s*|\.(?:B|It|IP|SS|SH|TP)\s+|\.\.\s+[\w:-]+::\s+|//!\s+[*-]\s+)(?:<\w+>)?[\x60*_"'(\[]{0,4}`;

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

export function matches(glob: string, path: string): boolean {
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
