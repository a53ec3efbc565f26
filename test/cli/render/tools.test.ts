import { expect, test } from "vitest";
import { plainStyle } from "../../support/plain-style.ts";
import { renderTool } from "../../../cli/render/tools.ts";
import type { ToolState } from "../../../server/protocol/ask.ts";

const plain = plainStyle;
const time = { start: 1, end: 2 };

function completed(title: string, output: string, metadata: Record<string, unknown>): ToolState {
  return { status: "completed", input: {}, title, output, metadata, time };
}

test.each<[string, ToolState, string]>([
  ["search", completed("search “retry after”", "…", { passages: 8 }), "search “retry after” → 8 passages"],
  ["grep", completed("grep “a”", "…", { matches: 1, files: 1 }), "grep “a” → 1 match, 1 file"],
  ["list", completed("list src", "…", { entries: 1 }), "list src → 1 entry"],
  ["read", completed("read a.ts", "…", { lines: "1-40" }), "read a.ts → lines 1-40"],
  ["read", completed("read b.ts", "no file b.ts\nuse glob", { tag: "FileNotFound" }), "read b.ts → no file b.ts"],
  ["read", completed("read b.ts", "", {}), "read b.ts"],
  ["search", { status: "running", input: {}, title: "search “x”", time: { start: 1 } }, "search “x” …"],
  ["search", { status: "pending", input: {} }, "search …"],
  ["search", { status: "error", input: {}, error: "no\nquery\u001B[2J", time }, "search failed: no query‹U+001B›[2J"],
  ["x\u0007", completed("a\u001B]0;t\nb", "c", {}), "a‹U+001B›]0;t b → c"],
])("%s: one line for %o", (tool, state, expected) => {
  expect(renderTool({ tool, state }, plain)).toBe(expected);
});

test("a path is never cut, what went wrong is", () => {
  const path = "p/".repeat(200);
  const state = completed(`read ${path}`, "x".repeat(500), {});
  expect(renderTool({ tool: "read", state }, { ...plain, unicode: false })).toBe(
    `read ${path} -> ${"x".repeat(157)}...`,
  );
});

test("failures are coloured", () => {
  const state: ToolState = { status: "error", input: {}, error: "gone", time };
  expect(renderTool({ tool: "read", state }, { ...plain, color: true })).toBe(
    "\u001B[2mread\u001B[0m \u001B[33mfailed: gone\u001B[0m",
  );
});
