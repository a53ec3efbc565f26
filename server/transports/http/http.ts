import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import * as z from "zod";
import type { Caller } from "../../caller.ts";
import { CitewellError } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { type Handlers, type Operation, type OperationName, operations } from "../../protocol/operations.ts";
import type { McpOptions } from "../mcp/mcp.ts";
import { callOperation } from "../call-operation.ts";
import { ignoreUnknownFields } from "../request-fields.ts";
import { inputOf, readJson } from "./body.ts";
import { answerErrors } from "./error-handler.ts";
import { sendEvents, type StreamEvent } from "./events.ts";
import { createCallers } from "./callers.ts";
import { callerOnLoopback } from "./guard.ts";
import { createMcpHandlers } from "./mcp-route.ts";
import { listen } from "./listen.ts";
import { logRequests } from "./request-log.ts";
import { sendHealth, setCommonHeaders, untilLeft } from "./response.ts";
import { type HttpMethod, operationRoutes } from "./routes.ts";

/** The dependencies of the routes, for any caller. */
export interface HttpAppOptions {
  /** The operations as a caller may use them. */
  handlersFor(caller: Caller): Handlers;
  /** Identifies the caller of a request; throws for one that may not call. */
  callerOf(request: Request): Caller | Promise<Caller>;
  /** The package's, for `GET /`. */
  version: string;
  log: Log;
  /** How long a stream may be silent before a comment is sent; at most 15 seconds (docs/contract.md, "Stream"). */
  keepAliveMs?: number;
  /** Calls back for `/mcp` whenever other resources may be configured. */
  watchResources?: McpOptions["watchResources"];
  /** Cancels running requests. */
  signal?: AbortSignal;
}

/** A server for the user of this computer. */
export interface HttpOptions extends Omit<HttpAppOptions, "handlersFor" | "callerOf" | "signal"> {
  app: Handlers;
}

/** A listening server. */
export interface HttpServer extends AsyncDisposable {
  /** The one it listens on, also where 0 was asked for. */
  port: number;
  /** Takes no more requests, cancels those that run, and resolves when the last connection is closed. */
  close(): Promise<void>;
}

/** Slower senders are cut off: a question of 2 MB crosses the loopback in far less. */
const receiveLimits = { headersTimeout: 15_000, requestTimeout: 60_000 };

/** How long cancelled requests may take to say so, before their connections are cut. */
const closeGraceMs = 2000;

/**
 * Serves the operations of an app on 127.0.0.1, and nowhere else, for `citewell serve` and the editor's child
 * process. Host and Origin of each request are checked.
 *
 * It has no authentication: the callers are programs of this computer's user. It is not for a network: `hosted/` is.
 * The routes come from `createHttpApp`.
 * @throws ServerFailed (the port is taken, or needs rights)
 */
export async function serveHttp({ port, app, ...options }: HttpOptions & { port: number }): Promise<HttpServer> {
  const closing = new AbortController();
  // A request without Host is for our own guard to refuse, in our own words.
  const server = createServer(
    { ...receiveLimits, requireHostHeader: false },
    createHttpApp({ ...options, handlersFor: () => app, callerOf: callerOnLoopback, signal: closing.signal }),
  );
  const running = new Set<ServerResponse>();
  server.on("request", (_request, response) => {
    running.add(response);
    response.once("close", () => running.delete(response));
  });
  const ownPort = await listen(server, { host: "127.0.0.1", port });
  let closed: Promise<void> | undefined;
  const close = () => {
    closing.abort(new CitewellError("Cancelled", "the server is being closed"));
    closed ??= closeServer(server, running);
    return closed;
  };
  return { port: ownPort, close, [Symbol.asyncDispose]: close };
}

/** The routes alone, derived from the table of operations. */
export function createHttpApp({
  handlersFor,
  callerOf,
  version,
  log,
  keepAliveMs = 10_000,
  watchResources,
  signal = new AbortController().signal,
}: HttpAppOptions): Express {
  const callers = createCallers(callerOf);
  const mcp = createMcpHandlers({ handlersFor, callers, version, log, watchResources, keepAliveMs, signal });
  const routes: Route[] = [
    { method: "get", path: "/mcp", handlers: [mcp.answer] },
    { method: "post", path: "/mcp", handlers: [...mcp.read, mcp.answer] },
    { method: "delete", path: "/mcp", handlers: [mcp.answer] },
    { method: "get", path: "/", handlers: [(_request, response) => sendHealth(response, version)] },
    { method: "get", path: "/openapi.json", handlers: [(_request, response) => sendOpenApi(response)] },
    ...operationRoutes.map(({ name, method, path }) => {
      const answer: RequestHandler = (request, response) =>
        answerOperation(name, { app: handlersFor(callers.of(request)), request, response, keepAliveMs, signal });
      return { method, path, handlers: method === "get" ? [answer] : [...readJson, answer] };
    }),
  ];
  const server = express().disable("x-powered-by").disable("etag");
  server.enable("case sensitive routing").enable("strict routing");
  server.use(logRequests(log, callers), setCommonHeaders, callers.identify);
  for (const path of new Set(routes.map((route) => route.path))) {
    const ofPath = routes.filter((route) => route.path === path);
    const route = server.route(path);
    for (const { method, handlers } of ofPath) route[method](handlers);
    route.all(refuseMethod(ofPath.map(({ method }) => method)));
  }
  server.use("/mcp", mcp.answerBodyErrors);
  server.use(refusePath, answerErrors(log));
  return server;
}

interface Route {
  method: HttpMethod;
  path: string;
  handlers: RequestHandler[];
}

const requestHint = "GET /openapi.json describes every request";

async function answerOperation(
  name: OperationName,
  { app, request, response, keepAliveMs, signal }: OperationCall,
): Promise<void> {
  const running = AbortSignal.any([signal, untilLeft(response)]);
  const { http, alsoSent }: Operation = operations[name];
  const words = { subject: http ?? name, noun: "field", alsoSent } as const;
  const { value, ignored } = ignoreUnknownFields(operations[name].input, inputOf(request), words);
  const result = callOperation(app, name, withDefaultScope(name, value), { signal: running }, { hint: requestHint });
  if (Symbol.asyncIterator in result) {
    await sendEvents(warnInMeta(result, ignored), response, { keepAliveMs, signal: running });
  } else response.json(withWarnings(await result, ignored));
}

/** Over HTTP, a request that names no resource is about all configured ones (docs/contract.md, "The open project"). */
function withDefaultScope(name: OperationName, input: unknown): unknown {
  const { input: schema }: Operation = operations[name];
  const hasScope = schema instanceof z.ZodObject && Object.hasOwn(schema.shape, "scope");
  const isRecord = typeof input === "object" && input !== null && !Array.isArray(input);
  return hasScope && isRecord ? { scope: "configured", ...input } : input;
}

/** A reply that also says what was ignored in its request. */
function withWarnings<Reply extends object>(reply: Reply, ignored: readonly string[]): Reply {
  const warnings = "warnings" in reply && Array.isArray(reply.warnings) ? reply.warnings : [];
  return ignored.length === 0 ? reply : { ...reply, warnings: [...warnings, ...ignored] };
}

async function* warnInMeta(
  events: AsyncIterable<StreamEvent>,
  ignored: readonly string[],
): AsyncGenerator<StreamEvent> {
  for await (const event of events) yield event.type === "meta" ? withWarnings(event, ignored) : event;
}

interface OperationCall {
  app: Handlers;
  request: Request;
  response: Response;
  keepAliveMs: number;
  /** The signal of the server's own life. */
  signal: AbortSignal;
}

/** The generator is loaded with the first request for it only. */
async function sendOpenApi(response: Response): Promise<void> {
  const { createOpenApiDocument } = await import("./openapi.ts");
  response.json(createOpenApiDocument());
}

function refuseMethod(methods: readonly HttpMethod[]): RequestHandler {
  const allowed = methods.flatMap((method) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()])).join(", ");
  return ({ method, path }, response) => {
    response.set("Allow", allowed);
    throw new CitewellError("MethodNotAllowed", `${path} does not take ${method}`, { hint: `it takes ${allowed}` });
  };
}

function refusePath({ method, path }: Request): void {
  throw new CitewellError("RouteNotFound", `no route ${method} ${path.slice(0, 200)}`, {
    hint: "GET /openapi.json lists the routes",
  });
}

/** Connections that wait for a request have nothing to lose; those with one get time to end it. */
async function closeServer(server: Server, running: ReadonlySet<ServerResponse>): Promise<void> {
  const closed = once(server, "close");
  server.close();
  const answered = Promise.all([...running].map((response) => once(response, "close")));
  await Promise.race([answered, sleep(closeGraceMs, undefined, { ref: false })]);
  server.closeAllConnections();
  await closed;
}
