import { readFileSync, writeFileSync } from "node:fs";

/** Percentage points; smaller differences are noise from ties. */
const lossAllowed = 1;

/** A share between 0 and 1, in the baseline and now. */
export interface Change {
  name: string;
  before: number;
  now: number;
}

/** Writes scores as the new baseline. */
export function writeBaseline(file: string, scores: object): void {
  writeFileSync(file, `${JSON.stringify(scores, rounded, 2)}\n`);
}

export function readBaseline(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Prints how shares between 0 and 1 changed. @throws Error (a loss of more than a point) */
export function compareShares(bench: string, changes: readonly Change[]): void {
  const points = changes.map(({ name, before, now }) => ({ name, by: 100 * (now - before) }));
  const words = points.map(({ name, by }) => `${name} ${by < 0 ? "" : "+"}${by.toFixed(1)}`);
  console.log(`${bench}: against the baseline ${words.join(", ")}`);
  const losses = points.filter(({ by }) => by < -lossAllowed);
  if (losses.length > 0) throw new Error(`${losses.map(({ name }) => name).join(" and ")} lost more than a point`);
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 1e4) / 1e4 : value;
}
