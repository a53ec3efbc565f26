import * as z from "zod";
import { messageOf } from "../errors.ts";
import { maskText } from "../source/mask.ts";
import type { AskEventOf } from "../protocol/ask.ts";
import type { ToolResult } from "./tools/define.ts";
import { titleOf } from "./tools/tools.ts";

type ToolUpdated = AskEventOf<"tool.updated">;
interface Call {
  callID: string;
  tool: string;
  input: unknown;
}

/** The states of the tool calls of one run, as events: pending, running, then completed or error. */
export interface Traces {
  pending(call: Omit<Call, "input">): ToolUpdated;
  running(call: Call): ToolUpdated;
  completed(call: Call, result: ToolResult): ToolUpdated;
  failed(call: Call, error: unknown): ToolUpdated;
  /** Ends the calls that have not ended, because the run does. */
  abandon(why: string): ToolUpdated[];
}

const errorLimit = 1000;
const Input = z.record(z.string(), z.unknown()).catch({});

export function createTraces(): Traces {
  const open = new Map<string, Call & { start: number }>();
  /** Forgets finished calls; a call that ends without a start (invalid JSON arguments) starts when it ends. */
  const close = (callID: string) => {
    const end = Date.now();
    const start = open.get(callID)?.start ?? end;
    open.delete(callID);
    return { start, end };
  };
  const failed = ({ callID, tool, input }: Call, error: string): ToolUpdated => {
    const state = { status: "error", input: Input.parse(input), error, time: close(callID) } as const;
    return { type: "tool.updated", callID, tool, state };
  };
  return {
    pending({ callID, tool }) {
      open.set(callID, { callID, tool, input: {}, start: Date.now() });
      return { type: "tool.updated", callID, tool, state: { status: "pending", input: {} } };
    },
    running(call) {
      const start = Date.now();
      open.set(call.callID, { ...call, start });
      const input = Input.parse(call.input);
      const state = { status: "running", input, title: titleOf(call.tool, input), time: { start } } as const;
      return { type: "tool.updated", callID: call.callID, tool: call.tool, state };
    },
    completed({ callID, tool, input: raw }, { text: output, metadata }) {
      const input = Input.parse(raw);
      const title = titleOf(tool, input);
      const state = { status: "completed", input, output, title, metadata, time: close(callID) } as const;
      return { type: "tool.updated", callID, tool, state };
    },
    // The SDK puts the names of its error classes before what happened.
    failed: (call, error) =>
      failed(
        call,
        maskText(
          messageOf(error)
            .replace(/AI_\w+: /g, "")
            .slice(0, errorLimit),
        ),
      ),
    abandon: (why) => [...open.values()].map((call) => failed(call, why)),
  };
}
