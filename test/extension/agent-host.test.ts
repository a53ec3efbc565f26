import path from "node:path";
import { expect, test } from "vitest";
import { runHostTests } from "../support/editor/host-tests.ts";

const workspace = `
//- src/retry.ts
/** Waits twice as long after each failure. */
export function delayMs(attempt: number): number {
  return 100 * 2 ** attempt;
}
`;

// A host of their own: they start a server beside the extension's, and one host takes the language features of one only.
const { tests, failure } = await runHostTests(path.join(import.meta.dirname, "agent-host"), { workspace });

test("the extension host runs the agent's suite to its end", () => expect(failure).toBeUndefined());

for (const { title, error } of tests) test(title, () => expect(error).toBeUndefined());
