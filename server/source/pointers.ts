import { framesIn } from "./frames.ts";
import { languageOf } from "./languages.ts";

/** A line of a file that a text names. */
export interface Pointer {
  /** As written, with forward slashes. */
  path: string;
  /** 1-based. */
  line: number;
  /** Whether a stack trace, a compiler or a diff names it. */
  isFrame: boolean;
}

/**
 * Lines of files that a text points at: frames of a trace, innermost first, then `path:line`, `path line 12`, URLs into a
 * repository.
 */
export function pointersIn(text: string): Pointer[] {
  const { frames, rest } = framesIn(text, { limit: frameLimit });
  const inFrames = frames.map(({ path, line, folder }) => ({
    path: folder === undefined || path.includes("/") ? path : `${folder}/${path}`,
    line,
    isFrame: true,
  }));
  const inProse = forms
    .flatMap((form) => [...rest.slice(0, textLimit).matchAll(form)])
    .map(({ groups = {} }) => ({ path: pathOf(groups), line: Number(groups["line"]), isFrame: false }))
    .filter(({ path }) => languageOf(path).tag !== "text");
  const all: Pointer[] = [...inFrames, ...inProse];
  return [...new Map(all.map((pointer) => [`${pointer.path}:${pointer.line}`, pointer])).values()].slice(
    0,
    pointerLimit,
  );
}

/** The paths and file names that stand in a text without a line. */
export function filesNamedIn(text: string): string[] {
  const { rest } = framesIn(text);
  const unlined = forms.reduce((left, form) => left.replace(form, " "), rest.slice(0, textLimit));
  const paths = [...unlined.matchAll(inRepository), ...unlined.replace(inRepository, " ").matchAll(bare)].map(
    ({ groups = {} }) => pathOf(groups),
  );
  return [...new Set(paths)].filter((path) => languageOf(path).tag !== "text").slice(0, pointerLimit);
}

function pathOf({ path = "" }: { path?: string }): string {
  return decode(path).replace(/^(?:\.{0,2}\/)+/, "");
}

/** More than are shown: many frames of a trace are not of the project. */
const frameLimit = 60;
const pointerLimit = 80;
const textLimit = 20_000;

const path = String.raw`(?<![\w./@-])(?<path>[\w./@-]*\w\.\w{1,8})`;
/** `https://github.com/o/r/blob/main/src/a.ts`, `https://gitlab.com/o/r/-/blob/main/src/a.ts` */
const blob = String.raw`https?:\/\/[^\s#?]+?\/(?:blob|tree|src\/(?:branch|commit|tag))\/[^/\s]+\/(?<path>[^\s#?()]+)`;
const forms: readonly RegExp[] = [
  new RegExp(String.raw`${blob}\S*?#(?:L|lines-)(?<line>\d+)`, "g"),
  new RegExp(String.raw`${path}:(?<line>\d+)(?![\w.]*\w)`, "g"),
  new RegExp(String.raw`${path},? (?:at |on )?line (?<line>\d+)`, "gi"),
  new RegExp(String.raw`\bline (?<line>\d+) (?:of|in) ${path}`, "gi"),
];
const inRepository = new RegExp(blob, "g");
const bare = new RegExp(String.raw`${path}(?![\w.]*\w)`, "g");

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
