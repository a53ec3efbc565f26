import { hasLines, type LineSet, missingLines } from "../lib/line-set.ts";
import {
  type Citation,
  type CitationState,
  formatLines,
  isProved,
  isSameRevision,
  type LineRange,
} from "../protocol/citation.ts";
import type { Marker } from "../protocol/passage.ts";
import { citationHref, markdownUrl } from "./citation-text.ts";
import { isTelling, occurrences, piecesOf, type TextIndex } from "./quote.ts";
import type { FoundFile, Source, Sources } from "./sources.ts";

export interface CheckedCitation {
  citation: Citation;
  /** Where the lines open: for every citation that is a link. */
  href: string | undefined;
}

/** The result without names; `lines` if they may differ from the claimed ones. */
interface Verdict {
  state: CitationState;
  reason?: string;
  lines?: LineRange;
}

/** A line that is repeated more often than this is nowhere in particular; hostile files are not searched to their end. */
const occurrenceLimit = 10_000;

/**
 * Gives a citation its state (protocol/citation.ts says what each means). The first fault decides, in this order: no
 * such file, another revision, the quote, the range, what was shown. A quote of fewer than three characters proves
 * nothing: it is left out, and the lines alone count. A file that cannot be read as text is `not-read`.
 */
export async function verifyCitation(
  marker: Marker,
  options: {
    id: string;
    sources: Sources;
    ledger: { shown(resource: string, path: string): LineSet };
    signal?: AbortSignal | undefined;
  },
): Promise<CheckedCitation> {
  const { id, sources, ledger, signal } = options;
  const found = sources.find(marker.target);
  const claim = { startLine: marker.startLine, endLine: marker.endLine };
  const quote = marker.quote !== undefined && isTelling(marker.quote) ? marker.quote : undefined;
  const { resource, path } = found;
  const named = { id, resource, path, ...claim, ...(quote === undefined ? {} : { quote }) };
  if (found.type === "missing") {
    const { reason, revision } = found;
    return { citation: { ...named, state: "missing", reason, revision }, href: undefined };
  }
  const shown = ledger.shown(resource, path);
  const verdict = otherRevision(found) ?? judge(claim, { quote, source: await sources.read(found, { signal }), shown });
  return describe(named, { verdict, file: found });
}

function describe(
  named: Omit<Citation, "state" | "revision">,
  { verdict, file }: { verdict: Verdict; file: FoundFile },
): CheckedCitation {
  const { snapshot, path } = file;
  const { state, reason, lines } = verdict;
  const { startLine, endLine } = named;
  const isMoved = lines !== undefined && (lines.startLine !== startLine || lines.endLine !== endLine);
  const isLink = isProved(verdict) || state === "not-read";
  const url = isLink ? snapshot.permalink(path, lines ?? named) : undefined;
  const citation: Citation = {
    ...named,
    ...lines,
    ...(isMoved ? { claimed: { startLine, endLine } } : {}),
    state,
    ...(reason === undefined ? {} : { reason }),
    revision: snapshot.revision,
    ...(url === undefined ? {} : { url: markdownUrl(url) }),
  };
  return { citation, href: isLink ? citationHref(citation, snapshot) : undefined };
}

function otherRevision({ snapshot, citedRevision }: FoundFile): Verdict | undefined {
  if (citedRevision === undefined || isSameRevision(citedRevision, snapshot.revision)) return undefined;
  return {
    state: "mismatch",
    reason: `revision ${citedRevision} is cited, but ${snapshot.revision} was read`,
  };
}

function judge(
  claim: LineRange,
  { quote, source, shown }: { quote: string | undefined; source: Source; shown: LineSet },
): Verdict {
  if (source.type === "unreadable") return rangeFault(claim, Infinity) ?? { state: "not-read", reason: source.reason };
  const outOfRange = rangeFault(claim, source.lineCount);
  if (quote !== undefined) {
    const index = source.index();
    const pieces = piecesOf(quote, index);
    if (pieces === undefined) return outOfRange ?? { state: "mismatch", reason: "the quoted text is not in the file" };
    if (!isWithin(claim, pieces, index)) return moved(claim, { places: placesNear(claim, pieces, index), shown });
  }
  return outOfRange ?? notShown(claim, shown) ?? { state: "verified" };
}

function rangeFault(claim: LineRange, lineCount: number): Verdict | undefined {
  const reason = rangeReason(claim, lineCount);
  return reason === undefined ? undefined : { state: "out-of-range", reason };
}

function rangeReason({ startLine, endLine }: LineRange, lineCount: number): string | undefined {
  if (startLine < 1) return "lines are counted from 1";
  if (endLine < startLine) return `line ${startLine} comes after line ${endLine}`;
  if (endLine <= lineCount) return undefined;
  if (lineCount === 0) return "the file is empty";
  return `the file has ${lineCount} ${lineCount === 1 ? "line" : "lines"}`;
}

function isWithin(claim: LineRange, pieces: readonly string[], index: TextIndex): boolean {
  const next = firstFrom(claim.startLine, pieces, index);
  return next !== undefined && next.endLine <= claim.endLine;
}

/** At least one place; where there are too many, the first ones and the one that follows the claim. */
function placesNear(claim: LineRange, pieces: readonly string[], index: TextIndex): LineRange[] {
  const following = firstFrom(claim.startLine, pieces, index);
  const places = following === undefined ? [] : [following];
  for (const place of occurrences(pieces, index, 1)) {
    if (places.push(place) > occurrenceLimit) break;
  }
  return places;
}

function firstFrom(line: number, pieces: readonly string[], index: TextIndex): LineRange | undefined {
  for (const place of occurrences(pieces, index, line)) return place;
  return undefined;
}

/** Of several places the model meant one that it was shown, and of these the nearest to its claim. */
function moved(claim: LineRange, { places, shown }: { places: readonly LineRange[]; shown: LineSet }): Verdict {
  const wasShown = places.filter((place) => hasLines(shown, place));
  const lines = (wasShown.length > 0 ? wasShown : places).reduce((best, place) =>
    distance(claim, place) < distance(claim, best) ? place : best,
  );
  return (
    notShown(lines, shown) ?? {
      state: "relocated",
      reason: `the quoted text is in ${lineWords(lines)}, not ${formatLines(claim)}`,
      lines,
    }
  );
}

function distance(a: LineRange, b: LineRange): number {
  return Math.max(0, a.startLine - b.endLine, b.startLine - a.endLine);
}

function notShown(lines: LineRange, shown: LineSet): Verdict | undefined {
  const missing = missingLines(shown, lines);
  if (missing === undefined) return undefined;
  const were = missing.startLine === missing.endLine ? "was" : "were";
  return { state: "not-read", reason: `${lineWords(missing)} ${were} not shown in this run`, lines };
}

function lineWords(lines: LineRange): string {
  return `${lines.startLine === lines.endLine ? "line" : "lines"} ${formatLines(lines)}`;
}
