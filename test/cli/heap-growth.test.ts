import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";

/** Makes objects, drops them, and then has nothing to do. Ends once a collection that was asked for has freed them. */
const program = `
import { constants, PerformanceObserver } from "node:perf_hooks";
import { limitHeapGrowth } from "./cli/heap-growth.ts";
limitHeapGrowth();
const inUse = () => process.memoryUsage().heapUsed;
const isAskedFor = ({ detail }) => (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
const before = inUse();
let kept = [];
while (inUse() < before + 50e6) kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index })));
kept = [];
const timer = setInterval(() => {}, 1000);
new PerformanceObserver((list) => {
  if (!list.getEntries().some(isAskedFor)) return;
  if (inUse() > before + 10e6) return;
  console.log("freed", kept.length);
  clearInterval(timer);
}).observe({ entryTypes: ["gc"] });
`;

test("an idle process frees what its last work left behind", async () => {
  await using folder = await temporaryFolder();
  const outfile = path.join(folder.path, "program.mjs");
  const stdin = { contents: program, resolveDir: process.cwd() };
  await build({ stdin, outfile, bundle: true, platform: "node", format: "esm" });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { timeout: 100_000 });
  expect(stdout).toBe("freed 0\n");
});
