import type { ErrorRequestHandler, RequestHandler } from "express";
import { toCitewellError } from "../../errors.ts";
import type { McpOptions } from "../mcp/mcp.ts";
import { readJson, toBodyError } from "./body.ts";
import type { McpSessions } from "./mcp-sessions.ts";
import { statusByKind } from "./status.ts";

export interface McpRouteOptions extends McpOptions {
  /** How long a stream may be silent before a comment is sent, in milliseconds. */
  keepAliveMs: number;
  signal: AbortSignal;
}

/** The handlers of `/mcp`. The protocol is loaded with the first request for it only. */
export function createMcpHandlers(options: McpRouteOptions): {
  read: RequestHandler[];
  answer: RequestHandler;
  answerBodyErrors: ErrorRequestHandler;
} {
  let loading: Promise<McpSessions> | undefined;
  const load = () => {
    loading ??= openSessions(options);
    return loading;
  };
  return {
    read: readJson,
    answer: async (request, response) => (await load()).handle(request, response),
    /** Clients of this protocol look for its own kind of error. */
    async answerBodyErrors(thrown: unknown, _request, response, next) {
      const error = toCitewellError(toBodyError(thrown));
      if (error.tag === "Internal" || response.headersSent) return next(thrown);
      const { refuseBody } = await import("./mcp-sessions.ts");
      return refuseBody(response, { status: statusByKind[error.kind], message: error.message });
    },
  };
}

async function openSessions({ keepAliveMs, signal, ...options }: McpRouteOptions): Promise<McpSessions> {
  const [{ createMcpSessions }, { serveMcp }] = await Promise.all([
    import("./mcp-sessions.ts"),
    import("../mcp/mcp.ts"),
  ]);
  return createMcpSessions({ serve: (transport) => serveMcp(transport, options), keepAliveMs, signal });
}
