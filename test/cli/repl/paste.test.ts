import { describe, expect, test } from "vitest";
import { createPasteReader, fromEditedLine, toEditedLine } from "../../../cli/repl/paste.ts";

const [on, off] = ["\u001B[200~", "\u001B[201~"];

describe("pasted text is distinguished from typed text", () => {
  const check = (name: string, chunks: string[], expected: [string, string][]) =>
    test(name, () => {
      const read = createPasteReader();
      expect(chunks.flatMap((chunk) => read(chunk)).map(({ type, text }) => [type, text])).toEqual(expected);
    });

  check(
    "keys alone",
    ["a", "\r"],
    [
      ["keys", "a"],
      ["keys", "\r"],
    ],
  );
  check(
    "a paste between keys",
    [`a${on}b\nc${off}\r`],
    [
      ["keys", "a"],
      ["paste", "b\nc"],
      ["keys", "\r"],
    ],
  );
  check("in pieces", [`${on}b`, "\nc", `d${off.slice(0, 3)}`, off.slice(3)], [["paste", "b\ncd"]]);
  check("its beginning in pieces", [on.slice(0, 4), `${on.slice(4)}b${off}`], [["paste", "b"]]);
  check(
    "two in one chunk",
    [`${on}a${off}${on}b${off}`],
    [
      ["paste", "a"],
      ["paste", "b"],
    ],
  );
  check(
    "Escape and arrows come at once",
    ["\u001B", "\u001B[A"],
    [
      ["keys", "\u001B"],
      ["keys", "\u001B[A"],
    ],
  );
  check("an empty paste", [`${on}${off}a`], [["keys", "a"]]);
  check("Ctrl+C ends one whose end was lost", [`${on}a`, "\u0003", "b"], [["keys", "b"]]);
});

describe("pasted text becomes one line to edit, and lines again", () => {
  const check = (text: string, line: string, lines = text) =>
    test(JSON.stringify(text), () => {
      expect(toEditedLine(text)).toBe(line);
      expect(fromEditedLine(line)).toBe(lines);
    });

  check("a\nb", "a↵b");
  check("a\r\nb\rc\n\n", "a↵b↵c", "a\nb\nc");
  check("if (x) {\n\ty();\n}", "if (x) {↵    y();↵}", "if (x) {\n    y();\n}");
  check("\u001B[2Ja\u0003b\u0000\u2028c", "[2Jabc", "[2Jabc");
});
