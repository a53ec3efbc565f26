import { expect, test } from "vitest";
import { diffLines } from "../../../server/source/line-diff.ts";

function check(before: string, after: string): string[] {
  const [old, now] = [before.split(" ").filter(Boolean), after.split(" ").filter(Boolean)];
  return diffLines(old, now).map(({ oldStart, oldCount, newStart, newCount }) => {
    const removed = old.slice(oldStart - 1, oldStart - 1 + oldCount).join(" ");
    const added = now.slice(newStart - 1, newStart - 1 + newCount).join(" ");
    return `${oldStart}-${removed} ${newStart}+${added}`;
  });
}

test("finds the lines that were added, removed and replaced", () => {
  expect(check("a b c", "a b c")).toEqual([]);
  expect(check("a b c", "a x b c")).toEqual(["2- 2+x"]);
  expect(check("a b c", "a c")).toEqual(["2-b 2+"]);
  expect(check("a b c d", "a x y d")).toEqual(["2-b c 2+x y"]);
  expect(check("", "a b")).toEqual(["1- 1+a b"]);
  expect(check("a b", "")).toEqual(["1-a b 1+"]);
});

test("keeps a block whole that was added between others with the same brackets", () => {
  expect(check("f { 1 } h { 3 }", "f { 1 } g { 2 } h { 3 }")).toEqual(["5- 5+g { 2 }"]);
});

test("finds the shortest edit where no line is there only once", () => {
  expect(check("a b c a b b a", "c b a b a c")).toHaveLength(4);
  expect(check("a a b b a a", "a b b a")).toEqual(["2-a 2+", "5-a 4+"]);
});

test("what it says turns one text into the other", () => {
  let seed = 7;
  const random = (limit: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % limit;
  for (let round = 0; round < 400; round++) {
    const kinds = 1 + random(8);
    const text = () => Array.from({ length: random(14) }, () => `l${random(kinds)}`);
    const [before, after] = [text(), text()];
    const made: string[] = [];
    let at = 0;
    for (const { oldStart, oldCount, newStart, newCount } of diffLines(before, after)) {
      made.push(...before.slice(at, oldStart - 1), ...after.slice(newStart - 1, newStart - 1 + newCount));
      at = oldStart - 1 + oldCount;
    }
    expect([...made, ...before.slice(at)]).toEqual(after);
  }
});

test("long texts with nothing in common are replaced as a whole, soon", () => {
  const lines = (step: number) => Array.from({ length: 20_000 }, (_, index) => `x${(index * step) % 7}`);
  expect(diffLines(lines(1), [...lines(3), "end"]).length).toBeGreaterThan(0);
});
