import { expect, test } from "vitest";
import { quotedLines } from "../../../server/source/quoted-lines.ts";

test.each([
  ["a comment over several lines", "a\n/* b\nc\n*/\nd", [3, 4]],
  ["a comment of a line", "/* a */\nb\n/** c */\nd", []],
  ["a path pattern in a string", 'glob("src/*");\na\nb = "*/";', []],
  ["a text with three quotes", 'x = """\ndef a():\n"""\ndef b():', [2, 3]],
  ["a text with three single quotes", "x = '''a\n\"\"\"\nb'''\nc", [2, 3]],
  ["a text of a line", '"""a"""\nb', []],
  ["three quotes in a comment", '# """\ndef a():', []],
  ["Haskell", "{- a\nb -}\nc", [2]],
  ["Lua", "--[[\na\n]]\nb", [2, 3]],
  ["Ruby", "=begin\ndef a\n=end\ndef b", [2, 3]],
])("%s", (_, text, expected) => {
  expect([...quotedLines(text.split("\n"))]).toEqual(expected);
});
