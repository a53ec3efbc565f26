import { expect, test } from "vitest";
import { createShownLines, formatUnshown } from "../../../../server/agent/tools/shown.ts";

const passage = (startLine: number, endLine: number) => ({
  resource: "demo",
  path: "a.ts",
  startLine,
  lines: Array.from({ length: endLine - startLine + 1 }, (_, index) => `line ${startLine + index}`),
});

test.each([
  { what: "nothing was shown", shown: [], expected: "1|line 1\n2|line 2" },
  { what: "a few lines were", shown: [{ startLine: 1, endLine: 2 }], expected: "1|line 1\n2|line 2" },
])("shows a passage where $what", ({ shown, expected }) => {
  expect(formatUnshown(passage(1, 2), shown)).toBe(`[[demo:a.ts#L1-L2]]\n${expected}`);
});

test("names all of a passage that was shown", () => {
  const text = formatUnshown(passage(3, 12), [{ startLine: 1, endLine: 20 }]);
  expect(text).toBe("[[demo:a.ts#L3-L12]]\n(lines 3-12: shown above)");
});

test("a result that is left out takes its lines with it, also those that a later result only named", () => {
  const leftOut = new Set<string>();
  const shown = createShownLines({ isLeftOut: (id) => leftOut.has(id) });
  shown.end([passage(1, 10)], { toolCallId: "first" });
  shown.end([passage(1, 20)], { toolCallId: "second" });
  expect(shown.of(passage(1, 1))).toEqual([{ startLine: 1, endLine: 20 }]);
  leftOut.add("first");
  expect(shown.of(passage(1, 1))).toEqual([{ startLine: 11, endLine: 20 }]);
});

test("a call waits for those that began before it, and for no other", async () => {
  const shown = createShownLines({ isLeftOut: () => false });
  for (const id of ["first", "second", "third"]) shown.begin(id);
  const order: string[] = [];
  const second = shown.settled("second").then(() => order.push("second"));
  await shown.settled("first");
  order.push("first");
  shown.end([passage(1, 9)], { toolCallId: "first" });
  await second;
  expect(order).toEqual(["first", "second"]);
  expect(shown.of(passage(1, 1))).toEqual([{ startLine: 1, endLine: 9 }]);
});
