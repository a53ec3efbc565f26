import { languageOf } from "./languages.ts";

/** A line of a file that a stack trace, a compiler or a diff names. */
export interface Frame {
  /** As written, with forward slashes; usually a path on another machine. */
  path: string;
  /** 1-based. */
  line: number;
  /** The function, if a trace names it. */
  name?: string;
}

/** The places that a pasted text names, and the text without those lines. */
export interface Frames {
  frames: Frame[];
  rest: string;
  /** Whether it is a diff; its frames are then the first changed lines of each hunk, in the new version. */
  isDiff: boolean;
}

/**
 * Reads the places in a pasted stack trace or compiler output, innermost first, or in a diff. A text without any is
 * unchanged.
 */
export function framesIn(text: string): Frames {
  const lines = text.slice(0, textLimit).split("\n");
  if (lines.some((line) => hunkHead.test(line))) return hunksIn(lines);
  const found = lines.map(matchFrame);
  const frames = new Map<string, Frame>();
  for (const [index, groups] of found.entries()) {
    const { path: written = "", line = "" } = groups ?? {};
    const path = written
      .replaceAll("\\", "/")
      .replace(/^\.\//, "")
      .replace(/^\/\/+(?:\.\/)?/, "/");
    if (languageOf(path).tag !== "text") {
      const name = nameIn(lines[index] ?? "", lines[index - 1] ?? "");
      frames.set(`${path}:${line}`, { path, line: Number(line), ...(name === undefined ? {} : { name }) });
    }
  }
  if (frames.size === 0) return { frames: [], rest: text, isDiff: false };
  const rest = lines.flatMap((line, index) => {
    const groups = found[index];
    if (groups !== undefined) return groups.rest ?? [];
    // Under a frame some runtimes print the line that it names.
    const isSource = /^\s/.test(line) && found[index - 1] !== undefined;
    return isSource || ofRuntime.test(line) ? [] : line;
  });
  const inOrder = [...frames.values()];
  const innermostFirst = /^Traceback \(/m.test(text) ? inOrder.toReversed() : inOrder;
  return { frames: innermostFirst.slice(0, frameLimit), rest: rest.join("\n").trim(), isDiff: false };
}

const hunkHead = /^@@ -\d+(?:,(?<before>\d+))? \+(?<start>\d+)(?:,(?<after>\d+))? @@/;
/** Other lines of a diff: modes, hashes, renames. */
const diffHead =
  /^(?:diff --git |index [0-9a-f]+\.\.|(?:old|new|new file|deleted file) mode |similarity |rename |copy |Binary files |\\ No newline)/;

function hunksIn(lines: readonly string[]): Frames {
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
  return { frames: frames.slice(0, frameLimit), rest: rest.join("\n").trim(), isDiff: true };
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
  /", line \d+, in (?:\w+\.)*(?<name>[A-Za-z_]\w*)/,
  /^\s*at (?:async |new )*(?:[\w$<>/@-]+\.)*(?<name>[A-Za-z_$][\w$]*)(?: \[as \w+\])? ?\(/,
  /:in [`'](?:.* in )?(?:\S*[#.])?(?<name>[a-z_]\w*[?!]?)'/,
  /^\s*#\d+ .*\): (?:\S*(?:->|::))?(?<name>[A-Za-z_]\w*)\(/,
];

const textLimit = 20_000;
const frameLimit = 12;
const lineLengthLimit = 1000;

/** Other lines of a trace: markers below a source line, and notes about omitted frames. */
const ofRuntime = /^\s*(?:[\^~]+|\.{3} .*|at .*|Traceback \(.*|Node\.js v\S+|stack backtrace:|goroutine \d+ .*)\s*$/;

/** Groups of the other formats are undefined. */
interface Groups {
  path?: string;
  line?: string;
  rest?: string;
}

function matchFrame(line: string): Groups | undefined {
  if (line.length > lineLengthLimit) return undefined;
  for (const form of forms) {
    const groups = form.exec(line)?.groups;
    if (groups !== undefined) return groups;
  }
  return undefined;
}

const path = String.raw`(?<path>[^\s():"'<>|]*[^\s():"'<>|/\\.]\.\w+)`;
const origin = String.raw`(?:https?://[^\s/]+|[\w-]+:(?=[/\\]))?`;
const forms: readonly RegExp[] = [
  // Python
  /^\s*File "(?<path>[^"\n]+)", line (?<line>\d+)/,
  // JavaScript, Java, C#, Rust: `at foo (/app/bar.ts:12:5)`, `at a.B.c(B.java:12)`, `at A.B() in /app/b.cs:line 12`
  new RegExp(String.raw`^\s*(?:thread .* panicked )?at (?:.*?[\s(])??${origin}${path}:(?:line )?(?<line>\d+)`),
  // PHP: `#0 /app/bar.php(12): foo()`
  new RegExp(String.raw`^\s*#\d+ ${path}\((?<line>\d+)\)`),
  new RegExp(String.raw`^(?:PHP )?(?<rest>.*Error: .*?) in ${path}(?::| on line )(?<line>\d+)$`),
  // Go, Ruby, browsers, compilers: `/app/bar.go:12 +0x1d`, `foo@http://host/bar.js:12:5`, `src/bar.ts:12:5 - error …`
  new RegExp(
    String.raw`^\s*(?:from |--> )?(?:[^\s@]*@)?${origin}${path}(?::|\()(?<line>\d+)(?:[:,]\d+)?\)?(?: \+0x\w+)?(?::in\s+\S+)?(?:[:\s-]+(?<rest>.*))?$`,
  ),
];

/** How many segments at the end of two paths are the same. */
export function sharedEnd(a: string, b: string): number {
  const [own, other] = [a.split("/").toReversed(), b.split("/").toReversed()];
  const end = own.findIndex((segment, index) => segment !== other[index]);
  return end === -1 ? own.length : end;
}
