import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { connectChecked } from "../../transports/mcp/checked-connection.ts";
import { callTool, listTools, type Rights, type ToolCall } from "./tools.ts";

/** What one message of a client is answered with. */
export interface McpCall extends ToolCall {
  version: string;
  rights: Rights;
  /** The `Mcp-Protocol-Version` header. */
  protocolVersion: string | undefined;
}

/** Sent to clients that connect or discover the server. */
export const instructions =
  "Source code and documentation that this team registered. Call listResources for the names; then search and read, and " +
  "cite the place above the lines; or ask for an explanation whose citations were checked.";

/**
 * Answers one message of the Model Context Protocol, with a server of its own: no state is kept between requests. The SDK
 * refuses clients that accept JSON only, so it gets headers that it accepts.
 */
export async function answerMessage(body: unknown, call: McpCall): Promise<Response> {
  const { version, protocolVersion } = call;
  const server = new Server(
    { name: "citewell", title: "Citewell", version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools(call) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => callTool(params.name, params.arguments ?? {}, call));
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await connectChecked(server, transport);
  const headers = new Headers({ accept: "application/json, text/event-stream", "content-type": "application/json" });
  if (protocolVersion !== undefined) headers.set("mcp-protocol-version", protocolVersion);
  const request = new Request("http://localhost/api/mcp", { method: "POST", headers });
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}
