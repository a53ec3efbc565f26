import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";

/** Makes objects that live for a while, drops them, and asks for no memory any more; ends once they are given back. */
const program = `
import { limitHeapGrowth } from "./cli/heap-growth.ts";
limitHeapGrowth();
const inUse = () => process.memoryUsage().heapUsed;
const before = inUse();
const kept = [];
while (inUse() < before + 50e6) kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index })));
kept.length = 0;
const timer = setInterval(() => {
  if (inUse() > before + 10e6) return;
  console.log("given back");
  clearInterval(timer);
}, 100);
`;

test("a process that goes on gives back at rest what its last work left behind", async () => {
  await using folder = await temporaryFolder();
  const outfile = path.join(folder.path, "program.mjs");
  const stdin = { contents: program, resolveDir: process.cwd() };
  await build({ stdin, outfile, bundle: true, platform: "node", format: "esm" });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { timeout: 60_000 });
  expect(stdout).toBe("given back\n");
}, 90_000);
