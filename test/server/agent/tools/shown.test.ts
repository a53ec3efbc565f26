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

test("a result that is left out takes its lines with it, also those that a later result only named", async () => {
  const leftOut = new Set<string>();
  const shown = createShownLines({ isLeftOut: (id) => leftOut.has(id) });
  for (const [id, last] of [
    ["first", 10],
    ["second", 20],
  ] as const) {
    shown.begin(id);
    shown.end([passage(1, last)], { toolCallId: id });
  }
  const above = await shown.above("third");
  expect(above(passage(1, 1))).toEqual([{ startLine: 1, endLine: 20 }]);
  leftOut.add("first");
  expect(above(passage(1, 1))).toEqual([{ startLine: 11, endLine: 20 }]);
});

test("a call waits for those that began before it, and for no other", async () => {
  const shown = createShownLines({ isLeftOut: () => false });
  for (const id of ["first", "second", "third"]) shown.begin(id);
  const order: string[] = [];
  const second = shown.above("second").then((above) => {
    order.push("second");
    return above(passage(1, 1));
  });
  await shown.above("first");
  order.push("first");
  shown.end([passage(1, 9)], { toolCallId: "first" });
  expect(await second).toEqual([{ startLine: 1, endLine: 9 }]);
  expect(order).toEqual(["first", "second"]);
});

test("a slow call does not take for shown what a later call of its turn has shown already", async () => {
  const shown = createShownLines({ isLeftOut: () => false });
  for (const id of ["slow", "quick", "last"]) shown.begin(id);
  shown.end([passage(1, 9)], { toolCallId: "quick" });
  const above = await shown.above("slow");
  expect(above(passage(1, 1))).toEqual([]);
  shown.end([passage(1, 20)], { toolCallId: "slow" });
  expect((await shown.above("last"))(passage(1, 1))).toEqual([{ startLine: 1, endLine: 20 }]);
  shown.end([], { toolCallId: "last" });
  shown.begin("next");
  expect((await shown.above("next"))(passage(1, 1))).toEqual([{ startLine: 1, endLine: 20 }]);
});
