import { once } from "node:events";
import { setInterval as every } from "node:timers/promises";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isCurrent } from "./era.ts";
import { localServer, type McpOptions, serveMcp, type ServerOptions } from "./mcp.ts";
import { createStdioTransport, type StdioOptions } from "./stdio.ts";

export interface ServeStdioOptions extends McpOptions, StdioOptions {
  signal: AbortSignal;
  /** Whether somebody may still read what is answered after the end of the input. */
  isClientThere(): boolean;
}

/**
 * Serves one client over standard input and output. When its input ends the answers that run are finished first, as
 * long as it is there to read them; `signal` cancels them. Nothing but protocol may be written to `output` by anyone.
 */
export async function serveMcpStdio(options: ServeStdioOptions): Promise<void> {
  const { signal, isClientThere } = options;
  const transport = createStdioTransport(options);
  const over = new AbortController();
  const aborted = signal.aborted ? Promise.resolve() : once(signal, "abort", { signal: over.signal }).catch(() => {});
  const server = await serveBothEras(transport, localServer(options));
  await Promise.race([transport.ended, aborted]);
  if (!signal.aborted) await Promise.race([transport.idle(), aborted, untilGone(isClientThere, over.signal)]);
  over.abort();
  await server.close();
}

interface Closable {
  close(): Promise<void>;
}

/**
 * Serves clients of both eras at one end of a transport. A request shows its era; other messages are of the era of the
 * last request. What serves the current era is loaded with its first request.
 */
async function serveBothEras(transport: Transport, options: ServerOptions): Promise<Closable> {
  const [toOlder, toCurrent] = [shareTransport(transport), shareTransport(transport)];
  const older = await serveMcp(toOlder, options);
  let current: Promise<Closable | undefined> | undefined;
  let isOfCurrent = false;
  const loadCurrent = async () => {
    try {
      const { serveCurrent } = await import("./current.ts");
      return serveCurrent(toCurrent, options);
    } catch (error) {
      // An update has replaced the program's files, for example.
      options.log.error("protocol-not-loaded", { error });
      return undefined;
    }
  };
  const answerCurrent = async (message: JSONRPCMessage) => {
    if ((await (current ??= loadCurrent())) !== undefined) return toCurrent.onmessage?.(message);
    if (!("method" in message && "id" in message)) return undefined;
    const error = {
      code: ErrorCode.InternalError,
      message: "this version of the protocol cannot be served: restart citewell",
    };
    return transport.send({ jsonrpc: "2.0", id: message.id, error });
  };
  Object.assign(transport, {
    onmessage(message: JSONRPCMessage) {
      if ("method" in message && "id" in message) isOfCurrent = isCurrent(message);
      if (!isOfCurrent) return toOlder.onmessage?.(message);
      void answerCurrent(message);
    },
  });
  await transport.start();
  return {
    async close() {
      await older.close();
      await (await current)?.close();
      await transport.close();
    },
  };
}

/** A transport of a server that shares `transport` with another one. */
function shareTransport({ send }: Transport): Transport {
  const shared: Transport = { start: async () => {}, send, close: async () => shared.onclose?.() };
  return shared;
}

/** How often to look whether the client is there, in milliseconds: a pipe does not tell before it is written to. */
const lookMs = 1000;

async function untilGone(isThere: () => boolean, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of every(lookMs, undefined, { signal, ref: false })) if (!isThere()) return;
  } catch {
    // It is over.
  }
}
