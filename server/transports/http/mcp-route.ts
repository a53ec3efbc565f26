import type { ErrorRequestHandler, RequestHandler } from "express";
import type { Caller } from "../../caller.ts";
import { toCitewellError } from "../../errors.ts";
import type { McpOptions } from "../mcp/mcp.ts";
import { isCurrent } from "../mcp/era.ts";
import type { AgentHandlers } from "../mcp/tools.ts";
import { dropNullParams } from "../request-fields.ts";
import { readJson, toRequestError } from "./body.ts";
import type { Callers } from "./callers.ts";
import type { McpSessions } from "./mcp-sessions.ts";
import { untilLeft } from "./response.ts";
import { statusByKind } from "./status.ts";
import { sendReply } from "./web-response.ts";

/** Options of `/mcp`. */
export interface McpRouteOptions extends Omit<McpOptions, "app"> {
  handlersFor(caller: Caller): AgentHandlers;
  callers: Pick<Callers, "of">;
  /** How long a stream may be silent before a comment is sent, in milliseconds. */
  keepAliveMs: number;
  signal: AbortSignal;
}

/** The handlers of `/mcp`. Each era of the protocol is loaded with its first request. */
export function createMcpHandlers(options: McpRouteOptions): {
  read: RequestHandler[];
  answer: RequestHandler;
  answerBodyErrors: ErrorRequestHandler;
} {
  let sessions: Promise<McpSessions> | undefined;
  let current: Promise<Pick<McpSessions, "handle">> | undefined;
  return {
    read: readJson,
    async answer(request, response) {
      dropNullParams(request.body);
      const isOfCurrent = isCurrent(request.body, request.get("mcp-protocol-version"));
      const { handle } = await (isOfCurrent
        ? (current ??= openCurrent(options))
        : (sessions ??= openSessions(options)));
      await handle(request, response, { caller: options.callers.of(request) });
    },
    /** Clients of this protocol look for its own kind of error. */
    async answerBodyErrors(thrown: unknown, _request, response, next) {
      const error = toCitewellError(toRequestError(thrown));
      if (error.tag === "Internal" || response.headersSent) return next(thrown);
      const { refuseBody } = await import("./mcp-sessions.ts");
      return refuseBody(response, { status: statusByKind[error.kind], message: error.message });
    },
  };
}

async function openSessions({ keepAliveMs, signal, handlersFor, ...options }: McpRouteOptions): Promise<McpSessions> {
  const [{ createMcpSessions }, { localServer, serveMcp }] = await Promise.all([
    import("./mcp-sessions.ts"),
    import("../mcp/mcp.ts"),
  ]);
  return createMcpSessions({
    serve: (transport, caller) => serveMcp(transport, localServer({ ...options, app: handlersFor(caller) })),
    keepAliveMs,
    signal,
  });
}

async function openCurrent({
  keepAliveMs,
  signal,
  handlersFor,
  ...options
}: McpRouteOptions): Promise<Pick<McpSessions, "handle">> {
  const [{ answerCurrent, openBus }, { createCurrentServer }, { localServer }] = await Promise.all([
    import("./current-mcp.ts"),
    import("../mcp/current.ts"),
    import("../mcp/mcp.ts"),
  ]);
  const bus = openBus(options.watchResources, signal);
  return {
    async handle(request, response, { caller }) {
      const reply = await answerCurrent(request, {
        createServer: () => createCurrentServer(localServer({ ...options, app: handlersFor(caller) })),
        bus,
        keepAliveMs,
        log: options.log,
        signal: AbortSignal.any([signal, untilLeft(response)]),
      });
      await sendReply(reply, response);
    },
  };
}
