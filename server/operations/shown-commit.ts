import type { ChangedFile, HistoryCommit, HistoryRequest, Hunk } from "../protocol/git-history.ts";
import { shorten } from "../protocol/shorten.ts";
import type { HistoryRepository } from "../resources/git/history/history-repository.ts";
import type { LoggedCommit } from "../resources/git/history/read-log.ts";
import { withoutAddresses } from "../source/addresses.ts";
import { maskLines, maskText } from "../source/mask.ts";

const bodyLines = 8;
/** In characters, as `lineLength`. */
const bodyLength = 600;
const lineLength = 500;
const filesShown = 20;

/** A commit for a reply: addresses are left out, secrets are masked, and long messages and changes are cut. */
export function showCommit(
  { id, shortId, parent, date, author, message, files: changed }: LoggedCommit,
  { text, regex, diffLines, blame }: HistoryRequest,
  repository: Pick<HistoryRepository, "toResource">,
): HistoryCommit {
  const [subject = "", ...rest] = message.split("\n");
  const body = bodyOf(rest);
  const files: ChangedFile[] = [];
  let left = diffLines;
  let omittedLines = 0;
  const matches = (hunk: Hunk) => text === undefined || regex === true || hunk.lines.join("\n").includes(text);
  for (const file of changed.slice(0, filesShown)) {
    const hunks = file.hunks.filter(matches).flatMap((hunk) => {
      const shown = cutHunk(hunk, { count: left, text });
      left -= shown.lines.length;
      omittedLines += hunk.lines.length - shown.lines.length;
      return shown.lines.length === 0 ? [] : [maskHunk(shown)];
    });
    omittedLines += file.hunks.filter((hunk) => !matches(hunk)).reduce((sum, hunk) => sum + hunk.lines.length, 0);
    const from = file.from === undefined ? {} : { from: repository.toResource(file.from) };
    files.push({ ...file, ...from, path: repository.toResource(file.path), hunks });
  }
  const omittedFiles = changed.length - files.length;
  return {
    id,
    shortId,
    ...(parent === undefined ? {} : { parent }),
    date,
    author: maskText(withoutAddresses(author)),
    subject: shorten(maskText(withoutAddresses(subject)), lineLength),
    ...(body === "" ? {} : { body }),
    files: blame === true ? [] : files,
    ...(omittedLines === 0 ? {} : { omittedLines }),
    ...(omittedFiles === 0 ? {} : { omittedFiles }),
  };
}

/**
 * Whether a commit changes nothing but white space, also over several lines. Of lines that were asked for, git shows all
 * that the commit replaced around them, so that they are looked for in these.
 */
export function formatsOnly({ files }: Pick<LoggedCommit, "files">, { isOfLines }: { isOfLines: boolean }): boolean {
  const hunks = files.flatMap((file) => file.hunks);
  return hunks.length > 0 && hunks.every(({ lines }) => isSame(lines, { isOfLines }));
}

function isSame(lines: readonly string[], { isOfLines }: { isOfLines: boolean }): boolean {
  const without = (sign: string) =>
    lines.flatMap((line) => (line.startsWith(sign) ? [line.slice(1).replace(/\s+/g, "")] : []));
  const [before, after] = [without("-"), without("+").join("")];
  if (!isOfLines || after === "") return before.join("") === after;
  return before.some((_, start) => {
    let joined = "";
    for (let at = start; at < before.length && joined.length < after.length; at++) joined += before[at] ?? "";
    return joined === after;
  });
}

/** Up to `count` lines of a hunk, from shortly before the line with the text. */
function cutHunk(
  { oldStart, newStart, lines }: Hunk,
  { count, text }: { count: number; text: string | undefined },
): Hunk {
  const found = text === undefined ? -1 : lines.findIndex((line) => line.slice(1).includes(text));
  const start = Math.max(0, Math.min(found - linesBefore, lines.length - count));
  const removed = lines.slice(0, start).filter((line) => line.startsWith("-")).length;
  return {
    oldStart: oldStart + removed,
    newStart: newStart + start - removed,
    lines: lines.slice(start, start + count),
  };
}

const linesBefore = 2;

function maskHunk({ lines, ...starts }: Hunk): Hunk {
  const texts = lines.map((line) => line.slice(1));
  const masked = maskLines(texts, { startLine: 1, endLine: texts.length });
  return { ...starts, lines: masked.map((line, index) => `${lines[index]?.slice(0, 1)}${shorten(line, lineLength)}`) };
}

/** The message below its subject, without trailers such as `Signed-off-by`. */
function bodyOf(lines: readonly string[]): string {
  const told = lines.filter((line) => !/^[A-Z][\w-]+-[Bb]y: |^(?:Change-Id|git-svn-id): /.test(line));
  const text = withoutAddresses(
    told
      .join("\n")
      .trim()
      .replace(/\n{2,}/g, "\n"),
  );
  return shorten(maskText(text).split("\n").slice(0, bodyLines).join("\n"), bodyLength);
}
