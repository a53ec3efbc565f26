import { describe, expect, test } from "vitest";
import { highlightBlock, highlightCode } from "../../../server/source/highlight.ts";
import { languageOf, languageOfTag } from "../../../server/source/languages.ts";

/** Lines with each token as `‹keyword:const›`. */
function check(path: string, text: string, expected: readonly string[]): void {
  const lines = highlightCode(languageOf(path), text);
  expect(
    lines.map((line) =>
      line.map(({ text: part, marks: [mark] }) => (mark === undefined ? part : `‹${mark}:${part}›`)).join(""),
    ),
  ).toEqual(expected);
}

describe("tokens", () => {
  test.each([
    ["a.ts", 'const a = "x // y"; // z', ['‹keyword:const› a = ‹string:"x // y"›; ‹comment:// z›']],
    ["a.ts", "a.default(1_000, 0xff, b2)", ["a.default(‹number:1_000›, ‹number:0xff›, b2)"]],
    ["a.ts", "/* a\n b */ if (x)", ["‹comment:/* a›", "‹comment: b */› ‹keyword:if› (x)"]],
    ["a.ts", "`a\n${b}` + 'it\\'s'", ["‹string:`a›", "‹string:${b}`› + ‹string:'it\\'s'›"]],
    ["a.ts", "x = /[\"'`/]/.test(y) / 2", ["x = ‹string:/[\"'`/]/›.test(y) / ‹number:2›"]],
    [
      "a.py",
      'def f():\n  """a\n  b"""\n  return 1 # c',
      ["‹keyword:def› f():", '  ‹string:"""a›', '‹string:  b"""›', "  ‹keyword:return› ‹number:1› ‹comment:# c›"],
    ],
    [
      "a.go",
      "func f(c rune) { return '\"' }",
      ["‹keyword:func› f(c ‹keyword:rune›) { ‹keyword:return› ‹string:'\"'› }"],
    ],
    ["a.rs", "fn f<'a>(x: &'a str) -> char { 'x' }", ["‹keyword:fn› f<'a>(x: &'a str) -> char { ‹string:'x'› }"]],
    ["a.c", "int x = 1'000; /* open", ["‹keyword:int› x = ‹number:1›'‹number:000›; ‹comment:/* open›"]],
    [
      "a.sh",
      'echo "${#a}" # b\nif $#; then',
      ['echo ‹string:"${#a}"› ‹comment:# b›', "‹keyword:if› $#; ‹keyword:then›"],
    ],
    ["a.lua", "local a --[[ b\n]] -- c", ["‹keyword:local› a ‹comment:--[[ b›", "‹comment:]]› ‹comment:-- c›"]],
    ["a.sql", "SELECT 'a' -- b", ["‹keyword:SELECT› ‹string:'a'› ‹comment:-- b›"]],
    ["a.toml", '[a]\nb = "c" # d', ["[a]", 'b = ‹string:"c"› ‹comment:# d›']],
    ["a.ini", "; a\nb=1", ["‹comment:; a›", "b=‹number:1›"]],
    ["a.yaml", "a: true # b", ["a: ‹keyword:true› ‹comment:# b›"]],
    ["a.json", '{ "a": 1 }', ['{ ‹string:"a"›: ‹number:1› }']],
    ["a.md", '# It\'s a "title"', ['# It\'s a "title"']],
    ["a.unknown", "if 1", ["if 1"]],
    ["a.ts", "", [""]],
    ["a.ts", "\n\n1\n", ["", "", "‹number:1›", ""]],
  ] as const)("%s: %j", check);
});

test("takes linear time for hostile text, and keeps every character", () => {
  for (const part of ['"', "'", "`", "/*", "/", "=/[", "\\", '"""', "--[[", "#", "1.", "a$", "= /\\"]) {
    const text = part.repeat(90_000 / part.length);
    for (const path of ["a.ts", "a.py", "a.rs", "a.lua", "a.sql", "a.toml"]) {
      const lines = highlightCode(languageOf(path), text);
      expect(
        lines
          .flat()
          .map((span) => span.text)
          .join(""),
      ).toBe(text);
    }
  }
});

test("a long file is highlighted, a long block of an answer is not", () => {
  const text = "const a = 1;\n\n".repeat(4000);
  const language = languageOf("a.ts");
  const marked = (lines: ReturnType<typeof highlightCode>) =>
    lines.flat().filter(({ marks }) => marks.length > 0).length;
  expect([marked(highlightCode(language, text)), marked(highlightBlock(language, text))]).toEqual([8000, 0]);
  expect(highlightBlock(language, text)).toHaveLength(8001);
  expect(highlightBlock(language, "const a = 1;")).toEqual(highlightCode(language, "const a = 1;"));
});

test.each([
  ["ts", "ts"],
  ["TypeScript", "ts"],
  ["c++", "cpp"],
  ["Python", "python"],
  ["py", "python"],
  ["rs title=a.rs", "rust"],
  ["js:a.js", "js"],
  ["js{1,2}", "js"],
  ["", "text"],
])("the language of a block tagged %j", (info, tag) => {
  expect(languageOfTag(info).tag).toBe(tag);
});
