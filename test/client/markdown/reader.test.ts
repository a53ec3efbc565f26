import { marked, type Token } from "marked";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createMarkdownReader } from "../../../client/markdown/reader.ts";
import type { Citation } from "../../../server/protocol/citation.ts";
import { locateCitations } from "../../support/locate-citations.ts";

const citation: Citation = {
  id: "c1",
  resource: "demo",
  path: "a.ts",
  startLine: 1,
  endLine: 4,
  state: "verified",
  revision: "1",
};

/** The settled blocks after each piece, as type and source, and all blocks at the end. */
function check(pieces: readonly string[], expected: { settled: string[][]; all: string[] }, openItems = 1) {
  const reader = createMarkdownReader({ openItems });
  const show = (blocks: readonly { token: Token }[]) =>
    blocks.map(({ token }) => `${token.type} ${token.raw.trimEnd()}`);
  let text = "";
  const settled = pieces.map((piece) => {
    text += piece;
    return show(reader.settled(text, []));
  });
  expect({ settled, all: show(reader.read(text, [])) }).toEqual(expected);
}

test("a paragraph settles at the blank line after it", () =>
  check(["a\n", "b\n", "\n", "c"], {
    settled: [[], [], ["paragraph a\nb"], ["paragraph a\nb"]],
    all: ["paragraph a\nb", "paragraph c"],
  }));

test("a fenced block settles with its closing fence, for any content", () =>
  check(["```md\n# x\n\n- y\n", "```\n"], {
    settled: [[], ["code ```md\n# x\n\n- y\n```"]],
    all: ["code ```md\n# x\n\n- y\n```"],
  }));

test("an open fenced block is code from its first line", () =>
  check(["```\na\n"], { settled: [[]], all: ["code ```\na"] }));

test("what a blank line may be a part of stays open", () =>
  check(["- a\n\n", "  b\n\n", "    c\n", "d\n"], { settled: [[], [], [], []], all: ["list - a\n\n  b\n\n    c\nd"] }));

test("a list settles item by item once it is long", () => {
  check(["- a\n", "- b\n", "- c\n"], {
    settled: [[], ["list - a"], ["list - a", "list - b"]],
    all: ["list - a", "list - b", "list - c"],
  });
  check(["- a\n", "- b\n", "- c\n"], { settled: [[], [], ["list - a\n- b"]], all: ["list - a\n- b", "list - c"] }, 2);
});

test("a later block may use the definition of a link before it", () => {
  const reader = createMarkdownReader({ openItems: 1 });
  const [, paragraph] = reader.read("[x]: https://e.com\n\nsee [x]\n\n", []);
  expect(paragraph?.token).toMatchObject({ tokens: [{ type: "text" }, { type: "link", href: "https://e.com" }] });
});

test("settled blocks keep their identity and their keys; another text is read from its start", () => {
  const reader = createMarkdownReader({ openItems: 1 });
  const [open] = reader.read("a\n", []);
  const [first] = reader.read("a\n\nb", []);
  const [again, second] = reader.read("a\n\nb c", []);
  expect(again).toBe(first);
  expect([open?.key, first?.key, second?.key]).toEqual([0, 0, 3]);
  expect(reader.read("other", []).map(({ token }) => token.raw)).toEqual(["other"]);
});

test.each([
  ["in a heading", "# see ▸\n"],
  ["in emphasis", "**▸** and _▸_"],
  ["in a table", "| x |\n|-|\n| ▸ |\n"],
  ["right after a URL", "https://e.com/▸"],
  ["in a quoted list", "> - ▸\n"],
  ["after a backslash", "\\\\▸"],
])("a citation is one token %s", (_, template) => {
  const written = "[a.ts:1-4](file:///a.ts#L1-L4) (not read in this run)";
  const text = template.replaceAll("▸", written);
  const count = template.split("▸").length - 1;
  const citations = locateCitations(
    text,
    Array.from({ length: count }, () => [citation, written] as const),
  );
  const found: Token[] = [];
  const tokens = createMarkdownReader({ openItems: 1 })
    .read(text, citations)
    .map(({ token }) => token);
  void marked.walkTokens(tokens, (token) => void (token.type === "citation" && found.push(token)));
  expect(found).toHaveLength(count);
  expect(found[0]).toMatchObject({
    citation,
    tokens: [{ type: "link", href: "file:///a.ts#L1-L4" }, { type: "text" }],
  });
});

test.each([
  ["a code span that the server took for prose", "`▸`", "`a.ts:1-4`"],
  ["an HTML block", "<div title='▸'>\n", "<div title='a.ts:1-4'>\n"],
  ["a fenced block", "~~~\n▸\n~~~", "~~~\na.ts:1-4\n~~~"],
])("a citation in %s is its label", (_, template, expected) => {
  const written = "[a.ts:1-4](file:///a.ts#L1-L4)";
  const text = template.replace("▸", written);
  const blocks = createMarkdownReader({ openItems: 1 }).read(text, locateCitations(text, [[citation, written]]));
  expect(blocks.map(({ token }) => token.raw).join("")).toBe(expected);
});

test("no character of a text is lost or read twice", () => {
  const part = fc.constantFrom(
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "> ",
    "# ",
    "```",
    "    ",
    "| a |\n|-|\n",
    "a ",
    "**b** ",
    "[x]: y\n",
  );
  const property = fc.property(
    fc.array(part, { maxLength: 40 }),
    fc.integer({ min: 0, max: 8 }),
    (parts, openItems) => {
      const text = parts.join("");
      const blocks = createMarkdownReader({ openItems }).read(text, []);
      for (const { key, token } of blocks) expect(text.startsWith(token.raw.trimEnd(), key)).toBe(true);
      const lengths = blocks.map(({ key, token }) => key + token.raw.length);
      expect(blocks.every(({ key }, index) => index === 0 || key >= (lengths[index - 1] ?? 0))).toBe(true);
      expect(
        blocks
          .map(({ token }) => token.raw)
          .join("")
          .replace(/\s/g, ""),
      ).toBe(text.replace(/\s/g, ""));
    },
  );
  fc.assert(property, { numRuns: 500 });
});
