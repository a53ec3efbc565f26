import path from "node:path";
import { expect, test } from "vitest";
import { runHostTests } from "../support/editor/host-tests.ts";

/** What every suite of `host/` finds opened. Suites that change files make their own. */
const workspace = `
//- src/retry.ts
/** Waits twice as long after each failure. */
export function delayMs(attempt: number): number {
  return 100 * 2 ** attempt;
}
//- README.md
# Fixture
`;

// One extension host for all of them, as starting it takes ten seconds.
const { tests, failure } = await runHostTests(path.join(import.meta.dirname, "host"), { workspace });

test("the extension host runs every suite to its end", () => expect(failure).toBeUndefined());

for (const { title, error } of tests) test(title, () => expect(error).toBeUndefined());
