import type { LineRange } from "../protocol/citation.ts";
import { languageOf } from "./languages.ts";

/** Lines that a question is about, whatever words they have: the entry of an option, a file with a usual name. */
export interface SpecialPlace {
  /** Of their first line. */
  pattern: string;
  /** The most telling files first. */
  files: readonly string[];
  reason: string;
  height: number;
  /** Of the first line after them. */
  end?: string;
}

const heading = "^(?:#+ |\\[?v?\\d+\\.\\d+)";
const optionStart = String.raw`^\W{0,12}(?:[A-Z]{2}\W{1,4})?(?:[\w.]{1,40}\(\W{0,3})?(?:\\?-\w\W{1,6})?(?:\\?-){2}`;

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
    asks: /\bhow (?:do|can|should|would|to)\b.*\b(?:run|execute|start)\b.*\btests?\b|\btest command\b|\bhow (?:is|are) (?:it|this|tests?) (?:tested|run)\b/i,
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
    ],
    // At the beginning of a line or of code in it.
    pattern: String.raw`(?:^\W{0,10}|\x60)(?:(?:npm|pnpm|yarn|bun) (?:run )?test|(?:go|cargo|dotnet|mix|swift|composer|flutter|deno|sbt|lein|zig build|rake|make|just|task|bazel) (?:test|check)|cargo nextest|(?:\w+ -m |\w+ run )?pytest|tox|nox|(?:bundle exec )?(?:rspec|rake)|(?:\./)?mvnw? .*(?:test|verify)|(?:\./)?gradlew? .*(?:test|check)|phpunit|ctest)\b|^(?:test|check):|^\s*"test":`,
    reason: "how to run the tests",
    height: 8,
    end: `^\\s*\`\`\`|${heading}`,
  },
  {
    asks: /\b(?:how|can|may|where)\b.*\b(?:contribut\w*|send (?:a )?(?:patch|pull request)|submit)\b|^\W*contributing\W*$/i,
    except: /\b(?:form|input)\b/i,
    files: ["CONTRIBUTING*", "HACKING*"],
    pattern: "\\S.*contribut|^#",
    reason: "how to contribute",
    height: 16,
  },
  {
    asks: /\b(?:what(?:['’]?s| is| has| was)? (?:new|changed)|change ?log|release notes|(?:last|latest|newest|recent) (?:release|version|changes))\b/i,
    except: /\b(?:how|why)\b/i,
    files: ["CHANGELOG*", "CHANGES*", "NEWS*", "HISTORY*", "RELEASES*", "changelog*", "changes*"],
    pattern: String.raw`^(?:#+ .*|=* ?|\* |-+ )?(?:version )?\[?v?\d+\.\d+`,
    reason: "the last changes",
    height: 20,
    end: String.raw`^(?:#+ |version )?\[?v?\d+\.\d+`,
  },
  {
    asks: /\b(?:report\w*|disclos\w*)\b.*\b(?:vulnerabilit\w*|security)\b|\bsecurity (?:policy|issue|contact)\b/i,
    except: /\b(?:why)\b/i,
    files: ["SECURITY*"],
    pattern: "report|vulnerab|disclos|security",
    reason: "how to report a vulnerability",
    height: 16,
  },
];

/** The special place that a question asks for: an option such as `--color`, or what is in a file with a usual name. */
export function specialPlace(text: string): SpecialPlace | undefined {
  const [option, ...others] = text.match(/(?<![\w-])--[a-z][\w-]*/g) ?? [];
  if (option === undefined) return usual.find(({ asks, except }) => asks.test(text) && !except.test(text));
  // Others are messages that name an option.
  if (others.length > 0 || !/^\W*(?:what|which|how|is|does|explain|describe|--)/i.test(text)) return undefined;
  const pattern = `${optionStart}${option.slice(2).replaceAll("-", String.raw`\\?-`)}(?![\\w-])`;
  return { pattern, files: [], reason: `documents \`${option}\``, height: 12, end: `${optionStart}\\w|^\\s*$|^\\.TP` };
}

/** How well a file fits, less is better; undefined for a page in another language. */
export function preferenceOf({ files }: SpecialPlace, path: string): number | undefined {
  if (/[._-][a-z]{2}(?:-[A-Z]{2})?\.(?:md|rst)$/.test(path)) return undefined;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (files.length > 0)
    return files.findIndex((glob) => new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("*", ".*")}$`).test(name));
  if (/\.[1-9](?:\.in)?$|help|usage/i.test(name)) return 0;
  return /^(?:change|history|news)/i.test(name) ? 3 : /^(?:markdown|rst|asciidoc)$/.test(languageOf(path).tag) ? 1 : 2;
}

/** The lines of the place. The entry of an option has words that describe it; a list of completions has none. */
export function rangeIn(
  { pattern, height, end, files }: SpecialPlace,
  { lines, startLine }: { lines: readonly string[]; startLine: number },
): LineRange | undefined {
  const first = new RegExp(pattern, files.length > 0 ? "i" : "");
  for (const [start, text] of lines.entries()) {
    if (!first.test(text)) continue;
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
    return { startLine: startLine + start, endLine: startLine + start + 1 + last };
  }
  return undefined;
}

const leastWords = 4;
