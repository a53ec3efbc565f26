import type { ServerNotification } from "@modelcontextprotocol/sdk/types.js";
import type { AskEvent } from "../../protocol/ask.ts";

export type Notify = (notification: ServerNotification) => Promise<void>;

export interface ProgressReport extends Disposable {
  tell(event: AskEvent): void;
}

/** Many clients give up when they hear nothing for a minute, some sooner: silence never lasts longer than this. */
const longestSilenceMs = 8000;
/** A fetch reports every percent; a client gets fewer. */
const shortestGapMs = 250;

/** Tells the client that a call goes on, and with what, where it gave a token for that. */
export function reportProgress(progressToken: string | number | undefined, notify: Notify): ProgressReport {
  if (progressToken === undefined) return { tell() {}, [Symbol.dispose]() {} };
  let progress = 0;
  let message = "working";
  const startedAt = performance.now();
  let sentAt = Number.NEGATIVE_INFINITY;
  const send = (text: string) => {
    sentAt = performance.now();
    // A client that is gone has been noticed elsewhere.
    notify({
      method: "notifications/progress",
      params: { progressToken, progress: ++progress, message: text },
    }).catch(() => {});
  };
  // A message that repeats says how long the call has run, so that the client shows that it is alive.
  const repeat = () => send(`${message}, ${Math.round((performance.now() - startedAt) / 1000)} s`);
  const timer = setInterval(repeat, longestSilenceMs);
  return {
    tell(event) {
      const next = describe(event);
      if (next === undefined || next === message) return;
      message = next;
      if (performance.now() - sentAt >= shortestGapMs) {
        timer.refresh();
        send(message);
      }
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function describe(event: AskEvent): string | undefined {
  switch (event.type) {
    case "progress":
      return `${event.resource}: ${event.message}`;
    case "meta":
      return `asking ${event.model.provider}/${event.model.model}`;
    case "reasoning.delta":
      return "reasoning";
    case "tool.updated":
      return event.state.status === "running" ? (event.state.title ?? event.tool) : undefined;
    case "text.delta":
      return "answering";
    case "done":
    case "error":
      return undefined;
  }
}
