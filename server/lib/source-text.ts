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
  const encoding = encodingOf(bytes);
  if (encoding === undefined) return undefined;
  const text = decode(bytes, encoding);
  if (text !== undefined) return sourceText({ path, text, sizeBytes: bytes.length, encoding });
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return sourceText({ path, text: latin1, sizeBytes: bytes.length, encoding: "latin1" });
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

function encodingOf(bytes: Uint8Array): Exclude<SourceText["encoding"], "latin1"> | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return bytes.subarray(0, binaryProbeBytes).includes(0) ? undefined : "utf-8";
}

function decode(bytes: Uint8Array, encoding: Exclude<SourceText["encoding"], "latin1">): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: encoding === "utf-8" }).decode(bytes);
  } catch {
    return undefined;
  }
}
