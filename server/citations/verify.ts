import { addLines, hasLines, type LineSet, missingLines } from "../lib/line-set.ts";
import {
  type Citation,
  type CitationState,
  type CitedCommit,
  formatCitewellUrl,
  formatLines,
  isProved,
  isSameRevision,
  type LineRange,
} from "../protocol/citation.ts";
import type { Marker } from "../protocol/passage.ts";
import { citationHref, markdownUrl } from "./citation-text.ts";
import type { SnapshotCommit } from "../resources/snapshot.ts";
import { withoutAddresses } from "../source/addresses.ts";
import { indexText, isTelling, occurrences, type QuotePlace, readingsOf, type TextIndex } from "./quote.ts";
import type { FoundCommit, FoundFile, Source, Sources } from "./sources.ts";
import type { Ledger } from "./citations.ts";

export interface CheckedCitation {
  citation: Citation;
  /** The link that opens the lines; undefined for citations that are not links. */
  href: string | undefined;
}

/** The result of a check. `lines` is given if it may differ from the claimed lines. */
interface Verdict {
  state: CitationState;
  reason?: string;
  lines?: LineRange;
}

/** More occurrences of a quote are not considered: they identify no place, and a hostile file would take too long. */
const occurrenceLimit = 10_000;

/**
 * Gives a citation its state (protocol/citation.ts describes them). The first fault found decides. Order of the checks:
 * the file exists, the revision is the cited one, the quote matches, the lines exist, the model was shown them. The
 * reason says if a quote is too short to prove anything. A file that cannot be read as text is `not-read`.
 */
export async function verifyCitation(
  marker: Marker,
  options: {
    id: string;
    sources: Sources;
    ledger: Pick<Ledger, "shown">;
    signal?: AbortSignal | undefined;
  },
): Promise<CheckedCitation> {
  const { id, sources, ledger, signal } = options;
  const found = await sources.find(marker.target, { signal });
  const claim = { startLine: marker.startLine, endLine: marker.endLine };
  const { quote } = marker;
  const { resource, path } = found;
  const named = { id, resource, path, ...claim, ...(quote === undefined ? {} : { quote }) };
  if (!("snapshot" in found)) {
    const { type: state, reason, revision, commit } = found;
    const at = commit === undefined ? {} : { commit };
    const citation = { ...named, state, reason, revision, ...at };
    // It may open later.
    const href = state === "not-read" ? markdownUrl(formatCitewellUrl(citation)) : undefined;
    return { citation, href };
  }
  const { snapshot } = found;
  const atRevision = ledger.shown(resource, path, snapshot.revision);
  // The history of a repository shows lines at its snapshot's revision, too.
  const shown = snapshot.commit === undefined ? atRevision.reduce(addLines, ledger.shown(resource, path)) : atRevision;
  if (found.type === "commit") {
    const verdict = judgeCommit(found.commit, { quote, isShown: shown.length > 0 });
    // Authors' addresses are not shown.
    const quoted = quote === undefined ? {} : { quote: withoutAddresses(quote) };
    return describe({ ...named, ...quoted, startLine: 0, endLine: 0 }, { verdict, file: found });
  }
  const verdict = otherRevision(found) ?? judge(claim, { quote, source: await sources.read(found, { signal }), shown });
  return describe(named, { verdict, file: found });
}

function describe(
  named: Omit<Citation, "state" | "revision">,
  { verdict, file }: { verdict: Verdict; file: FoundFile | FoundCommit },
): CheckedCitation {
  const { snapshot, path } = file;
  const { state, reason, lines } = file.type === "file" ? withFullPath(verdict, file) : verdict;
  const { startLine, endLine } = named;
  const isMoved = lines !== undefined && (lines.startLine !== startLine || lines.endLine !== endLine);
  const isLink = isProved({ state }) || state === "not-read";
  const url = isLink ? snapshot.permalink(path, lines ?? named) : undefined;
  const citation: Citation = {
    ...named,
    ...lines,
    ...(isMoved ? { claimed: { startLine, endLine } } : {}),
    state,
    ...(reason === undefined ? {} : { reason }),
    revision: snapshot.revision,
    ...(snapshot.commit === undefined ? {} : { commit: citedCommit(snapshot.commit) }),
    ...(url === undefined ? {} : { url: markdownUrl(url) }),
  };
  return { citation, href: isLink ? citationHref(citation, snapshot) : undefined };
}

function citedCommit({ shortId: id, subject, date, author }: SnapshotCommit): CitedCommit {
  return { id, subject, date, author };
}

/** A path that was found by its end is corrected; only a full path is verified. */
function withFullPath(verdict: Verdict, { path, written }: FoundFile): Verdict {
  if (written === undefined) return verdict;
  const reasons = [`the path is ${path}, not ${written}`, ...(verdict.reason === undefined ? [] : [verdict.reason])];
  return { ...verdict, state: verdict.state === "verified" ? "relocated" : verdict.state, reason: reasons.join("; ") };
}

function otherRevision({ snapshot, citedRevision }: FoundFile): Verdict | undefined {
  if (citedRevision === undefined || isSameRevision(citedRevision, snapshot.revision)) return undefined;
  return {
    state: "mismatch",
    reason: `revision ${citedRevision} is cited, but ${snapshot.revision} was read`,
  };
}

/** A quote of a commit is of its message. */
function judgeCommit(
  { message }: SnapshotCommit,
  { quote, isShown }: { quote: string | undefined; isShown: boolean },
): Verdict {
  if (quote !== undefined && isTelling(quote)) {
    const index = indexText(message.split("\n"));
    const readings = readingsOf(withoutAddresses(quote));
    const isInMessage = readings.some((pieces) => firstFrom(1, pieces, index) !== undefined);
    if (!isInMessage) return { state: "mismatch", reason: "the quoted text is not in the commit's message" };
  }
  if (!isShown) return { state: "not-read", reason: "the commit was not shown in this run" };
  return { state: "verified", ...tooShort(quote) };
}

function judge(
  claim: LineRange,
  { quote, source, shown }: { quote: string | undefined; source: Source; shown: LineSet },
): Verdict {
  if (source.type === "unreadable") return rangeFault(claim, Infinity) ?? { state: "not-read", reason: source.reason };
  const outOfRange = rangeFault(claim, source.lineCount);
  if (quote !== undefined && isTelling(quote)) {
    const { isInFile, places } = findQuote(quote, { claim, source });
    if (!isInFile) return outOfRange ?? { state: "mismatch", reason: "the quoted text is not in the file" };
    if (places.length === 0)
      return outOfRange ?? { state: "mismatch", reason: "the quote joins text from different places" };
    if (!places.some((place) => isWithin(place, claim))) return moved(claim, { places, shown });
  }
  return outOfRange ?? notShown(claim, shown) ?? { state: "verified", ...tooShort(quote) };
}

function tooShort(quote: string | undefined): { reason?: string } {
  if (quote === undefined || isTelling(quote)) return {};
  return { reason: `the quote ${JSON.stringify(quote)} is too short to check` };
}

/**
 * The places of the first reading that is in the file: one within the claim, else those near it. What a quote leaves
 * out lies within the claimed lines or within one definition: two functions joined by an ellipsis say what neither
 * says.
 */
function findQuote(
  quote: string,
  { claim, source }: { claim: LineRange; source: Extract<Source, { type: "text" }> },
): { isInFile: boolean; places: readonly LineRange[] } {
  const index = source.index();
  let isInFile = false;
  for (const pieces of readingsOf(quote)) {
    const found = placesNear(claim, pieces, index);
    const places = pieces.length === 1 ? found : found.filter((one) => isWithin(one, claim) || areInOne(one));
    if (places.length > 0) return { isInFile: true, places };
    isInFile ||= found.length > 0;
  }
  return { isInFile, places: [] };

  function areInOne(place: QuotePlace): boolean {
    return source.scopes().areInOne(place.pieces);
  }
}

function rangeFault(claim: LineRange, lineCount: number): Verdict | undefined {
  const reason = rangeReason(claim, lineCount);
  return reason === undefined ? undefined : { state: "out-of-range", reason };
}

function rangeReason({ startLine, endLine }: LineRange, lineCount: number): string | undefined {
  if (endLine < 1) return "it names no lines; they are counted from 1";
  if (startLine < 1) return "lines are counted from 1";
  if (endLine < startLine) return `line ${startLine} comes after line ${endLine}`;
  if (endLine <= lineCount) return undefined;
  if (lineCount === 0) return "the file is empty";
  return `the file has ${lineCount} ${lineCount === 1 ? "line" : "lines"}`;
}

function isWithin(lines: LineRange, { startLine, endLine }: LineRange): boolean {
  return lines.startLine >= startLine && lines.endLine <= endLine;
}

/** The places of a quote: the next one after the claimed line alone if the claim has it, else all up to the limit. */
function placesNear(claim: LineRange, pieces: readonly string[], index: TextIndex): QuotePlace[] {
  const following = firstFrom(claim.startLine, pieces, index);
  if (following !== undefined && isWithin(following, claim)) return [following];
  const places = following === undefined ? [] : [following];
  for (const place of occurrences(pieces, index, 1)) {
    if (places.push(place) > occurrenceLimit) break;
  }
  return places;
}

function firstFrom(line: number, pieces: readonly string[], index: TextIndex): QuotePlace | undefined {
  for (const place of occurrences(pieces, index, line)) return place;
  return undefined;
}

/** Chooses among the places of a quote: those that the model was shown first, then the nearest to the claimed lines. */
function moved(claim: LineRange, { places, shown }: { places: readonly LineRange[]; shown: LineSet }): Verdict {
  const wasShown = places.filter((place) => hasLines(shown, place));
  const lines = (wasShown.length > 0 ? wasShown : places).reduce((best, place) =>
    distance(claim, place) < distance(claim, best) ? place : best,
  );
  return (
    notShown(lines, shown) ?? {
      state: "relocated",
      reason: `the quoted text is in ${lineWords(lines)}${claim.endLine < 1 ? "" : `, not ${formatLines(claim)}`}`,
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
