import { expect, test } from "vitest";
import { structureOf } from "../../../../server/retrieval/indexing/file-structure.ts";

/** The texts that are counted of each chunk. */
const partsOf = (text: string, path: string) =>
  structureOf(path, text).chunks.map(({ ranges }) =>
    ranges.flatMap((start, at) => (at % 2 === 0 ? [text.slice(start, ranges[at + 1])] : [])),
  );

test("lines that follow one another are one part, and imports are in none", () => {
  const text = 'import a from "a";\nconst one = a;\r\nconst two = 2;\nimport b from "b";\nlast(b)';
  expect(partsOf(text, "a.ts")).toEqual([["const one = a;\r\nconst two = 2;\n", "last(b)"]]);
  expect(partsOf('import a from "a";\n', "a.ts").flat().join("")).toBe("");
});

test("a name belongs to the chunk with its line, and a member is indexed by its own name", () => {
  const body = "    use(1);\n".repeat(8);
  const text = `void Table::read() {\n${body}}\n\nvoid Table::write() {\n${body}}\n`;
  const { chunks, symbols } = structureOf("table.cpp", text);
  expect(chunks.map(({ startLine, names }) => ({ startLine, names }))).toEqual([
    { startLine: 1, names: ["Table::read"] },
    { startLine: 11, names: ["Table::write"] },
  ]);
  expect(symbols).toEqual([
    { name: "read", startLine: 1, endLine: 10 },
    { name: "write", startLine: 12, endLine: 21 },
  ]);
});
