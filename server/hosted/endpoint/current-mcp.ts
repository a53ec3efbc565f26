import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Server } from "@modelcontextprotocol/server";
import type { Request as HttpRequest } from "express";
import { answerCurrent } from "../../transports/http/current-mcp.ts";
import { answer } from "../../transports/mcp/current.ts";
import { reportProgress } from "../../transports/mcp/progress.ts";
import { instructions, type McpCall } from "./mcp-call.ts";
import { callTool, listTools } from "./tools.ts";

/** Answers one message of the protocol of 2026-07-28, with a server of its own. */
export async function answerCurrentMessage(
  request: HttpRequest,
  call: McpCall,
  keepAliveMs: number,
): Promise<Response> {
  const createServer = () => {
    const server = new Server(
      { name: "citewell", title: "Citewell", version: call.version },
      { capabilities: { tools: {} }, instructions },
    );
    answer(server, ListToolsRequestSchema, () => ({ tools: listTools(call) }));
    answer(server, CallToolRequestSchema, async (params, { mcpReq }) => {
      using progress = reportProgress(mcpReq._meta?.progressToken, mcpReq.notify);
      const signal = AbortSignal.any([call.signal, mcpReq.signal]);
      return callTool(params.name, params.arguments ?? {}, { ...call, signal, onEvent: progress.tell });
    });
    return server;
  };
  return answerCurrent(request, { createServer, keepAliveMs, log: call.log });
}
