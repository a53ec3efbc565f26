import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Request as HttpRequest } from "express";
import { type ServerOptions, serveMcp } from "../mcp/mcp.ts";

/**
 * Answers one message of the older era as JSON, with a server of its own: no state is kept between requests. The body has
 * been read. The SDK refuses clients that accept JSON only, so it gets headers that it accepts.
 */
export async function answerOnce(
  { body, headers: { "mcp-protocol-version": version } }: HttpRequest,
  options: ServerOptions,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = await serveMcp(transport, options);
  const headers = new Headers({ accept: "application/json, text/event-stream", "content-type": "application/json" });
  if (typeof version === "string") headers.set("mcp-protocol-version", version);
  const request = new Request("http://localhost/mcp", { method: "POST", headers });
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}
