import { fileURLToPath } from "node:url";
import { languageOf } from "../source/languages.ts";
import { type Fence, fenceAfter } from "../lib/markdown-fence.ts";
import { type LineRange, parseCitewellUrl, parseLineFragment } from "../protocol/citation.ts";
import { allPackagePrefixes } from "../protocol/kinds/names.ts";
import { withoutPunctuation } from "../protocol/mentions.ts";
import { parsePermalink } from "../resources/git/permalink.ts";

/** What a text says is in its sources: where it says so, and what it names. */
export interface FoundCitation {
  /** The line of the text, 1-based. */
  line: number;
  /** The text as it is written. */
  text: string;
  claim: Claim;
}

export type Claim =
  /** The text between `[[` and `]]`. */
  | { type: "marker"; body: string }
  | PathClaim
  /** An absolute path on this computer. */
  | ({ type: "file"; path: string } & LineRange)
  | ({ type: "citewell"; resource: string; path: string; revision: string } & LineRange)
  /** With an empty path, the page of a commit. */
  | ({ type: "permalink"; url: string; revision: string; path: string } & LineRange);

/**
 * A path, relative or absolute, perhaps after a resource's name and a colon. One that is not certain is a citation only
 * if there is such a file. The target of a Markdown link is relative to the document.
 */
export interface PathClaim extends LineRange {
  type: "path";
  target: string;
  isCertain: boolean;
  isLink: boolean;
}

/**
 * The citations of any Markdown, in their order: our markers and the links that are made of them, `citewell:` URLs,
 * permanent links of code hosts, and paths with lines (`src/a.ts:10-20`, `src/a.ts#L10-L20`, also as a link's target).
 * Paths in fenced code are left alone: logs and stack traces are full of them.
 */
export function findCitations(text: string): FoundCitation[] {
  const found: FoundCitation[] = [];
  let fence: Fence | undefined;
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    const before = fence;
    fence = fenceAfter(content, fence);
    const opened = before === undefined && fence !== undefined ? headClaim(content) : undefined;
    const claims = opened === undefined ? claimsIn(content, { inCode: before !== undefined }) : [opened];
    found.push(...claims.map((claim) => ({ line: index + 1, ...claim })));
  }
  return found;
}

type TextClaim = Pick<FoundCitation, "text" | "claim">;

const name = String.raw`[\p{L}\p{N}_@.~$+%-]+`;
const grouped = String.raw`\(${name}\)|\[{1,2}${name}\]{1,2}`;
const path = String.raw`(?:~?\/|(?:\.{1,2}\/)+)?${name}(?:\/(?:${name}|${grouped}))*`;
/** Packages have a scope, a path or a group, and a Windows path a drive. */
const prefix = String.raw`(?:(?:npm:)?@[\p{L}\p{N}_.~-]+\/${name}:|(?:${allPackagePrefixes.join("|")}):${name}(?:\/${name})+:|(?:${name}:){0,3})`;
const lines = String.raw`(?::\d{1,9}(?:[-–—]\d{1,9})?(?::\d+)?|#L\d{1,9}(?:C\d+)?(?:[-–—]L?\d{1,9}(?:C\d+)?)?)`;

/** One citation of a line of text; what comes first wins, so that the label of a link is not read beside its target. */
const pattern = new RegExp(
  [
    String.raw`\[\[(?<marker>(?:[^\]]|\](?!\])){1,1200})\]\]`,
    String.raw`\[(?<label>(?:\\.|[^[\]\\])*)\]\(<?(?<target>[^\s<>)]+)>?(?:\s+"[^"]*")?\)`,
    String.raw`(?<url>\b(?:https?|file|citewell):\/[^\s<>"'\x60)\]]+)`,
    String.raw`(?<![\p{L}\p{N}_@.~$/%:#-])(?<path>${prefix}${path}${lines})(?![\p{L}\p{N}_])`,
  ].join("|"),
  "gu",
);

function claimsIn(content: string, { inCode }: { inCode: boolean }): TextClaim[] {
  return [...content.matchAll(pattern)].flatMap(({ 0: text, groups = {} }): TextClaim[] => {
    const { marker, label = "", target, url, path: plain } = groups;
    if (marker !== undefined) return [{ text, claim: { type: "marker", body: marker } }];
    if (target !== undefined) {
      const claim = urlClaim(target) ?? relativeClaim(target);
      return claim === undefined ? claimsIn(label, { inCode }) : [{ text, claim }];
    }
    const claim = url === undefined ? (inCode ? undefined : pathClaim(plain ?? "")) : urlClaim(url);
    return claim === undefined ? [] : [{ text, claim }];
  });
}

function relativeClaim(target: string): Claim | undefined {
  return target.includes("#L") ? pathClaim(target, { isLink: true }) : undefined;
}

function urlClaim(text: string): Claim | undefined {
  const url = withoutPunctuation(text);
  if (url.startsWith("citewell:")) {
    const parsed = parseCitewellUrl(url);
    return parsed === undefined ? undefined : { type: "citewell", ...parsed };
  }
  if (url.startsWith("file:")) return fileClaim(url);
  const parsed = parsePermalink(url);
  return parsed === undefined ? undefined : { type: "permalink", ...parsed };
}

function fileClaim(text: string): Claim | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const range = parseLineFragment(url.hash.slice(1));
  if (range === undefined) return undefined;
  try {
    return { type: "file", path: fileURLToPath(url), ...range };
  } catch {
    return undefined;
  }
}

function pathClaim(text: string, { isLink = false } = {}): Claim | undefined {
  const [, target, start, end] =
    /^(.+?)(?::|#L)(\d{1,9})(?:C\d+)?(?:[-–—]L?(\d{1,9})(?:C\d+)?)?(?::\d+)?$/u.exec(text) ?? [];
  if (target === undefined || start === undefined) return undefined;
  const range = { startLine: Number(start), endLine: Number(end ?? start) };
  return { type: "path", target, isCertain: looksLikeFile(target), isLink, ...range };
}

/** With the ending of a language we know, or in a folder and with any ending: `10:30` and `example.org:80` are none. */
export function looksLikeFile(target: string): boolean {
  const last = target.slice(target.lastIndexOf("/") + 1);
  const hasEnding = /\.\p{L}[\p{L}\p{N}]{0,9}$/u.test(last);
  return languageOf(target).tag !== "text" || (hasEnding && target.includes("/"));
}

/** ```` ```10:20:src/a.ts ````, as some assistants head the code that they quote. */
function headClaim(content: string): TextClaim | undefined {
  const [text, start, end, target] = /^[\s>]*`{3,}(\d{1,9}):(\d{1,9}):(\S+)\s*$/.exec(content) ?? [];
  if (text === undefined || target === undefined) return undefined;
  const claim = { type: "path", target, isCertain: true, isLink: false } as const;
  return { text: text.trim(), claim: { ...claim, startLine: Number(start), endLine: Number(end) } };
}
