import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";

/**
 * Makes objects that live for a while, drops every other one, and has nothing more to do; ends once they are given back,
 * with the room they took, by somebody who asked for it: sooner or later V8 looks for garbage by itself.
 */
const program = `
import { constants, PerformanceObserver } from "node:perf_hooks";
import { limitHeapGrowth } from "./cli/heap-growth.ts";
limitHeapGrowth();
const inUse = () => process.memoryUsage().heapUsed;
const unused = () => process.memoryUsage().heapTotal - inUse();
const isAskedFor = ({ detail }) => (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
const before = inUse();
const kept = [];
while (inUse() < before + 50e6) kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index })));
for (const objects of kept) for (let index = 0; index < objects.length; index += 2) objects[index] = undefined;
const timer = setInterval(() => {}, 1000);
new PerformanceObserver((list) => {
  if (!list.getEntries().some(isAskedFor)) return;
  if (inUse() > before + 40e6 || unused() > 10e6) return;
  console.log("given back", kept.length > 0);
  clearInterval(timer);
}).observe({ entryTypes: ["gc"] });
`;

test("a process that goes on gives back at rest what its last work left behind", async () => {
  await using folder = await temporaryFolder();
  const outfile = path.join(folder.path, "program.mjs");
  const stdin = { contents: program, resolveDir: process.cwd() };
  await build({ stdin, outfile, bundle: true, platform: "node", format: "esm" });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { timeout: 60_000 });
  expect(stdout).toBe("given back true\n");
}, 90_000);
