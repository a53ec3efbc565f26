import { addLines, type LineSet } from "../lib/line-set.ts";
import type { Citation, LineRange } from "../protocol/citation.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { citationText } from "./citation-text.ts";
import { createScanner, type Piece } from "./scanner.ts";
import { createSources, type Revisions } from "./sources.ts";
import { verifyCitation } from "./verify.ts";

/**
 * The lines that the model was shown in this run, by file. The model's tools write it; the checker reads it, because
 * a citation of a line that was never shown is not `verified`.
 *
 * It lives as long as one question. A tool that shows a line without `show` makes true citations fail.
 */
export interface Ledger {
  /** Lines are 1-based and inclusive; a span that was shown masked counts as shown. */
  show(lines: LedgerFile & LineRange): void;
  shown(resource: string, path: string, revision?: string): LineSet;
}

/** A file of a resource, at another revision than its snapshot's if one is named. A commit's message is its file "". */
export interface LedgerFile {
  resource: string;
  path: string;
  revision?: string | undefined;
}

export interface CheckedText {
  /** Ordinary Markdown, without markers. May be empty. */
  delta: string;
  /** The citations in `delta`, in its order. Their ranges are offsets into the text of all pushes. */
  citations: Citation[];
}

/**
 * Takes the text of a model as it streams, and returns it with each marker checked and replaced by Markdown.
 * `operations/ask.ts` uses one for each answer.
 *
 * It checks that the text is there and was read, not that the claim is true. What makes a citation verified is in
 * `verify.ts`; the rules are those of decision 6.
 */
export interface CitationChecker {
  /** All text that is surely no part of an open marker comes back at once. */
  push(delta: string): Promise<CheckedText>;
  /** The text still held back. Must follow the last push, also if the model was stopped, so that no text is lost. */
  end(): Promise<CheckedText>;
}

/** A ledger without lines. */
export function createLedger(): Ledger {
  const files = new Map<string, LineSet>();
  return {
    show({ startLine, endLine, ...file }) {
      if (endLine < startLine) return;
      const key = keyOf(file);
      files.set(key, addLines(files.get(key) ?? [], { startLine, endLine }));
    },
    shown: (resource, path, revision) => files.get(keyOf({ resource, path, revision })) ?? [],
  };
}

/**
 * Checks the citations of one answer against the snapshots it was made from. Each marker is judged by what the ledger
 * holds when the marker is complete; each cited file is read once. Aborting the signal makes `push` throw its reason.
 */
export function checkCitations(options: {
  snapshots: readonly Snapshot[];
  ledger: Ledger;
  revisions?: Revisions | undefined;
  signal?: AbortSignal | undefined;
}): CitationChecker {
  const { snapshots, ledger, revisions, signal } = options;
  const sources = createSources(snapshots, revisions);
  const scanner = createScanner(sources);
  let count = 0;
  /** The target of the last citation: a short marker (`[[#L10-L20]]`) means the same file. */
  let target = "";
  /** The length of all text before the next push. */
  let written = Promise.resolve(0);

  const check = async (piece: Piece): Promise<Written[]> => {
    if (piece.type === "text") return [{ text: piece.text }];
    const checks = piece.markers.map((marker) => {
      target = marker.target || target;
      return verifyCitation({ ...marker, target }, { id: `c${++count}`, sources, ledger, signal });
    });
    const cited = (await Promise.all(checks)).map(({ citation: checked, href }): Written => {
      const citation = piece.inCode ? { ...checked, inCode: true } : checked;
      return { text: citationText(citation, { href }), citation };
    });
    return [{ text: piece.lead }, ...cited.flatMap((one, index) => (index === 0 ? [one] : [{ text: ", " }, one]))];
  };
  const checkAll = async (pieces: readonly Piece[]): Promise<CheckedText> => {
    const before = written;
    const checking = Promise.all(pieces.map(check)).then(async (parts) => place(parts.flat(), await before));
    // A push that fails adds no text.
    written = checking.then(
      async ({ delta }) => (await before) + delta.length,
      () => before,
    );
    return checking;
  };
  return {
    async push(delta) {
      signal?.throwIfAborted();
      return checkAll(scanner.push(delta));
    },
    end: async () => checkAll(scanner.end()),
  };
}

/** Text that goes out, and the citation that it is. */
interface Written {
  text: string;
  citation?: Citation;
}

/** Joins what was written, and gives each citation its range. `offset` is the length of the text before. */
function place(parts: readonly Written[], offset: number): CheckedText {
  const citations: Citation[] = [];
  let delta = "";
  for (const { text, citation } of parts) {
    const start = offset + delta.length;
    delta += text;
    if (citation !== undefined) citations.push({ ...citation, textRange: { start, end: start + text.length } });
  }
  return { delta, citations };
}

function keyOf({ resource, path, revision = "" }: LedgerFile): string {
  return `${resource}\0${path}\0${revision}`;
}
