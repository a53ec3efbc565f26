import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeSource, splitLines } from "../../../server/source/source-text.ts";

describe("decodeSource", () => {
  const check = (name: string, bytes: Buffer, expected: object | undefined) =>
    test(name, () => {
      const source = decodeSource("a.txt", bytes);
      if (expected === undefined) expect(source).toBeUndefined();
      else expect(source).toMatchObject(expected);
    });

  check("UTF-8", Buffer.from("é\n"), { text: "é\n", lines: ["é"], encoding: "utf-8", sizeBytes: 3 });
  check("a byte order mark is no text", Buffer.from("\uFEFFa"), { text: "a", encoding: "utf-8" });
  check("UTF-16 with its mark", Buffer.from("\uFEFFa\r\nb", "utf16le"), { lines: ["a", "b"], encoding: "utf-16le" });
  check("what is not UTF-8 is Latin-1", Buffer.from([0x61, 0xe9, 0x0a]), { text: "aé\n", encoding: "latin1" });
  check("a NUL byte makes it binary", Buffer.from("a\0b"), undefined);
  check("in UTF-16 it does not", Buffer.from("\uFEFFa\0b", "utf16le"), { text: "a\0b", encoding: "utf-16le" });
  check("nor far into a file", Buffer.from(`${"a".repeat(8000)}\0`), { text: `${"a".repeat(8000)}\0` });
  check("UTF-32 is binary", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), undefined);
  check("empty", Buffer.alloc(0), { text: "", lines: [] });
});

test("decodes like a fatal UTF-8 decoder with a Latin-1 fallback", () => {
  const mark = fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff], [0xef, 0xbb]);
  const letters = fc.string({ unit: "binary", maxLength: 20 }).map((text) => [...Buffer.from(text)]);
  const bytes = fc.array(fc.oneof(letters, fc.array(fc.nat(255), { maxLength: 3 })), { maxLength: 4 });
  fc.assert(
    fc.property(mark, bytes, (mark, parts) => {
      const all = Buffer.from([...mark, ...parts.flat()]);
      expect(decodeSource("a.txt", all)?.text).toBe(decodePlainly(all));
    }),
    { numRuns: 2000, examples: [[[0xff, 0xfe], [[0, 0]]]] },
  );
});

function decodePlainly(bytes: Buffer): string | undefined {
  // The mark of UTF-32.
  if (bytes.length > 3 && bytes.readUInt32LE() === 0xfeff) return undefined;
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

test.each([
  ["a\nb\n", ["a", "b"]],
  ["a\nb", ["a", "b"]],
  ["a\r\nb\r\n", ["a", "b"]],
  ["a\rb", ["a\rb"]],
  ["\n\n", ["", ""]],
  ["", []],
])("splitLines(%j)", (text, lines) => expect(splitLines(text)).toEqual(lines));
