import { randomUUID } from "node:crypto";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, type RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { Request, Response } from "express";
import type { Caller } from "../../caller.ts";

/** Options and limits of sessions. */
export interface McpSessionOptions {
  /** Puts a server of its own at the other end of a session. */
  serve(transport: Transport, caller: Caller): Promise<unknown>;
  /** How many sessions there may be; one more ends the one that was idle for longest. */
  sessionLimit?: number;
  /** How long a session may be idle, in milliseconds. */
  idleMs?: number;
  /** How long a stream may be silent before a comment is sent, in milliseconds. */
  keepAliveMs?: number;
  /** Ends them all. */
  signal: AbortSignal;
}

/** The open sessions. */
export interface McpSessions {
  /** Answers a request to `/mcp`; the body has been read. */
  handle(request: Request, response: Response, options: { caller: Caller }): Promise<void>;
}

interface Session {
  /** The id of the caller that opened it; to others it does not exist. */
  callerId: string;
  transport: StreamableHTTPServerTransport;
  /** Responses that are open: answers, and the stream of notifications. */
  openCount: number;
  usedAt: number;
}

/**
 * Sessions of the Model Context Protocol over Streamable HTTP, each with a server of its own over the one application.
 * A connection that closes before its answer is complete cancels its requests: their answers have no reader.
 */
export function createMcpSessions({
  sessionLimit = 64,
  idleMs = 30 * 60_000,
  keepAliveMs = 10_000,
  serve,
  signal,
}: McpSessionOptions): McpSessions {
  const sessions = new Map<string, Session>();

  const end = (session: Session) => void session.transport.close().catch(() => {});
  const sweep = setInterval(
    () => {
      for (const session of sessions.values()) {
        if (session.openCount === 0 && performance.now() - session.usedAt > idleMs) end(session);
      }
    },
    Math.min(idleMs, 60_000),
  );
  sweep.unref();
  signal.addEventListener("abort", () => {
    clearInterval(sweep);
    for (const session of sessions.values()) end(session);
  });

  const start = async (caller: Caller): Promise<Session> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      keepAliveMs,
      onsessioninitialized(id) {
        makeRoom();
        sessions.set(id, session);
      },
    });
    const session: Session = { callerId: caller.id, transport, openCount: 0, usedAt: performance.now() };
    await serve(transport, caller);
    const { onclose } = transport;
    Object.assign(transport, {
      onclose() {
        onclose?.();
        if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
      },
    });
    return session;
  };

  const makeRoom = () => {
    if (sessions.size < sessionLimit) return;
    const [oldest] = [...sessions.values()].toSorted(
      (a, b) => Number(a.openCount > 0) - Number(b.openCount > 0) || a.usedAt - b.usedAt,
    );
    if (oldest !== undefined) end(oldest);
  };

  return {
    async handle(request, response, { caller }) {
      const id = request.headers["mcp-session-id"];
      const found = typeof id === "string" ? sessions.get(id) : undefined;
      const known = found?.callerId === caller.id ? found : undefined;
      if (id !== undefined && known === undefined) {
        refuse(response, { status: 404, code: -32_001, message: "no such session: initialize a new one" });
        return;
      }
      const session = known ?? (await start(caller));
      session.openCount++;
      response.once("close", () => {
        session.openCount--;
        session.usedAt = performance.now();
        if (!response.writableFinished) cancel(session, requestIds(request.body));
        // A request other than `initialize` was refused and has started nothing.
        if (session.transport.sessionId === undefined) end(session);
      });
      await session.transport.handleRequest(request, response, request.body);
    },
  };
}

/** A refusal as this protocol says it, before any session could. */
function refuse(
  response: Response,
  { status, code, message }: { status: number; code: number; message: string },
): void {
  response.status(status).json({ jsonrpc: "2.0", id: null, error: { code, message } });
}

/** A body that is no JSON, in the protocol's own words. */
export function refuseBody(response: Response, { status, message }: { status: number; message: string }): void {
  refuse(response, { status, code: status === 400 ? ErrorCode.ParseError : ErrorCode.InvalidRequest, message });
}

function cancel({ transport }: Session, ids: readonly RequestId[]): void {
  for (const requestId of ids) {
    const params = { requestId, reason: "the client left" };
    transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }
}

function requestIds(body: unknown): RequestId[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) => {
    if (typeof message !== "object" || message === null || !("method" in message) || !("id" in message)) return [];
    return typeof message.id === "string" || typeof message.id === "number" ? [message.id] : [];
  });
}
