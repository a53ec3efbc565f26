import { expect, test } from "vitest";
import type { Citation } from "../../../server/protocol/citation.ts";
import { parseTurn } from "../../../server/threads/parse-turn.ts";
import { threadTurn } from "../../support/thread-turn.ts";

const verified: Citation = {
  id: "c1",
  resource: "demo",
  path: "src/a_*.ts",
  startLine: 1,
  endLine: 4,
  state: "verified",
  revision: "1",
};
const notRead: Citation = { ...verified, id: "c2", path: "b.ts", state: "not-read", reason: "line 1 was not shown" };
const missing: Citation = { ...verified, id: "c3", path: "c.ts", state: "missing", reason: "no such file" };

/** What the ranges of a turn in the form of an earlier version hold. */
function check(answer: string, citations: Citation[], expected: (string | undefined)[]) {
  const { text: _, ...turn } = threadTurn({ citations });
  const parsed = parseTurn(JSON.stringify({ ...turn, answer }));
  expect(parsed?.text).toBe(answer);
  const ranges = parsed?.citations.map(({ textRange }) => textRange && answer.slice(textRange.start, textRange.end));
  expect(ranges).toEqual(expected);
}

test("reads a turn of an earlier version, with links and notes as citations", () => {
  const links = ["[src/a_\\*.ts:1-4](citewell:/demo/a#L1-L4)", "[b.ts:1-4](file:///b.ts#L1) (not read in this run)"];
  const text = `It is ${links[0]}, see [this](https://e.com), ${links[1]} and c.ts:1-4 (missing: no such file).`;
  check(text, [verified, notRead, missing], [links[0], links[1], undefined]);
});

test("the same lines cited twice are two links", () => {
  const link = "[src/a_\\*.ts:1-4](citewell:/demo/a#L1-L4)";
  check(`${link} and ${link}`, [verified, { ...verified, id: "c2" }], [link, link]);
});

test("keeps a current turn and rejects anything else", () => {
  const turn = threadTurn({ text: "x", citations: [{ ...verified, textRange: { start: 0, end: 1 } }] });
  expect(parseTurn(JSON.stringify(turn))).toEqual(turn);
  for (const line of ["", "{", "{}", "null", '{"answer":"x"}']) expect(parseTurn(line)).toBeUndefined();
});
