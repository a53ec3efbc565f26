import { isAscii, isUtf8 } from "node:buffer";

/** A decoded text file. Lines end with `\n` or `\r\n`. */
export interface SourceText {
  path: string;
  /** The decoded text with its original line ends. */
  text: string;
  /** Lines without line ends; a final line end adds no empty line. Split lazily, because a tree search needs only the text. */
  readonly lines: readonly string[];
  sizeBytes: number;
  encoding: "utf-8" | "utf-16le" | "utf-16be" | "latin1";
}

/** The number of bytes searched for NUL, as in git (`buffer_is_binary`). */
const binaryProbeBytes = 8000;

/** Decodes a file; undefined if binary. UTF-16 needs a byte order mark; invalid UTF-8 is read as Latin-1. */
export function decodeSource(path: string, bytes: Uint8Array): SourceText | undefined {
  if (isBinary(bytes)) return undefined;
  return sourceText({ path, sizeBytes: bytes.length, ...decode(bytes) });
}

/** Whether bytes are binary: the first bytes contain a NUL. */
export function isBinary(bytes: Uint8Array): boolean {
  return utf16Of(bytes) === undefined && bytes.subarray(0, binaryProbeBytes).includes(0);
}

/** Detects UTF-16 by its byte order mark. In all other encodings, ASCII characters are single bytes. */
export function utf16Of(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  // UTF-32 starts like UTF-16, followed by zeros; git treats it as binary, too.
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes[2] === 0 && bytes[3] === 0 ? undefined : "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return undefined;
}

function sourceText(source: Omit<SourceText, "lines">): SourceText {
  let lines: readonly string[] | undefined;
  return {
    ...source,
    get lines() {
      return (lines ??= splitLines(source.text));
    },
  };
}

/** Splits a text into lines without line ends. */
export function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return text.includes("\r") ? lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)) : lines;
}

/** Checking the bytes first and decoding without checks is many times faster than a fatal decoder. */
function decode(bytes: Uint8Array): Pick<SourceText, "text" | "encoding"> {
  const encoding = utf16Of(bytes);
  if (encoding !== undefined) return { text: new TextDecoder(encoding).decode(bytes), encoding };
  const { encoding: found, decodePart } = partDecoder(bytes);
  return { text: decodePart(0, bytes.length), encoding: found };
}

/** Decodes byte ranges of a text in the encoding of the whole. Not for UTF-16. */
export interface PartDecoder {
  encoding: "utf-8" | "latin1";
  /** The offset of the text after a byte order mark. */
  first: number;
  /** Whether every byte is one character. */
  isByteText: boolean;
  decodePart: (start: number, end: number) => string;
}

/** Detects the encoding once, for decoding parts. */
export function partDecoder(bytes: Uint8Array): PartDecoder {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isPlain = isAscii(buffer);
  if (isPlain || !isUtf8(buffer)) {
    const decodePart = (start: number, end: number) => buffer.toString("latin1", start, end);
    return { encoding: isPlain ? "utf-8" : "latin1", first: 0, isByteText: true, decodePart };
  }
  const first = buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf ? 3 : 0;
  const decodePart = (start: number, end: number) => buffer.toString("utf8", Math.max(start, first), end);
  return { encoding: "utf-8", first, isByteText: false, decodePart };
}
