import type { ErrorRequestHandler, RequestHandler } from "express";
import type { Caller } from "../../caller.ts";
import { toCitewellError } from "../../errors.ts";
import type { McpOptions } from "../mcp/mcp.ts";
import type { AgentHandlers } from "../mcp/tools.ts";
import { readJson, toBodyError } from "./body.ts";
import type { Callers } from "./callers.ts";
import type { McpSessions } from "./mcp-sessions.ts";
import { statusByKind } from "./status.ts";

/** Options of `/mcp`. */
export interface McpRouteOptions extends Omit<McpOptions, "app"> {
  handlersFor(caller: Caller): AgentHandlers;
  callers: Pick<Callers, "of">;
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
    answer: async (request, response) =>
      (await load()).handle(request, response, { caller: options.callers.of(request) }),
    /** Clients of this protocol look for its own kind of error. */
    async answerBodyErrors(thrown: unknown, _request, response, next) {
      const error = toCitewellError(toBodyError(thrown));
      if (error.tag === "Internal" || response.headersSent) return next(thrown);
      const { refuseBody } = await import("./mcp-sessions.ts");
      return refuseBody(response, { status: statusByKind[error.kind], message: error.message });
    },
  };
}

async function openSessions({ keepAliveMs, signal, handlersFor, ...options }: McpRouteOptions): Promise<McpSessions> {
  const [{ createMcpSessions }, { serveMcp }] = await Promise.all([
    import("./mcp-sessions.ts"),
    import("../mcp/mcp.ts"),
  ]);
  return createMcpSessions({
    serve: (transport, caller) => serveMcp(transport, { ...options, app: handlersFor(caller) }),
    keepAliveMs,
    signal,
  });
}
