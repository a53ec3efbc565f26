import { languageOf } from "./languages.ts";

/** A line of a file that a stack trace or a compiler names. */
export interface Frame {
  /** As written, with forward slashes; usually a path on another machine. */
  path: string;
  /** 1-based. */
  line: number;
}

/**
 * Reads the places in a pasted stack trace or compiler output, innermost first, and returns the text without those lines.
 * A text without any is unchanged.
 */
export function framesIn(text: string): { frames: Frame[]; rest: string } {
  const lines = text.slice(0, textLimit).split("\n");
  const found = lines.map(matchFrame);
  const frames = new Map<string, Frame>();
  for (const groups of found) {
    const { path: written = "", line = "" } = groups ?? {};
    const path = written
      .replaceAll("\\", "/")
      .replace(/^\.\//, "")
      .replace(/^\/\/+(?:\.\/)?/, "/");
    if (languageOf(path).tag !== "text") frames.set(`${path}:${line}`, { path, line: Number(line) });
  }
  if (frames.size === 0) return { frames: [], rest: text };
  const rest = lines.flatMap((line, index) => {
    const groups = found[index];
    if (groups !== undefined) return groups.rest ?? [];
    // Under a frame some runtimes print the line that it names.
    const isSource = /^\s/.test(line) && found[index - 1] !== undefined;
    return isSource || ofRuntime.test(line) ? [] : line;
  });
  const inOrder = [...frames.values()];
  const innermostFirst = /^Traceback \(/m.test(text) ? inOrder.toReversed() : inOrder;
  return { frames: innermostFirst.slice(0, frameLimit), rest: rest.join("\n").trim() };
}

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
