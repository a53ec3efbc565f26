import { type Fence, fenceAfter } from "../lib/markdown-fence.ts";

/** A link or an image of a Markdown document whose target is a path. */
export interface FoundLink {
  /** The line of the text, 1-based. */
  line: number;
  /** The target as it is written, which is also where the link is found in its line. */
  target: string;
  /**
   * The path without query and fragment, decoded. It is relative to the document's folder, or to the root if it begins
   * with `/`.
   */
  path: string;
}

/**
 * The relative links of Markdown: inline, by reference, images, and those of HTML; not in code. Links to lines
 * (`src/a.ts#L10`) are citations (`find.ts`); URLs and headings of the document itself are neither.
 */
export function findLinks(text: string): FoundLink[] {
  const found: FoundLink[] = [];
  let fence: Fence | undefined;
  let isComment = false;
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    const before = fence;
    fence = fenceAfter(content, fence);
    if (before !== undefined || fence !== undefined) continue;
    const { rest, isOpen } = withoutComments(content, isComment);
    isComment = isOpen;
    for (const target of targetsIn(withoutCode(rest))) {
      const path = pathOf(target);
      if (path !== undefined) found.push({ line: index + 1, target, path });
    }
  }
  return found;
}

const inline = String.raw`(?<!\\)\]\(\s*(?:<(?<angled>[^<>\n]*)>|(?<plain>(?:\\.|[^\s()<>\\]|\((?:\\.|[^\s()\\])*\))+))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)`;
const reference = String.raw`^ {0,3}\[(?!\^)(?:\\.|[^[\]\\])+\]:\s*(?:<(?<angledReference>[^<>\n]*)>|(?<plainReference>[^\s<>]+))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*$`;
const html = String.raw`<(?:a|img|source|video|link)\b[^<>]*?\s(?:href|src)\s*=\s*(?:"(?<double>[^"<>]*)"|'(?<single>[^'<>]*)')`;
const pattern = new RegExp([inline, reference, html].join("|"), "gi");

function targetsIn(content: string): string[] {
  return [...content.matchAll(pattern)].flatMap(({ groups = {} }) => {
    const target = Object.values(groups).find((group) => group !== undefined);
    return target === undefined || target === "" ? [] : [target];
  });
}

/** Code spans, as many characters of nothing. */
function withoutCode(content: string): string {
  return content.replace(/(?<![\\`])(`+)(?!`)([^]*?[^`])\1(?!`)/g, (span) => " ".repeat(span.length));
}

function withoutComments(content: string, isOpen: boolean): { rest: string; isOpen: boolean } {
  let rest = "";
  let from = 0;
  let isInside = isOpen;
  for (;;) {
    const at = content.indexOf(isInside ? "-->" : "<!--", from);
    if (at === -1) break;
    if (!isInside) rest += content.slice(from, at);
    from = at + (isInside ? 3 : 4);
    isInside = !isInside;
  }
  return { rest: isInside ? rest : rest + content.slice(from), isOpen: isInside };
}

/** Undefined for what is no path: a URL, a heading of the document, lines of a file, a placeholder of a template. */
function pathOf(target: string): string | undefined {
  const plain = target.replace(/\\([!-/:-@[-`{-~])/g, "$1").replaceAll("&amp;", "&");
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i.test(plain) || /#L\d/.test(plain) || /[{}$]|^<|\[\[/.test(plain))
    return undefined;
  const path = plain.replace(/[?#].*$/, "");
  if (path === "") return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
