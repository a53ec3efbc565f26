import { createMcpHandler, isLegacyRequest, Server } from "@modelcontextprotocol/server";
import type { Request as HttpRequest } from "express";
import * as z from "zod";
import { reportProgress } from "../../transports/mcp/progress.ts";
import { instructions, type McpCall } from "./mcp-call.ts";
import { callTool, listTools } from "./tools.ts";

/** A message of the protocol of 2026-07-28, which has its version in `_meta`, as the SDK reads it. */
export interface CurrentMessage {
  request: Request;
  body: unknown;
}

/** Undefined for a message of an older revision. */
export async function readCurrent({ headers, body }: HttpRequest): Promise<CurrentMessage | undefined> {
  const ofProtocol = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" && name.startsWith("mcp-") ? [[name, value]] : [],
  );
  const own: [string, string][] = [
    ["accept", "application/json, text/event-stream"],
    ["content-type", "application/json"],
  ];
  const request = new Request("http://localhost/api/mcp", { method: "POST", headers: [...ofProtocol, ...own] });
  const message = { request, body };
  return (await isLegacyRequest(request, body)) ? undefined : message;
}

/**
 * Answers one message, with a server of its own. A tool call is answered with an event stream, which has progress if the
 * client asks for it. Closing the stream cancels the call.
 */
export async function answerCurrent(
  { request, body }: CurrentMessage,
  call: McpCall,
  keepAliveMs: number,
): Promise<Response> {
  const createServer = () => {
    const server = new Server(
      { name: "citewell", title: "Citewell", version: call.version },
      { capabilities: { tools: {} }, instructions },
    );
    server.setRequestHandler("tools/list", { params: z.unknown() }, () => ({ tools: listTools(call.scopes) }));
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
      using progress = reportProgress(mcpReq._meta?.progressToken, mcpReq.notify);
      const signal = AbortSignal.any([call.signal, mcpReq.signal]);
      return callTool(params.name, params.arguments ?? {}, { ...call, signal, onEvent: progress.tell });
    });
    return server;
  };
  const isCall = request.headers.get("mcp-method") === "tools/call";
  const handler = createMcpHandler(createServer, {
    legacy: "reject",
    responseMode: isCall ? "sse" : "auto",
    keepAliveMs,
    onerror: (error) => call.log.warn("mcp", { error: error.message }),
  });
  return handler.fetch(request, { parsedBody: body });
}
