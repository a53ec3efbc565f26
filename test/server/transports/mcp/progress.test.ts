import { ProgressNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, test, vi } from "vitest";
import type { AskEvent } from "../../../../server/protocol/ask.ts";
import { reportProgress } from "../../../../server/transports/mcp/progress.ts";

afterEach(() => void vi.useRealTimers());

/** What the client hears, with the second in which it hears it, of a call that goes on for so many seconds. */
async function check(seconds: number, events: Record<number, AskEvent>, expected: readonly string[]): Promise<void> {
  vi.useFakeTimers();
  const received: string[] = [];
  const startedAt = performance.now();
  const second = () => Math.round((performance.now() - startedAt) / 1000);
  {
    using progress = reportProgress("token", async (notification) => {
      const { params } = ProgressNotificationSchema.parse(notification);
      received.push(`${second()}: ${params.progress} ${params.message}`);
      expect(params.progressToken).toBe("token");
    });
    for (let now = 0; now <= seconds; now++) {
      const event = events[now];
      if (event !== undefined) progress.tell(event);
      await vi.advanceTimersByTimeAsync(1000);
    }
  }
  await vi.advanceTimersByTimeAsync(60_000);
  expect(received).toEqual(expected);
}

function arriving(phase: "resolve" | "fetch" | "index", message: string): AskEvent {
  return { type: "progress", resource: "demo", phase, message };
}

const meta: AskEvent = {
  type: "meta",
  model: { provider: "p", model: "m" },
  resources: ["demo"],
  collection: { key: "demo", path: "/x" },
  snapshots: [],
};

test("reports each phase: resolving, fetching, indexing, reasoning, the tools, the answer", () =>
  check(
    9,
    {
      0: arriving("resolve", "looking for the branch"),
      1: arriving("fetch", "40 %"),
      2: arriving("index", "indexing"),
      3: meta,
      4: { type: "reasoning.delta", delta: "hm" },
      5: {
        type: "tool.updated",
        callID: "c",
        tool: "grep",
        state: { status: "running", input: {}, title: 'grep "x"', time: { start: 0 } },
      },
      6: {
        type: "tool.updated",
        callID: "c",
        tool: "grep",
        state: { status: "completed", input: {}, output: "", time: { start: 0, end: 1 } },
      },
      7: { type: "text.delta", delta: "So" },
      8: { type: "text.delta", delta: " it is" },
    },
    [
      "0: 1 demo: looking for the branch",
      "1: 2 demo: 40 %",
      "2: 3 demo: indexing",
      "3: 4 asking p/m",
      "4: 5 reasoning",
      '5: 6 grep "x"',
      "7: 7 answering",
    ],
  ));

test("silence never lasts for ten seconds, and what is repeated says for how long the call has run", () =>
  check(45, { 20: arriving("fetch", "40 %") }, [
    "8: 1 working, 8 s",
    "16: 2 working, 16 s",
    "20: 3 demo: 40 %",
    "28: 4 demo: 40 %, 28 s",
    "36: 5 demo: 40 %, 36 s",
    "44: 6 demo: 40 %, 44 s",
  ]));
