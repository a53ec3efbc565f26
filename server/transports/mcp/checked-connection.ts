import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  type MessageExtraInfo,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describeIssues } from "../../protocol/validation.ts";

const requestSchemas = [
  InitializeRequestSchema,
  ListToolsRequestSchema,
  CallToolRequestSchema,
  ListPromptsRequestSchema,
  GetPromptRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  CompleteRequestSchema,
  SetLevelRequestSchema,
];

/**
 * Connects a server to a transport, and answers parameters of the wrong shape with -32602 and what was expected. The SDK
 * says -32603 of them, "internal error", with the issues as JSON.
 */
export async function connectChecked(server: Server, transport: Transport): Promise<void> {
  // The SDK's own reader is in place when this returns, and nothing has been read yet.
  const connected = server.connect(transport);
  const { onmessage } = transport;
  Object.assign(transport, {
    onmessage(message: JSONRPCMessage, extra?: MessageExtraInfo) {
      const fault = "method" in message && "id" in message ? faultOf(message) : undefined;
      if (fault === undefined || !("id" in message)) return onmessage?.(message, extra);
      const error = { code: ErrorCode.InvalidParams, message: fault };
      // A client that is gone has been noticed elsewhere.
      return void transport.send({ jsonrpc: "2.0", id: message.id, error }).catch(() => {});
    },
  });
  await connected;
}

function faultOf(request: JSONRPCRequest): string | undefined {
  const schema = requestSchemas.find(({ shape }) => shape.method.value === request.method);
  const error = schema?.safeParse(request).error;
  return error === undefined ? undefined : `${request.method}: ${describeIssues(error, request)}`;
}
