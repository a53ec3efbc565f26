import { expect, test } from "vitest";
import { preferredNode } from "../../../../server/hosted/routing/preference.ts";

const idle = (...names: string[]) => names.map((name) => ({ url: `http://${name}:8484`, running: 0 }));
const keys = Array.from({ length: 1000 }, (_, index) => JSON.stringify(["a-project", `resource-${index}`]));
const choose = (nodes: { url: string; running: number }[]) => keys.map((key) => preferredNode(nodes, key)?.url);

test("all nodes choose the same one, whatever their order, and keys are spread", () => {
  const nodes = idle("a", "b", "c", "d");
  const chosen = choose(nodes);
  expect(choose(nodes.toReversed())).toEqual(chosen);
  for (const { url } of nodes) expect(chosen.filter((one) => one === url).length).toBeGreaterThan(180);
});

test("when a node goes, only its own keys move", () => {
  const before = choose(idle("a", "b", "c", "d"));
  const after = choose(idle("a", "b", "c"));
  const moved = keys.filter((_, index) => before[index] !== after[index]);
  expect(moved).toEqual(keys.filter((_, index) => before[index] === "http://d:8484"));
});

test("no node gets more than 1.25 times the mean, rounded up", () => {
  const nodes = idle("a", "b", "c", "d");
  for (let call = 1; call <= 400; call += 1) {
    const chosen = preferredNode(nodes, "the same key");
    if (chosen !== undefined) chosen.running += 1;
    const most = Math.max(...nodes.map(({ running }) => running));
    expect(most).toBeLessThanOrEqual(Math.ceil((1.25 * call) / 4));
  }
  expect(nodes.map(({ running }) => running).toSorted((a, b) => b - a)).toEqual([125, 125, 125, 25]);
});

test("a node of its own is preferred, and none without nodes", () => {
  expect(preferredNode([{ url: "http://a:8484", running: 1000 }], "key")?.url).toBe("http://a:8484");
  expect(preferredNode([], "key")).toBeUndefined();
});
