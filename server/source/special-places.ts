import type { LineRange } from "../protocol/citation.ts";
import { languageOf } from "./languages.ts";
import { translatedDocument } from "./translated-path.ts";
import { stopWords } from "./words.ts";

/** Lines that a question is about, whatever words they have: the entry of an option, a file with a usual name. */
export interface SpecialPlace {
  /** An expression for their first line. */
  pattern: string;
  /** The most telling files first. */
  files: readonly string[];
  reason: string;
  height: number;
  /** An expression for those first lines that are preferred, such as a heading. */
  best?: string;
  /** An expression for the first line after them. */
  end?: string;
  /** Whether it is the entry of a name, in one of several forms. */
  isEntry?: boolean;
}

const heading = "^(?:#+ |\\[?v?\\d+\\.\\d+)";
const optionStart = String.raw`^\W{0,12}(?:[A-Z]{2}\W{1,4})?(?:[\w.]{1,40}\(\W{0,3})?(?:\\?-\w\W{1,6})?(?:\\?-){2}`;

const securityLine = "report|vulnerab|disclos|security";

/** Questions about what most projects keep in files with usual names. */
const usual: readonly (SpecialPlace & { asks: RegExp; except: RegExp })[] = [
  {
    asks: /^\W*(?:what|which|is|under|can|may|how is)\b.*\blicen[cs]|^\W*licen[cs]e\W*$/i,
    except: /\b(?:third|dependenc\w*|librar\w*|libs?|check\w*|header|key)\b/i,
    files: ["LICEN[CS]E*", "COPYING*", "UNLICENSE*", "licen[cs]e*"],
    pattern: "licen[cs]e|copyright|permission|public domain",
    reason: "the licence",
    height: 10,
  },
  {
    asks: /\bhow (?:do|can|should|would|to)\b.*\b(?:run|execute|start)\b.*\btests?\b|\btest command\b|\bhow (?:is|are) (?:it|this|(?:the )?tests?)\b.*\b(?:tested|run|built|executed|started)\b/i,
    except: /\b(?:only|single|one|specific|particular)\b/i,
    files: [
      "CONTRIBUTING*",
      "DEVELOP*",
      "HACKING*",
      "TESTING*",
      "BUILD*",
      "README*",
      "Makefile",
      "justfile",
      "Taskfile.yml",
      "package.json",
      "tox.ini",
      "noxfile.py",
      "[Cc][Ii]*.y*ml",
      "[Tt]est*.y*ml",
    ],
    // The expression matches at the beginning of a line or of code in it.
    pattern: String.raw`(?:^\W{0,10}(?:run:\s+)?|\x60)(?:(?:npm|pnpm|yarn|bun) (?:run )?test|(?:go|cargo|dotnet|mix|swift|composer|flutter|deno|sbt|lein|zig build|rake|make|just|task|bazel) (?:test|check)|cargo nextest|(?:\w+ -m |(?:uv|poetry|pdm|hatch|rye|pixi) run (?:\S+ )*?|\w+ run )?(?:pytest|tox|nox)|(?:bundle exec )?(?:rspec|rake)|(?:\./)?mvnw? .*(?:test|verify)|(?:\./)?gradlew? .*(?:test|check)|phpunit|ctest)\b|^(?:test|check):|^\s*"test":`,
    reason: "how to run the tests",
    height: 8,
    end: `^\\s*\`\`\`|${heading}`,
  },
  {
    asks: /\b(?:run|execute|start)\b.*\b(?:only|single|one|specific|particular|individual)\b.*\btests?\b/i,
    except: /\bwhy\b/i,
    files: ["CONTRIBUTING*", "DEVELOP*", "HACKING*", "TESTING*", "README*", "*.md", "*.rst"],
    pattern: String.raw`\b(?:only|single|one|specific|particular|individual)\b.*\btests?\b`,
    best: String.raw`^(?:#+|=+)\s.*\b(?:only|single|one|specific|particular|individual)\b.*\btests?\b`,
    reason: "how to run one test",
    height: 14,
    end: heading,
  },
  {
    asks: /\b(?:oldest|minimum|lowest|which|what)\b.*\b(?:windows|linux|mac ?os|ios|android|platforms?|operating systems?|browsers?)\b.*\b(?:supports?|supported|runs? on|works? on|needs?|requires?)\b/i,
    except: /\b(?:why|how|where|function|option|setting|flag)\b/i,
    files: ["SUPPORTED*", "*PLATFORM*", "README*", "INSTALL*", "*.md", "*.rst"],
    pattern: String.raw`^(?:#+ .*|=* ?)\b(?:support(?:ed)?\b.*\b(?:platform|system|browser|version)|(?:platform|system|browser)s?\b.*\b(?:support|requirement)|(?:system )?requirements|compatibility)`,
    reason: "what it supports",
    height: 24,
    end: heading,
  },
  {
    asks: /\b(?:how|can|may|where)\b.*\b(?:contribut\w*|send (?:a )?(?:patch|pull request)|submit)\b|^\W*contributing\W*$|\b(?:include|put|write|belongs?|needs?|requires?|required)\b.*\b(?:pull request|PR)\b/i,
    except: /\b(?:form|input)\b/i,
    files: ["CONTRIBUTING*", "HACKING*", "pull_request_template*", "PULL_REQUEST_TEMPLATE*"],
    pattern: "\\S.*(?:contribut|pull request)|^#|^<!--|^[-*] ",
    reason: "how to contribute",
    height: 16,
  },
  {
    asks: /\b(?:what(?:['’]?s| is| has| was)? (?:new|changed)|^\W*(?:the )?change ?log\W*$|\b(?:show|see|read|where)\b.*\bchange ?log|release notes|(?:last|latest|newest|recent) (?:release|version|changes))\b/i,
    except: /\b(?:how|why)\b/i,
    files: ["CHANGELOG*", "CHANGES*", "NEWS*", "HISTORY*", "RELEASES*", "changelog*", "changes*"],
    pattern: String.raw`^(?:#+ .*|=* ?|\* |-+ )?(?:version )?\[?v?\d+\.\d+`,
    reason: "the last changes",
    height: 20,
    end: String.raw`^(?:#+ |version )?\[?v?\d+\.\d+`,
  },
  {
    asks: /\b(?:report\w*|disclos\w*|tell|contact|found)\b.*\b(?:vulnerabilit\w*|security|exploits?)\b|\b(?:vulnerabilit\w*|security (?:issue|problem|bug|hole|flaw))\b.*\b(?:report\w*|disclos\w*|tell|contact|go)\b|\bsecurity contact\b/i,
    except: /\b(?:why)\b/i,
    files: ["SECURITY*"],
    pattern: securityLine,
    best: String.raw`^(?:#+|=+|\*\*)\s.*(?:report|disclos|contact)`,
    reason: "how to report a vulnerability",
    height: 16,
  },
  {
    asks: /\bsecurity (?:policy|issue|(?:bug)?fix(?:es)?|updates|patches|support)\b/i,
    except: /\b(?:why)\b/i,
    files: ["SECURITY*"],
    pattern: `${securityLine}|support`,
    best: String.raw`^(?:#+|=+|\*\*)\s.*(?:support|version)`,
    reason: "the security policy",
    height: 16,
  },
];

/**
 * The special place that a question asks for: an option such as `--color`, a documented name, or what is in a file with
 * a usual name.
 * @param own the words of the resources' names, which are no names of settings
 */
export function specialPlace(text: string, own: ReadonlySet<string>): SpecialPlace | undefined {
  const [option, ...others] = text.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? [];
  if (option === undefined) {
    const name = nameAsked(text);
    return (
      usual.find(({ asks, except }) => asks.test(text) && !except.test(text)) ??
      (name === undefined || own.has(name.toLowerCase()) ? undefined : documented(name))
    );
  }
  // Others are messages that name an option.
  if (others.length > 0 || !/^\W*(?:what|which|how|is|does|explain|describe|--?)/i.test(text)) return undefined;
  const written = option.replaceAll("-", String.raw`\\?-`);
  const start = option.startsWith("--")
    ? `${optionStart}${written.slice(2 * String.raw`\\?-`.length)}`
    : String.raw`^(?:\W|\\f[A-Z]){0,12}${written}`;
  return {
    pattern: `${start}(?![\\w-])`,
    files: [],
    reason: `documents \`${option}\``,
    height: 12,
    end: `${optionStart}\\w|^\\s*$|^\\.TP`,
  };
}

/** The name that a question asks to explain: `lock` in "what does the lock setting do" and in "lock?". */
function nameAsked(text: string): string | undefined {
  const [, name, noun] =
    /^\W*(?:(?:what(?:['’]?s| is| does| do)?|explain)\s+)?(?:the\s+)?[`'"“]?([\w$][\w$.:-]*[\w$])[`'"”]?(?:\s*[:=]\s*[\w"'\x60-]+)?(?:\s+(option|setting|flag|command|parameter|argument|field|property|key|variable|directive))?(?:\s+(?:do|for|mean|control|change|affect))?\s*(?:$|[?,]|and\b)/i.exec(
      text,
    ) ?? [];
  const isName =
    name !== undefined &&
    (noun !== undefined || /\?|\b(?:do|change|affect)\b/.test(text) || /^\W*[\w$.:-]+\W*$/.test(text)) &&
    !stopWords.has(name.toLowerCase());
  return isName ? name : undefined;
}

/** The entry of a name in a document: its heading, the row of a table, the item of a list, the term of a definition. */
function documented(name: string): SpecialPlace {
  const written = name.replaceAll(/[$.]/g, String.raw`\$&`);
  return {
    pattern: String.raw`${entryStart}(?:[\w$]+[.#:]+)*${written}(?:\(.{0,40}\))?[\x60*_"')\]]{0,4}(?:</\w+>)?[\x60*]{0,2}\s*(?:$|[|:=<({—–#-]|\s{2}|\]\()`,
    files: documents,
    reason: `documents \`${name}\``,
    height: 24,
    isEntry: true,
  };
}

const documents = ["*.md", "*.mdx", "*.markdown", "*.rst", "*.adoc", "*.[1-8]", "*.html"];
const entryStart = String.raw`^(?:#{1,6}\s+|\s*[-*+]\s+|\s*\|\s*|\s*<(?:dt|td|th|h\d|li)[^>]*>\s*|\.(?:B|It|IP|SS|SH|TP)\s+)(?:<\w+>)?[\x60*_"'(\[]{0,4}`;

/** Forms of entries, and the line after one, best first. */
const entryForms: readonly { start: RegExp; end: RegExp; height: number }[] = [
  { start: /^#{1,6}\s/, end: /^#{1,6}\s/, height: 24 },
  { start: /^\s*<(?:dt|h\d)/, end: /^\s*<(?:dt|h\d|\/dl)/, height: 14 },
  { start: /^\s*<(?:td|th)/, end: /^\s*<(?:tr|\/tr|\/table)/, height: 8 },
  { start: /^\.\w/, end: /^\.(?:B|It|IP|SS|SH|TP)\b/, height: 14 },
  { start: /^\s*\|/, end: /^/, height: 1 },
  { start: /^\s*[-*+]\s/, end: /^\s*(?:[-*+]\s|$)|^#/, height: 8 },
];

/** How well a file fits, less is better; undefined for a page in another language. */
export function preferenceOf({ files, isEntry }: SpecialPlace, path: string): number | undefined {
  if (translatedDocument.test(path.toLowerCase())) return undefined;
  if (isEntry === true)
    return /(?:^|\/)(?:change|history|news|release|migrat|upgrad)[^/]*$/i.test(path) ? undefined : 0;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (files.length > 0)
    return files.findIndex((glob) => new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("*", ".*")}$`).test(name));
  if (/\.[1-9](?:\.in)?$|help|usage/i.test(name)) return 0;
  return /^(?:change|history|news)|\.(?:bash|elv|fish|nu|ps1|zsh)(?:\.in)?$/i.test(name)
    ? 3
    : /^(?:markdown|rst|asciidoc)$/.test(languageOf(path).tag)
      ? 1
      : 2;
}

/**
 * The lines of the place. The entry of an option has words that describe it; a list of completions has none.
 * `rank`: how well they fit, less is better.
 */
export function rangeIn(
  { pattern, best, height, end, files, isEntry }: SpecialPlace,
  { lines, startLine }: { lines: readonly string[]; startLine: number },
): { range: LineRange; rank: number } | undefined {
  const first = new RegExp(pattern, files.length > 0 ? "i" : "");
  if (isEntry === true) return entryIn(first, { lines, startLine });
  let sentence: LineRange | undefined;
  const preferred = best === undefined ? -1 : lines.findIndex((line) => new RegExp(best, "i").test(line));
  for (const [start, text] of lines.entries()) {
    if (!first.test(text) || start < preferred) continue;
    const rest = lines.slice(start + 1, start + height);
    const stop = end === undefined ? -1 : rest.findIndex((line) => new RegExp(end).test(line));
    const own = stop === -1 ? rest : rest.slice(0, stop);
    const words =
      [text, ...own]
        .join(" ")
        .replaceAll(/(?:\\?-){1,2}[\w\\-]+/g, " ")
        .match(/[a-z]{2,}/gi) ?? [];
    if (files.length === 0 && words.length < leastWords) continue;
    const last = own.findLastIndex((line) => line.trim() !== "");
    const range = { startLine: startLine + start, endLine: startLine + start + 1 + last };
    if (files.length > 0 || ownLine.test(text.replace(first, "")))
      return { range, rank: Number(best !== undefined && preferred === -1) };
    sentence ??= range;
  }
  return sentence === undefined ? undefined : { range: sentence, rank: 1 };
}

/** What follows an option in its own entry: other names and values, and nothing or a gap. */
const ownLine =
  /^(?:[\x60'"*)\]}>]|\s?=?\s?\[?[<{[][^>}\]]*[>}\]]|[ =]"?[A-Z][\w.|-]*|,\s*[\x60'"*]*\\?-[\w\\-]+)*\s*(?:$|[,|:—–(]|-\s|\s{2}|\t)/;

/** The entry in the best form that has words beside the name. */
function entryIn(
  first: RegExp,
  { lines, startLine }: { lines: readonly string[]; startLine: number },
): { range: LineRange; rank: number } | undefined {
  const found = lines.flatMap((text, start) => {
    if (!first.test(text)) return [];
    const form = entryForms.findIndex((one) => one.start.test(text));
    const { end, height } = entryForms[form] ?? { end: /^/, height: 1 };
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
