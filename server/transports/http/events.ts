import { once } from "node:events";
import type { Response } from "express";
import { CitewellError } from "../../errors.ts";

/** What every event of a streaming operation has. */
export interface StreamEvent {
  type: string;
  [field: string]: unknown;
}

/**
 * Sends a question's events as they come, no faster than the client reads. Nothing is sent before the first one, so that a
 * failure until then can still be an ordinary response. For a later failure the caller ends with an `error` event.
 */
export async function sendEvents(
  events: AsyncIterable<StreamEvent>,
  response: Response,
  { keepAliveMs, signal }: { keepAliveMs: number; signal: AbortSignal },
): Promise<void> {
  let keepAlive: NodeJS.Timeout | undefined;
  try {
    for await (const event of events) {
      // What follows the last event is for the pipeline's own sake.
      if (response.writableEnded) continue;
      if (!response.headersSent) response.writeHead(200, streamHeaders);
      keepAlive ??= setInterval(() => sendComment(response), keepAliveMs);
      if (!response.write(formatEvent(event))) await once(response, "drain", { signal });
      if (event.type === "done" || event.type === "error") response.end();
    }
  } finally {
    clearInterval(keepAlive);
  }
  signal.throwIfAborted();
  if (!response.writableEnded) throw new CitewellError("Internal", "the answer ended without its last event");
}

/** `event:` is the type, `data:` one line of JSON. */
export function formatEvent(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

const streamHeaders = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
};

/** A client that does not read needs none. */
function sendComment(response: Response): void {
  if (!response.writableNeedDrain) response.write(": keep-alive\n\n");
}
