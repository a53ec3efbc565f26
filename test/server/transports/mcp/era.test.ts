import { expect, test } from "vitest";
import { isCurrent } from "../../../../server/transports/mcp/era.ts";

const versioned = (version: unknown) => ({
  method: "tools/list",
  params: { _meta: { "io.modelcontextprotocol/protocolVersion": version } },
});

test.each<[message: unknown, header: string | undefined, expected: boolean]>([
  [versioned("2026-07-28"), undefined, true],
  // The server of the current era answers which versions there are.
  [versioned("2099-01-01"), undefined, true],
  [versioned(7), undefined, true],
  [{ method: "initialize", params: { protocolVersion: "2026-07-28" } }, undefined, false],
  [{ method: "tools/list", params: { _meta: { progressToken: 1 } } }, "2025-11-25", false],
  [{ method: "notifications/cancelled" }, "2026-07-28", true],
  [{ method: "tools/list" }, "tomorrow", false],
  [[versioned("2026-07-28")], undefined, false],
  [undefined, undefined, false],
])("%j with the header %s", (message, header, expected) => {
  expect(isCurrent(message, header)).toBe(expected);
});
