import { isAscii, isUtf8 } from "node:buffer";

/** A text file as everyone past `resources/` sees it. Lines are those between `\n`; a `\r` before it belongs to the line end. */
export interface SourceText {
  path: string;
  /** Decoded, line ends as they are in the file. */
  text: string;
  /** Without line ends; a final line end opens no further line. Split when first asked for: a search over a tree is not. */
  readonly lines: readonly string[];
  sizeBytes: number;
  encoding: "utf-8" | "utf-16le" | "utf-16be" | "latin1";
}

/** How far into a file a NUL byte is looked for, as git does (`buffer_is_binary`, 8000 bytes). */
const binaryProbeBytes = 8000;

/** Bytes as text, or undefined where they are none. UTF-16 needs its byte order mark; what is not UTF-8 is read as Latin-1. */
export function decodeSource(path: string, bytes: Uint8Array): SourceText | undefined {
  if (isBinary(bytes)) return undefined;
  return sourceText({ path, sizeBytes: bytes.length, ...decode(bytes) });
}

/** Whether bytes are no text: they hold a NUL where it is looked for. */
export function isBinary(bytes: Uint8Array): boolean {
  return utf16Of(bytes) === undefined && bytes.subarray(0, binaryProbeBytes).includes(0);
}

/** By the byte order mark. In any other text, ASCII stands as it is, byte by byte. */
export function utf16Of(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  // UTF-32 begins as UTF-16 does, and goes on with zeros: git takes it for binary, too.
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

export function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return text.includes("\r") ? lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)) : lines;
}

/** To look at the bytes first and then to take them over is many times as fast as a decoder that may fail. */
function decode(bytes: Uint8Array): Pick<SourceText, "text" | "encoding"> {
  const encoding = utf16Of(bytes);
  if (encoding !== undefined) return { text: new TextDecoder(encoding).decode(bytes), encoding };
  const { encoding: found, decodePart } = partDecoder(bytes);
  return { text: decodePart(0, bytes.length), encoding: found };
}

/** Reads lines of a text that is not UTF-16 as its whole is read; they are told by the bytes where they begin and end. */
export interface PartDecoder {
  encoding: "utf-8" | "latin1";
  /** Where the text begins: after a byte order mark. */
  first: number;
  /** Whether each byte is a character. */
  isByteText: boolean;
  decodePart: (start: number, end: number) => string;
}

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
