import { Readable } from "node:stream";
import type { Response } from "express";

/**
 * Sends a web-standard response, until it ends or the client closes it. Headers and white space may have been sent
 * before, but not before an event stream.
 */
export async function sendReply(reply: globalThis.Response, response: Response): Promise<void> {
  if (response.destroyed) return reply.body?.cancel();
  const type = reply.headers.get("content-type");
  if (type?.startsWith("text/event-stream") === true && reply.body !== null) {
    response.status(reply.status).set({ "Content-Type": type, "X-Accel-Buffering": "no" });
    return sendStream(Readable.fromWeb(reply.body), response);
  }
  const text = await reply.text();
  if (response.headersSent) {
    response.end(text);
    return;
  }
  response.status(reply.status);
  if (type !== null && text !== "") response.set("Content-Type", type);
  response.end(text);
}

/** `pipeline` adds seven listeners to the response, beyond what Node regards as a leak. */
async function sendStream(body: Readable, response: Response): Promise<void> {
  const closed = new Promise((resolve) => response.once("close", resolve));
  body.once("error", () => response.destroy());
  body.pipe(response);
  response.flushHeaders();
  await closed;
  body.destroy();
}
