import type { LineRange } from "../protocol/citation.ts";
import type { SpecialPlace } from "./special-place.ts";

interface Lines {
  lines: readonly string[];
  startLine: number;
}

interface EntryForm {
  start: RegExp;
  /** The line after it. */
  end: RegExp;
  height: number;
}

/** Best first. */
const entryForms: readonly EntryForm[] = [
  { start: /^#{1,6}\s/, end: /^#{1,6}\s/, height: 24 },
  { start: /^={1,6}\s/, end: /^={1,6}\s/, height: 24 },
  { start: /^\s*<(?:dt|h\d)/, end: /^\s*<(?:dt|h\d|\/dl)/, height: 14 },
  { start: /^\s*<(?:td|th)/, end: /^\s*<(?:tr|\/tr|\/table)/, height: 8 },
  { start: /^\.\w/, end: /^\.(?:B|It|IP|SS|SH|TP)\b/, height: 14 },
  { start: /^\s*\|/, end: /^/, height: 1 },
  { start: /^\.\.\s/, end: /^\S/, height: 14 },
  { start: /^(?:\/\/!)?\s*[-*+]\s/, end: /^(?:\/\/!)?\s*(?:[-*+]\s|$)|^#/, height: 8 },
];

/**
 * The lines of the place. The entry of an option has words that describe it; a list of completions has none.
 * `rank`: how well they fit, less is better.
 */
export function rangeIn(
  { pattern, best, height, end, files, isEntry, declaration, member, ownFile }: SpecialPlace,
  { lines: written, startLine }: Lines,
): { range: LineRange; rank: number } | undefined {
  const first = new RegExp(pattern, files.length > 0 ? "i" : "");
  if (isEntry === true) {
    const entry = entryIn(first, { lines: written, startLine });
    const described = ownFile && ownIn(ownFile.forms, { lines: written, startLine });
    if (described !== undefined && described.rank < (entry?.rank ?? Infinity)) return described;
    return entry ?? codeIn({ declaration, member, lines: written, startLine }, entryForms.length);
  }
  const lines = written.map((line, index) =>
    isUnderline(written[index + 1]) && /^\w/.test(line) ? `# ${line}` : line,
  );
  let sentence: LineRange | undefined;
  const preferred = best === undefined ? -1 : lines.findIndex((line) => new RegExp(best, "i").test(line));
  for (const [start, text] of lines.entries()) {
    if (!first.test(text) || start < preferred) continue;
    const rest = lines.slice(start + 1, start + height);
    const block = blockAround(lines, start);
    // A comment in a block of commands is no heading.
    const isEnd = (line: string) =>
      block !== undefined
        ? isFence(line)
        : (end !== undefined && new RegExp(end).test(line)) || (isComment.test(text) && !isComment.test(line));
    // A heading may follow at once, as "Prerequisites" does "Getting started".
    const content =
      block === undefined && /^(?:#|\.\. )/.test(text)
        ? rest.findIndex((line) => line.trim() !== "" && !isEnd(line) && !isUnderline(line))
        : -1;
    const stop = rest.findIndex((line, index) => index > content && isEnd(line));
    const own = stop === -1 ? rest : rest.slice(0, stop);
    const words =
      [text, ...own]
        .join(" ")
        .replaceAll(/(?:\\?-){1,2}[\w\\-]+/g, " ")
        .match(/[a-z]{2,}/gi) ?? [];
    if (files.length === 0 && words.length < leastWords) continue;
    const last = start + 1 + own.findLastIndex((line) => line.trim() !== "");
    const isShort = block !== undefined && block.end - block.start < linesOfBlock;
    const range = isShort
      ? { startLine: startLine + introducedAt(lines, block.start + 1), endLine: startLine + block.end - 1 }
      : { startLine: startLine + introducedAt(lines, start), endLine: startLine + last };
    if (files.length > 0 || ownLine.test(text.replace(first, "")))
      return { range, rank: Number(best !== undefined && preferred === -1) };
    sentence ??= range;
  }
  const declared = codeIn({ declaration, member, lines, startLine }, ofDeclaration);
  if (declared !== undefined) return declared;
  return sentence === undefined ? undefined : { range: sentence, rank: ofSentence };
}

const isComment = /^\s*(?:\/\/|\*\s)/;

const ofDeclaration = 0.5;

/** The rank of a sentence that begins with an option, such as an example: a declaration in any code says more. */
const ofSentence = 3;

function ownIn(forms: readonly string[], { lines, startLine }: Lines) {
  for (const [form, expression] of forms.entries()) {
    const at = lines.findIndex((line) => new RegExp(expression, form === 1 ? "" : "i").test(line));
    if (at === -1) continue;
    const comment = lines.slice(0, at).findLastIndex((line) => !/^\s*(?:\/\/|\/?\*|#|--|@)/.test(line)) + 1;
    const start = form === 2 ? comment : form === 1 ? Math.max(0, at - 2) : at;
    const end = Math.min(lines.length, start + linesOfOwn) - 1;
    return { range: { startLine: startLine + start, endLine: startLine + end }, rank: (form + 1) / 2 };
  }
  return undefined;
}

const linesOfOwn = 24;

/** The declaration, or the member, in code. */
function codeIn(
  { declaration, member, ...code }: Pick<SpecialPlace, "declaration" | "member"> & Lines,
  rank: number,
): { range: LineRange; rank: number } | undefined {
  const declared = declaration && declaredIn(new RegExp(declaration), code);
  if (declared) return { range: declared, rank };
  const found = member ? memberIn(new RegExp(member), code) : undefined;
  return found && { range: found.range, rank: rank + 1 - Math.min(1, found.words / longComment) };
}

/** The call or the object that declares an option, with a text of several words that describes it. */
function declaredIn(declaration: RegExp, { lines, startLine }: Lines): LineRange | undefined {
  for (const [found, text] of lines.entries()) {
    if (!declaration.test(text)) continue;
    let start = found;
    while (start > 0 && found - start < mostAbove && /[(,{]\s*$/.test(lines[start - 1] ?? "")) {
      start--;
      if (/[({]\s*$/.test(lines[start] ?? "")) break;
    }
    let depth = 0;
    let isDescribed = false;
    for (const [index, line] of lines.slice(start, found + mostBelow).entries()) {
      depth += (line.match(/[([{]/g) ?? []).length - (line.match(/[)\]}]/g) ?? []).length;
      isDescribed ||= description.test(line.replace(declaration, " "));
      if (start + index >= found && isDescribed && depth <= 0)
        return { startLine: startLine + start, endLine: startLine + start + index };
      // A call that ends here describes nothing, unless it is one of a chain.
      const isLast = !/^\s*\./.test(lines[start + index + 1] ?? "");
      if (depth < 0 || (depth === 0 && isLast && start + index >= found && /\)[;,]?\s*$/.test(line))) break;
    }
  }
  return undefined;
}

/** The member with the longest comment above it. */
function memberIn(member: RegExp, { lines, startLine }: Lines): { range: LineRange; words: number } | undefined {
  let best: { range: LineRange; words: number } | undefined;
  for (const [found, text] of lines.entries()) {
    if (!member.test(text)) continue;
    const start = lines.slice(0, found).findLastIndex((line) => !aboveMember.test(line)) + 1;
    const words =
      lines
        .slice(start, found)
        .join(" ")
        .replaceAll(/\w+:\/\/\S+/g, " ")
        .match(/[a-z]{2,}/gi) ?? [];
    if (words.length >= Math.max(leastWords, (best?.words ?? 0) + 1))
      best = { range: { startLine: startLine + start, endLine: startLine + found }, words: words.length };
  }
  return best;
}

/** A comment with this many words is preferred to all shorter ones. */
const longComment = 60;

/** A comment, an attribute or a decorator. */
const aboveMember = /^\s*(?:\/\/|\/?\*|#|@)/;

const description = /["'\x60][^"'\x60]*[a-z]{2,}\s+[a-z]{2,}/i;
const mostAbove = 3;
const mostBelow = 14;

/**
 * The beginning of the sentence that a line goes on with, or that precedes the code block around it, or of that block; else
 * the line itself.
 */
function introducedAt(lines: readonly string[], at: number): number {
  const [text = "", previous = ""] = [lines[at], lines[at - 1]];
  if (/^\s*[a-z([]/.test(text) && /^\s*(?:[-*+]|\d+\.)?\s*[A-Z].*[^\s.:;!?]\s*$/.test(previous)) return at - 1;
  const fence = lines.slice(0, at).findLastIndex((line) => isFence(line));
  // A block that began further away, or ended before a blank line, is another one.
  const isNear = fence !== -1 && fence >= at - 3 && lines.slice(fence, at).every((line) => line.trim() !== "");
  if (!isNear || (text.startsWith("#") && blockAround(lines, at) === undefined)) return at;
  const sentence = lines.slice(0, fence).findLastIndex((line) => line.trim() !== "");
  return sentence === -1 || sentence < fence - 2 || isFence(lines[sentence] ?? "") ? fence : sentence;
}

/** The fences of the block of code that a line is in; undefined if it is in none, or in one with an end out of sight. */
function blockAround(lines: readonly string[], at: number): { start: number; end: number } | undefined {
  const fences = lines.flatMap((line, index) => (isFence(line) ? [index] : []));
  const before = fences.filter((index) => index < at);
  const start = before.at(-1);
  const end = fences.find((index) => index > at);
  if (start === undefined || end === undefined || isFence(lines[at] ?? "")) return undefined;
  // Only a fence that begins a block names a language; lines may begin within a block.
  const isOpen = /\w/.test(lines[start] ?? "") || before.length % 2 === 1;
  return isOpen && !/\w/.test(lines[end] ?? "") ? { start, end } : undefined;
}

/** A longer block of code is shown in part. */
const linesOfBlock = 20;

function isFence(line: string): boolean {
  return /^\s*(?:```|~~~)/.test(line);
}

function isUnderline(line: string | undefined): boolean {
  return line !== undefined && /^([=~^*+-])\1{2,}\s*$/.test(line);
}

/** What follows an option in its own entry: other names and values, and nothing or a gap. */
const ownLine =
  /^(?:[\x60'"*)\]}>]|=\.{3}|\s?=?\s?\[?[<{[][^>}\]]*[>}\]]|[ =]"?[A-Z][\w.|-]*|,\s*[\x60'"*]*\\?-[\w\\-]+)*\s*(?:$|[,|:—–(]|-\s|\s{2}|\t)/;

/** The entry in the best form that has words beside the name. */
function entryIn(first: RegExp, { lines, startLine }: Lines): { range: LineRange; rank: number } | undefined {
  const found = lines.flatMap((text, start) => {
    const form = entryForms.findIndex((one) => one.start.test(text));
    if (!first.test(text)) return [];
    const { end, height } = entryForms[form] ?? { end: /^/, height: 1 };
    const rest = lines.slice(start + 1, start + height);
    const indent = text.search(/\S/);
    const stop = rest.findIndex((line) => end.test(line) && !(line.trim() !== "" && line.search(/\S/) > indent));
    const own = stop === -1 ? rest : rest.slice(0, stop);
    const words = [text.replace(first, ""), ...own].join(" ").match(/[a-z]{2,}/gi) ?? [];
    const last = own.findLastIndex((line) => line.trim() !== "");
    const range = { startLine: startLine + start, endLine: startLine + start + 1 + last };
    return words.length < leastWords ? [] : [{ rank: form, range }];
  });
  return found.toSorted((a, b) => a.rank - b.rank)[0];
}

const leastWords = 4;
