import { expect, test } from "vitest";
import { splitCitations } from "../../../extension/features/participant/anchors.ts";
import type { Citation } from "../../../server/protocol/citation.ts";

const citation: Citation = {
  id: "c1",
  resource: "demo",
  path: "src/a_*.ts",
  startLine: 1,
  endLine: 4,
  state: "verified",
  revision: "1",
};

/** The parts, citations by what they say. */
function check(text: string, expected: string[]) {
  const parts = splitCitations(text, [citation]);
  expect(parts.map((part) => (part.type === "text" ? part.text : `⚓${part.label}`))).toEqual(expected);
}

test("a citation's link becomes a place", () =>
  check("It is [src/a_\\*.ts:1-4](citewell:/demo/a#L1-L4).", ["It is ", "⚓src/a_*.ts:1-4", "."]));
test("a link of the model's own stays text", () => check("See [this](https://e.com).", ["See [this](https://e.com)."]));
test("a citation without a link stays text", () => check("src/a_*.ts:1-4 (missing)", ["src/a_*.ts:1-4 (missing)"]));
test("no text has no parts", () => check("", []));
