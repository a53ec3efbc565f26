import type { PublishedToolName } from "../../protocol/published-tools.ts";
import type { Output } from "../../protocol/operations.ts";
import { formatLines } from "../../protocol/citation.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import type { SearchHit } from "../../protocol/search.ts";
import { shorten } from "../../protocol/shorten.ts";
import { partsOf, type SourceFile } from "../../protocol/source.ts";

export interface Page<Name extends PublishedToolName> {
  output: Output<Name>;
  /** The omitted part, and how to continue; absent if nothing is omitted. */
  cut?: string;
  /** The cursor of the next page. */
  nextOffset?: number;
}

/**
 * What a result may take: 25,000 tokens, the most that Claude Code takes of a tool by default, at three bytes to the
 * token, which is few for code and right for scripts of three bytes to a character.
 */
export const resultBytes = 25_000 * 3;

/** The space for the notes around the output. */
const reservedBytes = 10_000;

/**
 * What the passages of a search by default may take, their lines escaped as in JSON: some clients cut results at 8,000
 * characters, or put them into a file (docs/agents.md). More passages may take as much more.
 */
const searchBytes = 7000;

/** Longer lines are of no file that a person wrote; in UTF-16 units. */
const longestLine = 4000;

/** Of those that have no room, each in a line; the rest is counted. */
const passagesNamed = 5;

const linksShown = 50;
/** The number of files that are named as not searched; the rest is counted. */
const skippedShown = 20;

export interface PageOptions<Name extends PublishedToolName> {
  offset: number;
  /** How many passages, where fewer are wanted than the output has. */
  items?: number | undefined;
  /** Whether the output may go on after its end, because the operation was given a limit. */
  isOpen?: boolean | undefined;
  /** What an output would take, in bytes. */
  sizeOf: (output: Output<Name>) => number;
  /** A passage that is only listed, in the syntax of `read`. */
  placeOf: (hit: SearchHit) => string;
  /** Default: what every result may take. */
  bytes?: number | undefined;
}

/** What so many passages may take, in bytes; `usual` are those of a request that names no number. */
export function bytesOfSearch(passages: number, { usual }: { usual: number }): number {
  return Math.min(resultBytes - reservedBytes, Math.round(searchBytes * Math.max(1, passages / usual)));
}

/** The part of an output from `offset` on that fits into a result. */
export function toPage<Name extends PublishedToolName>(
  name: Name,
  output: Output<Name>,
  { offset, items, isOpen = false, sizeOf, placeOf, bytes = resultBytes - reservedBytes }: PageOptions<Name>,
): Page<Name> {
  const slicer: Slicer<Name> = slicers[name];
  const total = slicer.count(output);
  const start = Math.min(slicer.skips ? 0 : offset, total);
  const wanted = Math.min(total, start + (items ?? total));
  const fits = (page: Output<Name>) => sizeOf(page) <= bytes;
  const sliceTo = (last: number) => slicer.slice(output, start, last);
  const least = Math.min(start + 1, wanted);
  const end = lastThat((last) => fits(sliceTo(last)), { from: least, to: wanted });
  const slice = sliceTo(end);
  const page = end === least ? (slicer.fit?.(slice, fits) ?? slice) : slice;
  const isWhole = end === total && !isOpen;
  const nextOffset = slicer.nextOffset?.({ page, offset, isWhole });
  const cut = [
    ...(slicer.leftOut?.(output) ?? []),
    ...(page === slice ? [] : (slicer.readOn?.(page) ?? [])),
    ...(isWhole ? [] : [slicer.cutAt({ output, page, end, total, offset, isOpen, placeOf })]),
    ...(nextOffset === undefined ? [] : [`Call it again with offset ${nextOffset} for more.`]),
  ];
  return {
    output: page,
    ...(cut.length === 0 ? {} : { cut: cut.join(" ") }),
    ...(nextOffset === undefined ? {} : { nextOffset }),
  };
}

/** The parts that an output can be cut between. */
interface Slicer<Name extends PublishedToolName> {
  count(output: Output<Name>): number;
  slice(output: Output<Name>, start: number, end: number): Output<Name>;
  cutAt(place: {
    output: Output<Name>;
    page: Output<Name>;
    end: number;
    total: number;
    offset: number;
    isOpen: boolean;
    placeOf: (hit: SearchHit) => string;
  }): string;
  /** Less of a page that has one item and is too large. */
  fit?(page: Output<Name>, fits: (page: Output<Name>) => boolean): Output<Name>;
  /** How to get the rest of an item that `fit` has cut, in sentences. */
  readOn?(page: Output<Name>): readonly string[];
  /** Whether the operation applies the offset itself. */
  skips?: boolean;
  /** What the operation has not given, in sentences. */
  leftOut?(output: Output<Name>): readonly string[];
  /** The offset of what follows, where offsets are taken and something does. */
  nextOffset?(page: { page: Output<Name>; offset: number; isWhole: boolean }): number | undefined;
}

const slicers: { readonly [Name in PublishedToolName]: Slicer<Name> } = {
  listResources: {
    count: ({ resources }) => resources.length,
    slice: (output, start, end) => ({ ...output, resources: output.resources.slice(start, end) }),
    cutAt: ({ end, total }) => `Cut after ${end} of ${total} resources.`,
    nextOffset: ({ page, offset, isWhole }) => (isWhole ? undefined : offset + page.resources.length),
  },
  search: {
    // One of them is empty.
    count: ({ results, counts = [] }) => results.length + counts.length,
    slice(whole, start, end) {
      const { cut: _, hasMore: _more, ...output } = whole;
      const { counts, skipped, skippedFiles = skipped.length } = output;
      return {
        ...output,
        ...(counts === undefined ? {} : { counts: counts.slice(start, end) }),
        results: output.results.slice(start, end).map((hit) => ({ ...hit, preview: shortenLines(hit.preview) })),
        skipped: skipped.slice(0, skippedShown),
        ...(skipped.length > skippedShown ? { skippedFiles } : {}),
      };
    },
    cutAt({ output, page: { counts, matches }, end, total, offset, isOpen, placeOf }) {
      if (counts !== undefined || matches !== undefined) {
        return `Cut after ${end} of ${total} ${counts === undefined ? "passages" : "files"}.`;
      }
      const known = `${isOpen ? "at least " : ""}${offset + total}`;
      const next = namePassages(output.results.slice(end, end + passagesNamed), placeOf);
      const also = next.length === 0 ? "" : `Also found, for read:\n${next.join("\n")}\n\n`;
      return `${also}Passages ${offset + 1} to ${offset + end} of ${known}: ${isOpen ? "at least " : ""}${total - end} more.`;
    },
    fit(page, fits) {
      const [hit] = page.results;
      if (hit === undefined || fits(page)) return page;
      const lines = hit.preview.split("\n");
      const first = (count: number) => ({ ...page, results: [firstLines(hit, lines.slice(0, count))] });
      return first(lastThat((count) => fits(first(count)), { from: 1, to: lines.length }));
    },
    readOn: ({ results: [hit] }) =>
      hit === undefined ? [] : [`Cut after line ${hit.endLine}: read on with startLine ${hit.endLine + 1}.`],
    skips: true,
    leftOut: ({ cut = [] }) => cut.map((words) => `${words}.`),
    nextOffset({ page: { results, counts, matches = 0, matchingFiles = 0 }, offset, isWhole }) {
      // Offsets are of files where those are counted, of matching lines where there are some, else of passages.
      const shown = counts?.length ?? results.reduce((sum, { matchLines }) => sum + (matchLines?.length ?? 1), 0);
      const next = offset + shown;
      return isWhole && next >= (counts === undefined ? matches : matchingFiles) ? undefined : next;
    },
  },
  history: {
    count: ({ commits }) => commits.length,
    slice: (output, start, end) => ({ ...output, commits: output.commits.slice(start, end) }),
    cutAt: ({ end, total }) => `Cut after ${end} of ${total} commits.`,
  },
  upgrade: {
    count: ({ findings }) => findings.length,
    slice: (output, start, end) => ({ ...output, findings: output.findings.slice(start, end) }),
    cutAt: ({ end, total }) => `Cut after ${end} of ${total} findings.`,
  },
  verify: {
    count: ({ citations }) => citations.length,
    // Of links, a model needs those that lead nowhere; the first page has them.
    slice: ({ links = [], ...output }, start, end) => {
      const broken = start > 0 ? [] : links.filter(({ state }) => state !== "found").slice(0, linksShown);
      const citations = output.citations.slice(start, end);
      return { ...output, citations, ...(broken.length === 0 ? {} : { links: broken }) };
    },
    cutAt: ({ end, total }) => `Cut after ${end} of ${total} citations.`,
    nextOffset: ({ page, offset, isWhole }) => (isWhole ? undefined : offset + page.citations.length),
  },
  read: {
    count: (output) => partsOf(output).reduce((sum, { lines }) => sum + lines.length, 0),
    slice: (output, start, end) => sliceFile(output, start, end),
    cutAt: ({ page: { endLine, totalLines } }) =>
      `Cut after line ${endLine} of ${totalLines}: read on with startLine ${endLine + 1}.`,
  },
  ask: {
    count: ({ text }) => text.length,
    slice: (output, start, end) => ({ ...output, text: output.text.slice(start, end), reasoning: "", tools: [] }),
    cutAt: ({ end, total, page: { thread } }) =>
      `Cut after ${end} of ${total} characters: ask for a part of it${thread === undefined ? "" : ` in thread ${thread}`}.`,
  },
};

/** `src/retry.ts:40-70 in Retry › next; 90-95 in run`: the passages of a file together, as `read` takes them. */
function namePassages(hits: readonly SearchHit[], placeOf: (hit: SearchHit) => string): string[] {
  const files = new Map<string, string>();
  for (const hit of hits) {
    const file = `${hit.resource}:${hit.path}`;
    const others = files.get(file);
    files.set(
      file,
      others === undefined ? `${placeOf(hit)}${whyOf(hit)}` : `${others}; ${formatLines(hit)}${whyOf(hit)}`,
    );
  }
  return [...files.values()];
}

/** ` docs, in Retry › next`: the kind and the definition of passages, if not obvious. */
function whyOf({ kind, reason, scope }: SearchHit): string {
  const around = scope === undefined ? undefined : `in ${scope.replaceAll(/ \(lines \d+-\d+\)/g, "")}`;
  const why = reason?.startsWith("defines") === true ? reason : (around ?? reason);
  const parts = [kind === "code" ? undefined : kind, why].filter((part) => part !== undefined);
  return parts.length === 0 ? "" : ` ${showInvisibleInLine(parts.join(", "))}`;
}

/** The lines from index `start` to `end`, counted across the ranges of a file. */
function sliceFile(file: SourceFile, start: number, end: number): SourceFile {
  let before = 0;
  const parts = partsOf(file).flatMap(({ startLine, lines }) => {
    const from = Math.max(0, start - before);
    const kept = lines.slice(from, Math.max(from, end - before));
    before += lines.length;
    return kept.length === 0
      ? []
      : [{ startLine: startLine + from, endLine: startLine + from + kept.length - 1, kept }];
  });
  const isWhole = start === 0 && end >= before;
  const text = isWhole ? file.text : `${parts.flatMap(({ kept }) => kept).join("\n")}\n`;
  const [first = file, last = file] = [parts[0], parts.at(-1)];
  return {
    ...file,
    text: shortenLines(text),
    startLine: first.startLine,
    endLine: last.endLine,
    ...(file.ranges === undefined ? {} : { ranges: parts.map(({ startLine, endLine }) => ({ startLine, endLine })) }),
  };
}

function firstLines({ matchLines, ...hit }: SearchHit, lines: readonly string[]): SearchHit {
  const endLine = hit.startLine + lines.length - 1;
  const kept = matchLines === undefined ? {} : { matchLines: matchLines.filter((line) => line <= endLine) };
  return { ...hit, ...kept, endLine, preview: lines.join("\n") };
}

function shortenLines(text: string): string {
  const isLong = text.split("\n").some((line) => line.length > longestLine);
  return isLong
    ? text
        .split("\n")
        .map((line) => shorten(line, longestLine))
        .join("\n")
    : text;
}

/** The last number that passes, where all before it do; `from` where none does. */
function lastThat(passes: (value: number) => boolean, { from, to }: { from: number; to: number }): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (passes(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
