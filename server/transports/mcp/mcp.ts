import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Log } from "../../lib/log.ts";
import type { Handlers } from "../../protocol/operations.ts";
import { callTool, listTools } from "./tools.ts";

export interface McpOptions {
  app: Handlers;
  /** The package's. */
  version: string;
  log: Log;
}

/** The Model Context Protocol over `app`; derived from the table of operations, and bound to no transport yet. */
export function createMcpServer({ app, version, log }: McpOptions): Server {
  const server = new Server(
    { name: "citewell", title: "Citewell", version },
    {
      capabilities: { tools: {} },
      instructions:
        "Answers about the source code of libraries and repositories, with citations that were checked. Keep the " +
        "citations of an answer when you pass it on.",
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools() }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, sendNotification }) =>
    callTool(params, { app, log, signal, notify: sendNotification }),
  );
  Object.assign(server, { onerror: (error: Error) => log.warn("mcp", { error: error.message }) });
  return server;
}

/**
 * Serves one client over standard input and output, until it closes its end or `signal` aborts. What runs then is
 * cancelled. Nothing but protocol may be written to `output` by anyone.
 */
export async function serveMcpStdio(
  options: McpOptions & { input: Readable; output: Writable; signal: AbortSignal },
): Promise<void> {
  const { input, output, signal } = options;
  const server = createMcpServer(options);
  await server.connect(new StdioServerTransport(input, output));
  const settled = new AbortController();
  const left = [once(input, "end", settled), once(input, "close", settled), once(signal, "abort", settled)];
  if (!signal.aborted && !input.readableEnded) await Promise.race(left);
  settled.abort();
  await Promise.allSettled(left);
  await server.close();
}
