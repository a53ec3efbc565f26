import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Block, createMarkdownReader } from "../../../client/markdown/reader.ts";
import type { BlockNode, InlineNode } from "../../../client/markdown/tree.ts";
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
  let text = "";
  const show = (blocks: readonly Block[]) =>
    blocks.map(({ key, end, node }) => `${node.type} ${text.slice(key, end).trimEnd()}`);
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
  expect(paragraph?.node).toMatchObject({ content: [{ type: "text" }, { type: "link", url: "https://e.com" }] });
});

test("settled blocks keep their identity and their keys; another text is read from its start", () => {
  const reader = createMarkdownReader({ openItems: 1 });
  const [open] = reader.read("a\n", []);
  const [first] = reader.read("a\n\nb", []);
  const [again, second] = reader.read("a\n\nb c", []);
  expect(again).toBe(first);
  expect([open?.key, first?.key, second?.key]).toEqual([0, 0, 3]);
  expect(reader.read("other", []).map(({ node }) => node)).toEqual([
    { type: "paragraph", content: [{ type: "text", text: "other" }] },
  ]);
});

test.each([
  ["in a heading", "# see ▸\n"],
  ["in emphasis", "**▸** and _▸_"],
  ["in a table", "| x |\n|-|\n| ▸ |\n"],
  ["right after a URL", "https://e.com/▸"],
  ["in a quoted list", "> - ▸\n"],
  ["after a backslash", "\\\\▸"],
])("a citation is one node %s", (_, template) => {
  const written = "[a.ts:1-4](file:///a.ts#L1-L4) (not read in this run)";
  const text = template.replaceAll("▸", written);
  const count = template.split("▸").length - 1;
  const citations = locateCitations(
    text,
    Array.from({ length: count }, () => [citation, written] as const),
  );
  const nodes = createMarkdownReader({ openItems: 1 })
    .read(text, citations)
    .map(({ node }) => node);
  const found = nodesWithin(nodes).filter(({ type }) => type === "citation");
  expect(found).toHaveLength(count);
  expect(found[0]).toMatchObject({
    citation,
    content: [{ type: "link", url: "file:///a.ts#L1-L4" }, { type: "text" }],
  });
});

test.each<[string, string, BlockNode]>([
  [
    "a code span that the server took for prose",
    "`▸`",
    { type: "paragraph", content: [{ type: "code", text: "a.ts:1-4" }] },
  ],
  ["an HTML block", "<div title='▸'>\n", { type: "raw", text: "<div title='a.ts:1-4'>\n" }],
  ["a fenced block", "~~~\n▸\n~~~", { type: "code", language: "", text: "a.ts:1-4" }],
])("a citation in %s is its label", (_, template, expected) => {
  const written = "[a.ts:1-4](file:///a.ts#L1-L4)";
  const text = template.replace("▸", written);
  const blocks = createMarkdownReader({ openItems: 1 }).read(text, locateCitations(text, [[citation, written]]));
  expect(blocks.map(({ node }) => node)).toEqual([expected]);
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
      const gaps = [...blocks.map(({ key }) => key), text.length].map((next, index) =>
        text.slice(blocks[index - 1]?.end ?? 0, next),
      );
      expect(gaps.join("").trim()).toBe("");
      expect(gaps.join("") + blocks.map(({ key, end }) => text.slice(key, end)).join("")).toHaveLength(text.length);
    },
  );
  fc.assert(property, { numRuns: 500 });
});

test("the level of a heading is at most one more than that of the heading before", () => {
  const reader = createMarkdownReader({ openItems: 1 });
  const levels = (text: string) =>
    nodesWithin(reader.read(text, []).map(({ node }) => node)).flatMap((node) =>
      node.type === "heading" ? [node.level] : [],
    );
  const text = "### a\n\n> ### b\n\n#### c\n";
  expect(levels(text)).toEqual([1, 2, 3]);
  expect(levels(`${text}\n# d\n\n### e`)).toEqual([1, 2, 3, 1, 2]);
});

test("what is nested too deeply is shown as it was written", () => {
  const [block] = createMarkdownReader({ openItems: 1 }).read(`${"> ".repeat(300)}x`, []);
  const nodes = nodesWithin(block === undefined ? [] : [block.node]);
  expect(nodes.filter(({ type }) => type === "quote").length).toBeLessThan(200);
  expect(nodes.at(-1)).toMatchObject({ type: "raw", text: expect.stringMatching(/^[> ]+x$/) });
});

/** All nodes, each before those within it. */
function nodesWithin(nodes: readonly (BlockNode | InlineNode)[]): (BlockNode | InlineNode)[] {
  return nodes.flatMap((node) => [node, ...nodesWithin(childrenOf(node))]);
}

function childrenOf(node: BlockNode | InlineNode): (BlockNode | InlineNode)[] {
  if ("content" in node) return node.content;
  if (node.type === "quote") return node.blocks;
  if (node.type === "list") return node.items.flatMap(({ blocks }) => blocks);
  return node.type === "table"
    ? [node.header, ...node.rows].flatMap((row) => row.flatMap(({ content }) => content))
    : [];
}
