import { languageOf } from "./languages.ts";

/** A line of a file that a stack trace, a compiler or a diff names. */
export interface Frame {
  /** As written, with forward slashes; usually a path on another machine. */
  path: string;
  /** 1-based. */
  line: number;
  /** The function, if a trace names it. */
  name?: string;
  /** The package of the class, if a trace names it in place of folders: `com/foo`. */
  folder?: string;
}

/** The places that a pasted text names, and the text without those lines. */
export interface Frames {
  frames: Frame[];
  rest: string;
  /** Whether it is a diff; its frames are then the first changed lines of each hunk, in the new version. */
  isDiff: boolean;
}

/**
 * Reads the places in a pasted stack trace or compiler output, innermost first, or in a diff: as many as `limit`. The
 * lines may stand in a log, a quotation or a test report. A text without any is unchanged.
 */
export function framesIn(text: string, { limit = usualLimit }: { limit?: number } = {}): Frames {
  const lines = withoutMiddle(text).split("\n");
  if (lines.some((line) => hunkHead.test(line))) return hunksIn(text.slice(0, 2 * textLimit).split("\n"), limit);
  const found = lines.map((line, index) => matchFrame(line, { lines, index }));
  const frames = new Map<string, OrderedFrame>();
  const said = saidOrder(text);
  let cause = 0;
  for (const [index, match] of found.entries()) {
    if (causeHead.test(lines[index] ?? "")) cause++;
    if (match === undefined) continue;
    const { path: written = "", line = "" } = match.groups;
    const path = written
      .replaceAll("\\", "/")
      .replace(/^\.\//, "")
      .replace(/^\/\/+(?:\.\/)?/, "/");
    if (languageOf(path).tag === "text") continue;
    const name = match.groups.name ?? nameIn(match.text, withoutPrefix(lines[index - 1] ?? ""));
    const folder = packageNaming.exec(match.text)?.groups?.["package"]?.replaceAll(".", "/");
    const frame = {
      path,
      line: Number(line),
      ...(name === undefined ? {} : { name }),
      ...(folder === undefined ? {} : { folder }),
    };
    frames.set(`${path}:${line}`, { frame, cause, isOutermostFirst: said ?? match.isOutermostFirst });
  }
  if (frames.size === 0) return { frames: [], rest: text, isDiff: false };
  const isPrefixed = found.some((match, index) => match !== undefined && match.text !== lines[index]);
  const rest = lines.flatMap((written, index) => {
    const match = found[index];
    if (match !== undefined) return match.groups.rest ?? [];
    const line = isPrefixed ? withoutPrefix(written) : written;
    // Under a frame some runtimes print the line that it names.
    const isSource = /^\s/.test(line) && found[index - 1] !== undefined;
    return isSource || ofRuntime.test(line) ? [] : line;
  });
  return { frames: innermostFirst([...frames.values()]).slice(0, limit), rest: rest.join("\n").trim(), isDiff: false };
}

interface OrderedFrame {
  frame: Frame;
  /** How many causes are named before it: the last one is where it began. */
  cause: number;
  isOutermostFirst: boolean;
}

/** Whether a text says that the outermost frame comes first. */
function saidOrder(text: string): boolean | undefined {
  const order = /\(most recent call (?<end>first|last)/.exec(text)?.groups?.["end"];
  return order === undefined ? undefined : order === "last";
}

function innermostFirst(frames: readonly OrderedFrame[]): Frame[] {
  const runs: OrderedFrame[][] = [];
  for (const one of frames) {
    const run = runs.at(-1);
    const isOfRun = run?.[0]?.cause === one.cause && run[0].isOutermostFirst === one.isOutermostFirst;
    if (run !== undefined && isOfRun) run.push(one);
    else runs.push([one]);
  }
  return runs
    .map((run) => (run[0]?.isOutermostFirst === true ? run.toReversed() : run))
    .sort((a, b) => (b[0]?.cause ?? 0) - (a[0]?.cause ?? 0))
    .flat()
    .map(({ frame }) => frame);
}

const causeHead = /^.{0,200}\bCaused by: /;

/** Keeps the beginning and the end of a long text: a trace may be at either. */
function withoutMiddle(text: string): string {
  return text.length <= 2 * textLimit ? text : `${text.slice(0, textLimit)}\n${text.slice(-textLimit)}`;
}

const hunkHead = /^@@ -\d+(?:,(?<before>\d+))? \+(?<start>\d+)(?:,(?<after>\d+))? @@/;
/** Other lines of a diff: modes, hashes, renames. */
const diffHead =
  /^(?:diff --git |index [0-9a-f]+\.\.|(?:old|new|new file|deleted file) mode |similarity |rename |copy |Binary files |\\ No newline)/;

function hunksIn(lines: readonly string[], limit: number): Frames {
  const frames: Frame[] = [];
  const rest: string[] = [];
  let path = "";
  let [line, before, after] = [0, 0, 0];
  let isSought = false;
  for (const text of lines) {
    const file = /^(?:---|\+\+\+) (?:[abciow]\/)?(?<path>[^\t]+)/.exec(text)?.groups?.["path"]?.trim();
    const head = hunkHead.exec(text)?.groups;
    if (before > 0 || after > 0) {
      if (isSought && /^[+-]/.test(text)) {
        frames.push({ path, line: Math.max(1, line) });
        isSought = false;
      }
      if (!text.startsWith("+") && !text.startsWith("\\")) before--;
      if (text.startsWith("-") || text.startsWith("\\")) continue;
      after--;
      line++;
    } else if (head !== undefined) {
      line = Number(head["start"]);
      before = Number(head["before"] ?? 1);
      after = Number(head["after"] ?? 1);
      isSought = true;
    } else if (file !== undefined) path = file === "/dev/null" ? path : file;
    else if (!diffHead.test(text)) rest.push(text);
  }
  return { frames: frames.slice(0, limit), rest: rest.join("\n").trim(), isDiff: true };
}

/** The function that a line of a trace names; Go and Rust name it on the line before. */
function nameIn(line: string, previous: string): string | undefined {
  const own = namings.map((form) => form.exec(line)?.groups?.["name"]).find((name) => name !== undefined);
  return (
    own ??
    (/^\s+\S/.test(line)
      ? /^\s*(?:\d+: )?\S+(?:\.|::)(?<name>[A-Za-z_]\w*)(?:\(.*\))?$/.exec(previous)?.groups?.["name"]
      : undefined)
  );
}

const namings: readonly RegExp[] = [
  /", line \d+,? in (?:\w+\.)*(?<name>[A-Za-z_]\w*)/,
  /^\s*at (?:async |new )*(?:[\w$<>/@-]+\.)*(?<name>[A-Za-z_$][\w$]*)(?: \[as \w+\])? ?\(/,
  /:in [`'](?:.* in )?(?:\S*[#.])?(?<name>[a-z_]\w*[?!]?)'/,
  /^\s*#\d+ .*\): (?:\S*(?:->|::))?(?<name>[A-Za-z_]\w*)\(/,
];

/** `at com.foo.Bar.baz(Bar.java:12)` */
const packageNaming =
  /^\s*at (?:[\w.@-]*\/)*(?<package>[a-z_]\w*(?:\.[a-z_]\w*)*)\.[A-Z][^(]*\(\w+\.(?:java|kt|scala|groovy):/;

const textLimit = 10_000;
const usualLimit = 12;
const lineLengthLimit = 1000;

/** Other lines of a trace: markers below a source line, and notes about omitted frames. */
const ofRuntime = /^\s*(?:[\^~]+|\.{3} .*|at .*|Traceback \(.*|Node\.js v\S+|stack backtrace:|goroutine \d+ .*)\s*$/;

/** Groups of the other formats are undefined. */
interface Groups {
  path?: string;
  line?: string;
  name?: string;
  rest?: string;
}

interface FrameMatch {
  groups: Groups;
  /** The line without what a log writes before it. */
  text: string;
  isOutermostFirst: boolean;
}

function matchFrame(line: string, place: { lines: readonly string[]; index: number }): FrameMatch | undefined {
  if (line.length > lineLengthLimit) return undefined;
  const bare = withoutPrefix(line);
  for (const text of bare === line ? [line] : [line, bare]) {
    for (const form of forms) {
      const groups: Groups | undefined = form.exec(text)?.groups;
      if (groups !== undefined)
        return { groups, text, isOutermostFirst: pythonForms.has(form) || pytestLine.test(text) };
    }
    const groups = matchNotebook(text, place);
    if (groups !== undefined) return { groups, text, isOutermostFirst: true };
  }
  return undefined;
}

/** IPython before version 8 names the file, and marks the line in the source below. */
function matchNotebook(
  text: string,
  { lines, index }: { lines: readonly string[]; index: number },
): Groups | undefined {
  const head = notebookHead.exec(text)?.groups;
  if (head === undefined) return undefined;
  const below = lines.slice(index + 1, index + 1 + notebookLines).map(withoutPrefix);
  const line = below.map((own) => /^\s*-+> ?(\d+)/.exec(own)?.[1]).find((number) => number !== undefined);
  return line === undefined ? undefined : { ...head, line };
}

const notebookHead = /^\s*(?<path>[~/.\w-][^\s():"'<>|]*\.pyx?) in (?:(?<name>\w+)\(|<module>)/;
const notebookLines = 12;

/** What logs, quotations, boxes and test reports write before a line: times, levels, names of services, `E`, `>`. */
function withoutPrefix(line: string): string {
  const { 0: prefix = "" } = linePrefix.exec(line.slice(0, prefixLimit)) ?? [];
  return line.slice(prefix.length);
}

const prefixLimit = 200;
const linePrefix = new RegExp(
  `^(?:[ \\t]*(?:${[
    // 2026-01-31T12:00:00.123Z, 31/Jan/2026 12:00:00, Jan 31 12:00:00
    String.raw`\d{4}[-/]\d\d?[-/]\d\d?T?`,
    String.raw`\d\d?[-/ ](?:\d\d?|[A-Z][a-z]{2})[-/ ]\d{4}:?`,
    String.raw`[A-Z][a-z]{2} {1,2}\d\d?(?= \d\d?:)`,
    String.raw`\d\d?:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?(?![:\w])`,
    // [12:00:00], [error], (app 1.0)
    String.raw`\[[^\]\n]{0,80}\]:?`,
    String.raw`\([\w.-]{1,60} \d[\w.-]{0,30}\)`,
    String.raw`(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE)(?::|(?=\s))`,
    String.raw`std(?:err|out)(?:[:>]|(?=\s))`,
    // Containers: `web_1  | `, `#8 12.34 `
    String.raw`[\w.-]{1,60} *[|│]`,
    String.raw`#\d+ \d+\.\d+`,
    // Quotations, boxes, pytest
    String.raw`[|│┃>]`,
    String.raw`E(?= )`,
  ].join("|")}))+[ \\t]?`,
);

const path = String.raw`(?<path>[^\s():"'<>|]*[^\s():"'<>|/\\.]\.\w+)`;
const origin = String.raw`(?:https?://[^\s/]+|[\w-]+:(?=[/\\])|package:)?`;
const pythonForms: ReadonlySet<RegExp> = new Set([
  /^\s*File "(?<path>[^"\n]+)", line (?<line>\d+)/,
  // IPython, and boxes of rich: `File ~/a.py:12, in f(x)`, `/app/a.py:12 in f`
  /^\s*File (?<path>[^\s"():<>]+):(?<line>\d+)(?:, in (?:\w+\.)*(?<name>\w+)\()?/,
  /^\s*(?<path>[^\s"():<>|]+\.pyx?):(?<line>\d+) in (?<name>\w+)/,
]);
/** pytest: `a.py:12: in f`, `a.py:12: KeyError`. */
const pytestLine = /\.pyx?:\d+: (?:in \S+|(?:[\w.]+(?:Error|Exception|Exit|Interrupt|Warning|Failed))?\s*$)/;
const forms: readonly RegExp[] = [
  ...pythonForms,
  // Rust before 1.73: `thread 'main' panicked at 'too late', src/main.rs:4:5`
  new RegExp(String.raw`^\s*thread .* panicked at '(?<rest>.*)', ${path}:(?<line>\d+)`),
  // JavaScript, Java, C#, Rust: `at foo (/app/bar.ts:12:5)`, `at a.B.c(B.java:12)`, `at A.B() in /app/b.cs:line 12`
  new RegExp(
    String.raw`^\s*(?:thread .* panicked |.* called )?at (?:.*?[\s(])??${origin}${path}:(?:line )?(?<line>\d+)`,
  ),
  // PHP: `#0 /app/bar.php(12): foo()`
  new RegExp(String.raw`^\s*#\d+ ${path}\((?<line>\d+)\)`),
  new RegExp(String.raw`^(?:PHP )?(?<rest>.*Error: .*?) in ${path}(?::| on line )(?<line>\d+)$`),
  new RegExp(
    String.raw`^\s*(?:PHP )?(?<rest>(?:Warning|Notice|Deprecated|Parse error|Fatal error): .*?|thrown) in ${path} on line (?<line>\d+)$`,
  ),
  // C, Dart: `#1 0x55 in foo (x=1) at src/foo.c:12`, `#2 main (package:app/main.dart:12:5)`
  new RegExp(String.raw`^\s*#\d+\s.*?[\s(]${origin}${path}:(?<line>\d+)`),
  // Go, Ruby, browsers, compilers: `/app/bar.go:12 +0x1d`, `foo@http://host/bar.js:12:5`, `src/bar.ts:12:5 - error …`
  new RegExp(
    String.raw`^\s*(?:\d+: )?(?:from |--> )?(?:[^\s@]*@)?${origin}${path}(?::|\()(?<line>\d+)(?:[:,]\d+)?\)?(?: \+0x\w+)?(?::in\s+\S+)?(?:[:\s-]+(?<rest>.*))?$`,
  ),
];

/** How many segments at the end of two paths are the same. */
export function sharedEnd(a: string, b: string): number {
  const [own, other] = [a.split("/").toReversed(), b.split("/").toReversed()];
  const end = own.findIndex((segment, index) => segment !== other[index]);
  return end === -1 ? own.length : end;
}

/**
 * Whether a written path may be that of a file, though it ends alike: below a folder of installed packages, only if it
 * is that package or its copy in the tree.
 */
export function mayName(written: string, { resource, path }: { resource: string; path: string }): boolean {
  const inside = installed.exec(`/${written}`)?.groups?.["inside"];
  if (inside === undefined) return true;
  const { name = "", own = "" } =
    /^(?<name>(?:@[^/]+\/|.*\/(?=[^/]+@v))?[^/]+)\/(?<own>.*)$/.exec(inside)?.groups ?? {};
  const project = name.replace(/(?:@v|-(?=\d+\.)).*$/, "").replace(/^.*\//, "");
  return (
    `/${path}`.endsWith(`/${inside}`) ||
    `/${path}`.endsWith(`/${project}/${own}`) ||
    (path === own && (resource.endsWith(project) || own.split("/").length > 2))
  );
}

/** Where package managers of JavaScript, Python, Rust, Go and Ruby install. */
const installed = /.*\/(?:node_modules|site-packages|dist-packages|registry\/src\/[^/]+|pkg\/mod|gems)\/(?<inside>.*)$/;
