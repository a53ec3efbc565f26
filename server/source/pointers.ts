import { type Frame, framesIn } from "./frames.ts";
import { languageOf } from "./languages.ts";

/** Lines of files that a text points at: frames of a trace, `path:line`, `path line 12`, URLs into a repository. */
export function pointersIn(text: string): Frame[] {
  const { frames, rest } = framesIn(text);
  const found = forms.flatMap((form) =>
    [...rest.slice(0, textLimit).matchAll(form)].map(({ groups = {} }): Frame => {
      const { path = "", line = "" } = groups;
      return { path: decode(path).replace(/^\.?\//, ""), line: Number(line) };
    }),
  );
  const all = [...frames, ...found.filter(({ path }) => languageOf(path).tag !== "text")];
  return [...new Map(all.map((frame) => [`${frame.path}:${frame.line}`, frame])).values()].slice(0, pointerLimit);
}

const pointerLimit = 12;
const textLimit = 20_000;

const path = String.raw`(?<![\w./@-])(?<path>[\w./@-]*\w\.\w{1,8})`;
const forms: readonly RegExp[] = [
  // `https://github.com/o/r/blob/main/src/a.ts#L12`, `https://gitlab.com/o/r/-/blob/main/src/a.ts#L12`
  /https?:\/\/[^\s#?]+?\/(?:blob|tree|src\/(?:branch|commit|tag))\/[^/\s]+\/(?<path>[^\s#?]+)\S*?#(?:L|lines-)(?<line>\d+)/g,
  new RegExp(String.raw`${path}:(?<line>\d+)(?![\w.]*\w)`, "g"),
  new RegExp(String.raw`${path},? (?:at |on )?line (?<line>\d+)`, "gi"),
  new RegExp(String.raw`\bline (?<line>\d+) (?:of|in) ${path}`, "gi"),
];

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
