import { type Citation, citationStateWords, formatLines, isProved } from "../../../server/protocol/citation.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";

/** What of an answer's citations stands before a place of its text, by id. */
export interface Taken {
  links: ReadonlySet<string>;
  inCode: ReadonlySet<string>;
}

export interface CitationFinder {
  /** The citation that a link stands for; undefined for a link that the model wrote itself. */
  link(link: { label: string; href: string }): Citation | undefined;
  /** Text in pieces: what is a citation without a link is taken out, and so is the note behind one with a link. */
  text(text: string): readonly (string | Citation)[];
  /** Citations in code stay text. */
  code(text: string): void;
  /** For going on behind this place later. */
  readonly taken: Taken;
}

/**
 * Finds the citations of an answer in its Markdown, where they stand as `[path:1-4](link) (note)`, without a link as
 * `path:1-4 (note)`, and in code as plain text (docs/decisions/0006). Goes through the text in its order, as citations
 * arrive; the same label twice is two citations.
 */
export function findCitations(citations: readonly Citation[], taken: Taken = noneTaken): CitationFinder {
  const links = new Set(taken.links);
  const inCode = new Set(taken.inCode);
  let note = "";

  return {
    taken: { links, inCode },
    link({ label, href }) {
      const found = citations.filter(
        (citation) => !links.has(citation.id) && labelOf(citation) === label && isLinkTo(citation, href),
      );
      const citation = found.find(({ id }) => !inCode.has(id)) ?? found[0];
      if (citation !== undefined) links.add(citation.id);
      note = citation === undefined ? "" : noteOf(citation);
      return citation;
    },
    text(text) {
      const start = note !== "" && text.startsWith(note) ? note.length : 0;
      note = "";
      const isWaiting = ({ id, state }: Citation) => !links.has(id) && !inCode.has(id) && !isLinked(state);
      const { pieces, found } = split(text.slice(start), citations.filter(isWaiting));
      for (const { id } of found) links.add(id);
      return pieces;
    },
    code(text) {
      const { found } = split(
        text,
        citations.filter(({ id }) => !links.has(id) && !inCode.has(id)),
      );
      for (const { id } of found) inCode.add(id);
    },
  };
}

const noneTaken: Taken = { links: new Set(), inCode: new Set() };

/** The others stand as plain text, because there is nothing to open at those lines. */
function isLinked(state: Citation["state"]): boolean {
  return isProved({ state }) || state === "not-read";
}

/** A link to a citation's own place: the schemes that only the server writes, or its permanent link. */
function isLinkTo(citation: Citation, href: string): boolean {
  return /^(?:citewell|file):/i.test(href) || (citation.url !== undefined && citation.url === href);
}

/** The text around citations, and those that stand in it, each at most once. */
function split(text: string, waiting: readonly Citation[]): { pieces: (string | Citation)[]; found: Citation[] } {
  const found: Citation[] = [];
  const pieces: (string | Citation)[] = [];
  let end = 0;
  while (true) {
    const next = firstFrom(
      end,
      text,
      waiting.filter((citation) => !found.includes(citation)),
    );
    if (next === undefined) break;
    found.push(next.citation);
    pieces.push(text.slice(end, next.start), next.citation);
    end = next.end;
  }
  return { pieces: [...pieces, text.slice(end)].filter((piece) => piece !== ""), found };
}

function firstFrom(from: number, text: string, waiting: readonly Citation[]) {
  let first: { citation: Citation; start: number; end: number } | undefined;
  for (const citation of waiting) {
    const whole = labelOf(citation) + noteOf(citation);
    const start = text.indexOf(whole, from);
    if (start === -1 || (first !== undefined && first.start <= start)) continue;
    first = { citation, start, end: start + whole.length };
  }
  return first;
}

/** As the server writes it (server/citations/citation-text.ts), in the letters that we show. */
export function labelOf(citation: Citation): string {
  return inLine(`${citation.path}:${formatLines(citation)}`);
}

function noteOf({ state, reason }: Citation): string {
  if (isProved({ state })) return "";
  const words = citationStateWords[state];
  return inLine(state === "not-read" || reason === undefined ? ` (${words})` : ` (${words}: ${reason})`);
}

function inLine(text: string): string {
  return showInvisible(text.replace(/\s/g, " "));
}
