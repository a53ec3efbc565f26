import { describe, expect, test } from "vitest";
import { decodeSource, splitLines } from "../../../server/lib/source-text.ts";

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
  check("empty", Buffer.alloc(0), { text: "", lines: [] });
});

test.each([
  ["a\nb\n", ["a", "b"]],
  ["a\nb", ["a", "b"]],
  ["a\r\nb\r\n", ["a", "b"]],
  ["a\rb", ["a\rb"]],
  ["\n\n", ["", ""]],
  ["", []],
])("splitLines(%j)", (text, lines) => expect(splitLines(text)).toEqual(lines));
