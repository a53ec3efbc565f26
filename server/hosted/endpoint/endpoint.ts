import { randomUUID } from "node:crypto";
import express, { type Express, type Request, type RequestHandler, type Response, type Router } from "express";
import * as z from "zod";
import type { Caller } from "../../caller.ts";
import { CitewellError } from "../../errors.ts";
import { withFields } from "../../lib/log.ts";
import type { Handlers } from "../../protocol/operations.ts";
import { describeIssues, quoteValue } from "../../protocol/validation.ts";
import { readJson } from "../../transports/http/body.ts";
import { isCurrent } from "../../transports/mcp/era.ts";
import { dropNullParams } from "../../transports/request-fields.ts";
import { setCommonHeaders, untilLeft } from "../../transports/http/response.ts";
import { sendReply } from "../../transports/http/web-response.ts";
import type { Fetches } from "../jobs/fetches.ts";
import type { RateLimit } from "../limits/rate.ts";
import type { Store } from "../store/store.ts";
import { createHolders, type Holder } from "./holders.ts";
import { answerCurrentMessage } from "./current-mcp.ts";
import { type HealthOptions, healthRoutes } from "../http/health.ts";
import { answerMessage } from "./mcp-call.ts";
import { answerErrors, parseError, refuseMessage, refuseToolMethod, sendSpaces } from "../http/reply.ts";
import { identifyRequest, requestLog } from "../http/request-id.ts";
import { createAccessTokens } from "../sign-in/access-tokens.ts";
import type { Issuer } from "../sign-in/issuer.ts";
import { challengeFor, resourceMetadata } from "../sign-in/resource-metadata.ts";
import { isReading, passCall, type Routing } from "./pass-call.ts";
import type { CallId, RunningCalls } from "./running-calls.ts";
import { isTool, operationsOf, requireAllowed, type ToolCall } from "./tools.ts";

/** What the endpoint needs. */
export interface EndpointOptions extends HealthOptions {
  store: Store;
  /** The operations of the holder's project, for a caller. */
  handlersFor(holder: Holder, caller: Caller): Handlers;
  /** Whose access tokens are accepted beside keys. */
  issuer?: Issuer | undefined;
  /** The fetches that the holder may see and request. */
  fetchesFor(holder: Holder): Fetches;
  running: RunningCalls;
  /** Cancels a call that may run on another node. */
  cancelEverywhere(id: CallId): Promise<void>;
  /** What git hosts send pushes to. */
  hooks: Router;
  /** The web pages. */
  pages: Router;
  /** Addresses and networks of reverse proxies whose X-Forwarded headers are trusted. */
  trustedProxies: readonly string[];
  /** The limit for each key and each account. */
  rateLimit: RateLimit;
  /** The milliseconds after which a question ends with what is answered. */
  deadlineMs: number;
  /** After how many milliseconds of silence a space is sent, so that proxies keep the connection. */
  keepAliveMs: number;
  /** Called with the status of each answer, without health checks. */
  onAnswer?: (status: number) => void;
  onCall?: ToolCall["onCall"];
  /** Passes calls on to other nodes; undefined without `--node-url`. */
  routing(): Routing | undefined;
  /** Cancels running calls. */
  signal: AbortSignal;
}

/**
 * The routes of `POST /api/mcp` (docs/contract.md, "Hosted tool endpoint"), and `/healthz` and `/readyz` for load
 * balancers. It identifies the key or access token, decides which tools it may call, and answers in the client's era
 * of the protocol.
 *
 * It keeps no state between requests and opens no database of its own. The operations come from `handlersFor`;
 * people's pages are in `pages/`.
 */
export function createEndpoint(options: EndpointOptions): Express {
  const { log, issuer } = options;
  const tokens = issuer && createAccessTokens(issuer);
  const passed = new WeakSet<Request>();
  const isPassed = (request: Request) => passed.has(request);
  const holders = createHolders({ ...options, tokens, isCounted: (request) => !isPassed(request) });
  const app = express().disable("x-powered-by").disable("etag");
  app.set("trust proxy", [...options.trustedProxies]);
  app.use(setCommonHeaders, healthRoutes(options), identifyRequest);
  app.use((_request, response, next) => {
    response.once("finish", () => options.onAnswer?.(response.statusCode));
    next();
  });
  const answerOne: RequestHandler = (request, response) =>
    answer(request, response, {
      ...options,
      isPassed: isPassed(request),
      holderFor: (project) => holders.of(request, project),
    });
  const checkPassed: RequestHandler = async (request, _response, next) => {
    if ((await options.routing()?.router.checkPassed(request.headers)) === true) passed.add(request);
    next();
  };
  app.post("/api/mcp", checkPassed, holders.identify, ...readJson, answerOne);
  app.all("/api/mcp", ({ method }, response) => {
    response.set("Allow", "POST");
    throw new CitewellError("MethodNotAllowed", `/api/mcp does not accept ${method}`, { hint: "send POST" });
  });
  if (issuer !== undefined && tokens !== undefined) app.use(resourceMetadata(issuer, tokens));
  app.use(options.hooks);
  app.use(options.pages);
  app.use(({ path }) => {
    throw new CitewellError("RouteNotFound", `no route ${path.slice(0, 200)}`, {
      hint: "the endpoint is POST /api/mcp",
    });
  });
  app.use(answerErrors(log, (error) => challengeFor(issuer, error)));
  return app;
}

const Message = z.object({
  jsonrpc: z.literal("2.0"),
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

async function answer(
  request: Request,
  response: Response,
  options: EndpointOptions & { holderFor: (project: unknown) => Promise<Holder>; isPassed: boolean },
): Promise<void> {
  const { holderFor, running, fetchesFor, handlersFor, keepAliveMs, version, isPassed } = options;
  const routing = options.routing();
  const startedAt = performance.now();
  const body: unknown = request.body;
  if (Array.isArray(body)) {
    refuseMessage(response, -32_600, "batches are not supported: send one message in each request");
    return;
  }
  dropNullParams(body);
  const { data: message, error: fault } = Message.safeParse(body);
  if (message === undefined) {
    refuseMessage(response, parseError, `the body is not a JSON-RPC message: ${describeIssues(fault, body)}`);
    return;
  }
  const { id, method } = message;
  if (id !== undefined && isTool(method)) {
    refuseToolMethod(response, { id, method });
    return;
  }
  const holder = await holderFor(message.params?.project ?? request.query["project"]);
  const { name: tool } = message.params ?? {};
  if (message.method === "tools/call" && typeof tool === "string") requireAllowed(tool, holder);
  const isStructured = readResults(request.query["results"]) === "structured";
  const session = request.get("mcp-session-id");
  const idOf = (requestId: string | number): CallId => ({ key: holder.id, session, requestId });
  if (message.method === "notifications/cancelled" && message.params?.requestId !== undefined) {
    await options.cancelEverywhere(idOf(message.params.requestId));
  }

  const left = untilLeft(response);
  const controller = new AbortController();
  using _running = message.id === undefined ? undefined : running.add(idOf(message.id), controller);
  const protocolVersion = request.get("mcp-protocol-version");
  const isOfCurrent = isCurrent(body, protocolVersion);
  const isSilent = !isOfCurrent && message.method === "tools/call";
  using _keepAlive = sendSpaces(response, isSilent ? keepAliveMs : undefined);
  const logFields = { project: holder.project.name, [holder.kind]: holder.id };
  const log = withFields(requestLog(options.log, response), logFields);
  const signal = AbortSignal.any([options.signal, left, controller.signal]);
  using passed = routing && !isPassed ? await passCall(request, { ...routing, holder, log, signal }) : undefined;
  if (passed !== undefined) return sendReply(passed.response, response);
  using _load = routing && isReading(body) ? routing.router.count() : undefined;

  const operations = operationsOf(holder);
  const caller: Caller = { id: holder.id, isLocal: false, operations, limits: {}, logFields };
  let refusal: CitewellError | undefined;
  const call = {
    app: handlersFor(holder, caller),
    fetches: fetchesFor(holder),
    rights: holder,
    isStructured,
    // Includes the time lost on the node that did not respond.
    deadlineMs: Math.max(1000, options.deadlineMs - (performance.now() - startedAt)),
    signal,
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

/**
 * Whether results have only text, for agents, or also structured content.
 * @throws InvalidRequest
 */
function readResults(value: unknown = "structured"): "text" | "structured" {
  if (value === "text" || value === "structured") return value;
  throw new CitewellError("InvalidRequest", `results is ${quoteValue(String(value))}, but must be text or structured`, {
    hint: "the address of coding agents ends with ?results=text",
  });
}
