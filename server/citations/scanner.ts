import { type Marker, markerLengthLimit } from "../protocol/passage.ts";
import { defuse } from "./links.ts";
import { type Place, trackPlace } from "./place.ts";

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

export function createScanner(readMarkers: (body: string) => readonly Marker[]): Scanner {
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
    const plain = /^[^[(:<]+/.exec(held)?.[0];
    if (plain !== undefined) return textStep(plain.length);
    const step = held.startsWith("[") ? nextMarker() : nextLink();
    return step === undefined && isEnd ? textStep(1) : step;
  };

  const nextMarker = (): Step => {
    if (held === "[") return undefined;
    const end = held.startsWith("[[") ? findEnd(held, readMarkers) : "none";
    if (end === "open" && held.length <= markerLengthLimit) return undefined;
    const markers = typeof end === "number" && end <= markerLengthLimit ? readMarkers(held.slice(2, end - 2)) : [];
    if (typeof end !== "number" || markers.length === 0) return textStep(1);
    const inCode = place.inCode();
    return { length: end, piece: { type: "markers", markers, inCode, lead: inCode ? "" : leadAfter(place) } };
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

/** Where the marker ends that `text` begins with; `none` where it is none, `open` where it may still become one. */
function findEnd(text: string, readMarkers: (body: string) => readonly Marker[]): number | "open" | "none" {
  const stop = /\]\]|[\n"“[\]]/.exec(text.slice(2, markerLengthLimit));
  if (stop === null) return "open";
  const at = stop.index + 2;
  switch (stop[0]) {
    case "]]":
      return at + 2;
    case '"':
    case "“":
      return readMarkers(text.slice(2, at)).length === 0 ? "none" : findQuoteEnd(text, at + 1);
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
