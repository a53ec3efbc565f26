import { type Marker, markerLengthLimit } from "../protocol/passage.ts";
import { defuse } from "./links.ts";
import { type Place, trackPlace } from "./place.ts";
import { readBare, readMarkers } from "./read-markers.ts";
import type { Sources } from "./sources.ts";

/** The model's text in order: plain parts and markers. */
export type Piece =
  | { type: "text"; text: string }
  | {
      type: "markers";
      markers: readonly Marker[];
      /** Whether it is inside a code span or a fenced block. */
      inCode: boolean;
      /** Comes before what takes the marker's place, so that the two do not add up to something else. */
      lead: "" | " " | "\\";
    };

/** Finds markers in text that arrives in any pieces; the pieces make no difference to what is found. */
export interface Scanner {
  push(text: string): Piece[];
  /** The text held back. */
  end(): Piece[];
}

/** A piece, and how much of the text it takes up; undefined where more text is needed to tell. */
type Step = { length: number; piece: Piece } | undefined;

export function createScanner(sources: Sources): Scanner {
  const read: Read = (body) => readMarkers(body, sources);
  const place = trackPlace();
  let held = "";

  const scan = (isEnd: boolean): Piece[] => {
    const pieces: Piece[] = [];
    for (let step = next(isEnd); step !== undefined; step = next(isEnd)) {
      const { length, piece } = step;
      if (piece.type === "text") place.pass(held.slice(0, length));
      else place.passCitation();
      held = held.slice(length);
      pieces.push(piece);
    }
    return pieces;
  };

  const next = (isEnd: boolean): Step => {
    if (held === "") return undefined;
    const plain = /^[^[(:<]+/.exec(held)?.[0].length ?? 0;
    const ends = [
      ...sources.names().map((name) => `${name}:`),
      ...sources.namesWithCommits().map((name) => `${name}@`),
    ];
    const name = findName(held, { ends, previous: place.previous(), limit: plain });
    if (name?.at === 0) return nextBare(name, isEnd);
    if (plain > 0) return textStep(Math.min(plain, name?.at ?? plain));
    const step = held.startsWith("[") ? nextMarker() : nextLink();
    return step === undefined && isEnd ? textStep(1) : step;
  };

  const nextMarker = (): Step => {
    if (held === "[") return undefined;
    const end = held.startsWith("[[") ? findEnd(held, read) : "none";
    if (end === "open" && held.length <= markerLengthLimit) return undefined;
    const markers = typeof end === "number" && end <= markerLengthLimit ? read(held.slice(2, end - 2)) : [];
    if (typeof end !== "number" || markers.length === 0) return textStep(1);
    return markerStep(end, markers);
  };

  /** `name:path:10-20`, as lists of places are copied, or `name@1a2b3c4:path:10-20`. */
  const nextBare = ({ name, isWhole }: FoundName, isEnd: boolean): Step => {
    const bare = isWhole ? readBare(held.slice(name.length), name, { isEnd }) : isEnd ? undefined : "open";
    if (bare === "open") return undefined;
    return bare === undefined ? textStep(1) : markerStep(name.length + bare.length, [bare.marker]);
  };

  const markerStep = (length: number, markers: readonly Marker[]): Step => {
    const inCode = place.inCode();
    return { length, piece: { type: "markers", markers, inCode, lead: inCode ? "" : leadAfter(place) } };
  };

  const nextLink = (): Step => {
    const defused = defuse(held, {
      inCode: place.inCode(),
      isEscaped: place.isEscaped(),
      isAfterBracket: place.previous() === "]",
      isAfterAddress: () => address.test(place.word()),
      bracket: place.bracket(),
    });
    if (defused === "open") return undefined;
    return defused === undefined ? textStep(1) : { length: 1, piece: { type: "text", text: defused.text } };
  };

  const textStep = (length: number): Step => ({ length, piece: { type: "text", text: held.slice(0, length) } });

  return {
    push(text) {
      held += text;
      return scan(false);
    },
    end: () => scan(true),
  };
}

/** Text that Markdown turns into a link by itself; a false match is harmless. */
const address = /:\/\/|www\.|@/i;

type Read = (body: string) => readonly Marker[];

/** The name of a resource in a text; with not `isWhole`, the text ends before the name does. */
interface FoundName {
  name: string;
  at: number;
  isWhole: boolean;
}

/**
 * The first name before a colon, or before `@` and a revision, that does not go on from text before it, up to `limit`; of
 * two at one place the longer. `ends` are the names with that sign.
 */
function findName(
  text: string,
  { ends, previous, limit }: { ends: readonly string[]; previous: string; limit: number },
): FoundName | undefined {
  const found = ends.flatMap((whole): FoundName[] => {
    const name = whole.slice(0, -1);
    const searched = text.slice(0, limit + whole.length);
    for (let at = nameStart(searched, whole, 0); at !== -1; at = nameStart(searched, whole, at + 1)) {
      const isWhole = searched.startsWith(whole, at);
      const before = at === 0 ? previous : (text[at - 1] ?? "");
      if (!goesOn.test(before) && (isWhole || searched.length === text.length)) return [{ name, at, isWhole }];
    }
    return [];
  });
  const [first] = found.toSorted(
    (a, b) => a.at - b.at || Number(a.isWhole) - Number(b.isWhole) || b.name.length - a.name.length,
  );
  return first;
}

/** Where `whole` begins, or where the text ends with a part of it; -1 where it does not. */
function nameStart(text: string, whole: string, from: number): number {
  const at = text.indexOf(whole, from);
  if (at !== -1) return at;
  for (let start = Math.max(from, text.length - whole.length + 1); start < text.length; start++) {
    if (whole.startsWith(text.slice(start))) return start;
  }
  return -1;
}

const goesOn = /[\p{L}\p{N}_@.~$/%:#-]/u;

/** Where the marker ends that `text` begins with; `none` where it is none, `open` where it may still become one. */
function findEnd(text: string, read: Read): number | "open" | "none" {
  const stop = /\]\]|[\n"“[\]]/.exec(text.slice(2, markerLengthLimit));
  if (stop === null) return "open";
  const at = stop.index + 2;
  switch (stop[0]) {
    case "]]":
      return at + 2;
    case '"':
    case "“":
      return read(text.slice(2, at)).length === 0 ? "none" : findQuoteEnd(text, at + 1);
    case "[":
    case "]":
      return at + 1 === text.length ? "open" : findBracketedEnd(text);
    default:
      return "none";
  }
}

function findQuoteEnd(text: string, from: number): number | "open" {
  const close = /["”]\s*\]\]/.exec(text.slice(from, markerLengthLimit));
  return close === null ? "open" : from + close.index + close[0].length;
}

/** `demo:app/[slug]/page.ts`: brackets should be encoded, and models decode them. A matrix or a character class is none. */
function findBracketedEnd(text: string): number | "open" | "none" {
  const whole = /^\[\[[^\s,:[\]"“”]+[:/][^\s,"“”]*?#L\d[^\s,"“”[\]]*\]\]/.exec(text.slice(0, markerLengthLimit));
  if (whole !== null) return whole[0].length;
  return /^\[\[[^\s,:[\]"“”]+[:/][^\s,"“”]*$/.test(text) ? "open" : "none";
}

/** A link after `!` would be an image, and after a backslash none: its bracket would be escaped. */
function leadAfter(place: Place): "" | " " | "\\" {
  if (place.isEscaped()) return "\\";
  return place.previous() === "!" ? " " : "";
}
