import { randomUUID } from "node:crypto";
import express, { type Express, type Request, type RequestHandler, type Response, type Router } from "express";
import * as z from "zod";
import type { Caller } from "../../caller.ts";
import { CitewellError } from "../../errors.ts";
import { withFields } from "../../lib/log.ts";
import type { Handlers } from "../../protocol/operations.ts";
import { readJson } from "../../transports/http/body.ts";
import { isCurrent } from "../../transports/mcp/era.ts";
import { setCommonHeaders, untilLeft } from "../../transports/http/response.ts";
import { sendReply } from "../../transports/http/web-response.ts";
import type { Fetches } from "../jobs/fetches.ts";
import type { RateLimit } from "../limits/rate.ts";
import type { Store } from "../store/store.ts";
import type { KeyHolder } from "../tenants/keys.ts";
import { createHolders } from "./holders.ts";
import { answerCurrentMessage } from "./current-mcp.ts";
import { type HealthOptions, healthRoutes } from "./health.ts";
import { answerMessage } from "./mcp-call.ts";
import { answerErrors, refuseMessage, sendSpaces } from "./reply.ts";
import { identifyRequest, requestLog } from "./request-id.ts";
import type { CallId, RunningCalls } from "./running-calls.ts";
import { operationsOf, scopesOf, type ToolCall } from "./tools.ts";

/** What the endpoint needs. */
export interface EndpointOptions extends HealthOptions {
  store: Store;
  /** The operations of the key's project, for a caller. */
  handlersFor(holder: KeyHolder, caller: Caller): Handlers;
  fetchesOf(project: string): Fetches;
  running: RunningCalls;
  /** Cancels a call that may run on another node. */
  cancelEverywhere(id: CallId): Promise<void>;
  /** The web pages. */
  pages: Router;
  /** Addresses and networks of reverse proxies whose X-Forwarded headers are trusted. */
  trustedProxies: readonly string[];
  /** For each key. */
  rateLimit: RateLimit;
  /** After how many milliseconds a question ends with what is answered. */
  deadlineMs: number;
  /** After how many milliseconds of silence a space is sent, so that proxies keep the connection. */
  keepAliveMs: number;
  /** Called with the status of each answer, without health checks. */
  onAnswer?: (status: number) => void;
  onCall?: ToolCall["onCall"];
  /** Cancels running calls. */
  signal: AbortSignal;
}

/** `POST /api/mcp` (spec/wire.md, "Hosted tool endpoint"), and `/healthz` and `/readyz` for load balancers. */
export function createEndpoint(options: EndpointOptions): Express {
  const { log } = options;
  const holders = createHolders(options);
  const app = express().disable("x-powered-by").disable("etag");
  app.set("trust proxy", [...options.trustedProxies]);
  app.use(setCommonHeaders, healthRoutes(options), identifyRequest);
  app.use((_request, response, next) => {
    response.once("finish", () => options.onAnswer?.(response.statusCode));
    next();
  });
  const answerOne: RequestHandler = (request, response) =>
    answer(request, response, { ...options, holder: holders.of(request) });
  app.post("/api/mcp", holders.identify, ...readJson, answerOne);
  app.all("/api/mcp", ({ method }, response) => {
    response.set("Allow", "POST");
    throw new CitewellError("MethodNotAllowed", `/api/mcp does not take ${method}`, { hint: "send POST" });
  });
  app.use(options.pages);
  app.use(({ path }) => {
    throw new CitewellError("RouteNotFound", `no route ${path.slice(0, 200)}`, {
      hint: "the endpoint is POST /api/mcp",
    });
  });
  app.use(answerErrors(log));
  return app;
}

const Message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z
    .object({
      name: z.unknown().optional(),
      project: z.unknown().optional(),
      requestId: z.union([z.string(), z.number()]).optional(),
    })
    .optional(),
});
type Message = z.infer<typeof Message>;

async function answer(
  request: Request,
  response: Response,
  options: EndpointOptions & { holder: KeyHolder },
): Promise<void> {
  const { holder, running, fetchesOf, handlersFor, deadlineMs, keepAliveMs, version } = options;
  const body: unknown = request.body;
  if (Array.isArray(body)) {
    refuseMessage(response, -32_600, "batches are not supported: send one message in each request");
    return;
  }
  const { success: isMessage, data: message = { method: "" } } = Message.safeParse(body);
  if (isMessage) requireAllowed(message, holder);
  const session = request.get("mcp-session-id");
  const idOf = (requestId: string | number): CallId => ({ key: holder.key.id, session, requestId });
  if (message.method === "notifications/cancelled" && message.params?.requestId !== undefined) {
    await options.cancelEverywhere(idOf(message.params.requestId));
  }

  const left = untilLeft(response);
  const controller = new AbortController();
  using _running = message.id === undefined ? undefined : running.add(idOf(message.id), controller);
  const protocolVersion = request.get("mcp-protocol-version");
  const isOfCurrent = isMessage && isCurrent(body, protocolVersion);
  const isSilent = !isOfCurrent && message.method === "tools/call";
  using _keepAlive = sendSpaces(response, isSilent ? keepAliveMs : undefined);
  const log = withFields(requestLog(options.log, response), { project: holder.project.name, key: holder.key.id });
  const caller: Caller = {
    id: holder.key.id,
    isLocal: false,
    operations: operationsOf(holder.key.scopes),
    limits: {},
    logFields: { project: holder.project.name, key: holder.key.id },
  };
  let refusal: CitewellError | undefined;
  const call = {
    app: handlersFor(holder, caller),
    fetches: fetchesOf(holder.project.id),
    scopes: holder.key.scopes,
    deadlineMs,
    signal: AbortSignal.any([options.signal, left, controller.signal]),
    log,
    ...(options.onCall === undefined ? {} : { onCall: options.onCall }),
    version,
    protocolVersion,
    onRefusal: (error: CitewellError) => (refusal = error),
  };
  const reply = isOfCurrent ? await answerCurrentMessage(request, call, keepAliveMs) : await answerMessage(body, call);
  if (refusal !== undefined && !response.headersSent) throw refusal;
  if (message.method === "initialize") response.set("Mcp-Session-Id", randomUUID());
  await sendReply(reply, response);
}

/** @throws OperationNotAllowed (the key is of another project, or lacks the scope) */
function requireAllowed({ method, params }: Message, { key, project }: KeyHolder): void {
  const named = params?.project;
  if (named !== undefined && named !== null && named !== project.name && named !== project.id) {
    throw new CitewellError("OperationNotAllowed", "this key belongs to another project", {
      hint: "leave out params.project, or use a key of that project",
    });
  }
  if (method !== "tools/call" || typeof params?.name !== "string") return;
  const scopes = scopesOf(params.name);
  if (scopes === undefined || scopes.some((scope) => key.scopes.includes(scope))) return;
  throw new CitewellError("OperationNotAllowed", `the tool "${params.name}" needs the scope ${scopes.join(" or ")}`, {
    hint: `this key has ${key.scopes.join(", ")}`,
  });
}
