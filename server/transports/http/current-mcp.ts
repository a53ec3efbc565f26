import { createMcpHandler, InMemoryServerEventBus, type Server } from "@modelcontextprotocol/server";
import type { Request as HttpRequest } from "express";
import type { Log } from "../../lib/log.ts";
import type { McpOptions } from "../mcp/mcp.ts";

/** How one message of the current era is answered. */
export interface CurrentMcpOptions {
  /** The server for this message. */
  createServer(): Server;
  /** Publishes changes to those who subscribed to them. */
  bus?: InMemoryServerEventBus;
  /** How long a stream may be silent before a comment is sent, in milliseconds. */
  keepAliveMs: number;
  log: Log;
  /** Ends the answer, and a subscription. */
  signal?: AbortSignal | undefined;
}

/** How many subscriptions a bus may have. */
const subscriptionLimit = 64;

/**
 * Answers one message of the current era, whose body has been read. A tool call is answered with an event stream, which
 * has progress if the client asks for it. Closing the stream cancels the call.
 */
export async function answerCurrent(
  { method, path, headers, body }: HttpRequest,
  { createServer, bus, keepAliveMs, log, signal }: CurrentMcpOptions,
): Promise<Response> {
  const ofProtocol = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" && name.startsWith("mcp-") ? [[name, value]] : [],
  );
  // Clients may accept, and send, less than the SDK demands.
  const own: [string, string][] = [
    ["accept", "application/json, text/event-stream"],
    ["content-type", "application/json"],
  ];
  const request = new Request(`http://localhost${path}`, {
    method,
    headers: [...ofProtocol, ...own],
    signal: signal ?? null,
  });
  const handler = createMcpHandler(createServer, {
    legacy: "reject",
    responseMode: headers["mcp-method"] === "tools/call" ? "sse" : "auto",
    keepAliveMs,
    onerror: (error) => log.warn("mcp", { error: error.message }),
    ...(bus === undefined ? {} : { bus, maxSubscriptions: subscriptionLimit - bus.listenerCount }),
  });
  return handler.fetch(request, { parsedBody: body });
}

/** Publishes that other resources may be configured, until `signal` aborts. */
export function openBus(watchResources: McpOptions["watchResources"], signal: AbortSignal): InMemoryServerEventBus {
  const bus = new InMemoryServerEventBus();
  const watching = watchResources?.(() => bus.publish({ kind: "resources_list_changed" }));
  signal.addEventListener("abort", () => watching?.[Symbol.dispose]());
  return bus;
}
