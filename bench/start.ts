import { spawnSync } from "node:child_process";
import { median } from "./median.ts";

/** Alternating runs, so that drift in machine speed affects both sides equally. */
const pairs = 25;

const bare: number[] = [];
const version: number[] = [];
for (let index = 0; index <= pairs; index++) {
  const first = time(["-e", "0"]);
  const second = time(["dist/citewell.mjs", "--version"]);
  // Warm the file cache.
  if (index === 0) continue;
  bare.push(first);
  version.push(second);
}
const ratio = median(version.map((ms, index) => ms / (bare[index] ?? ms)));
console.log(`start: node -e 0 ${median(bare).toFixed(1)} ms, citewell --version ${median(version).toFixed(1)} ms`);
console.log(`start: ratio ${ratio.toFixed(2)} (aim: at most 2), median of ${pairs} pairs`);

function time(args: string[]): number {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: "ignore" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}`);
  return performance.now() - startedAt;
}
