import express, { type Express, type Request, type RequestHandler, type Response, type Router } from "express";
import { CitewellError } from "../../errors.ts";
import { withFields } from "../../lib/log.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { readJson } from "../../transports/http/body.ts";
import { answerCurrent } from "../../transports/http/current-mcp.ts";
import { answerOnce } from "../../transports/http/mcp-once.ts";
import { setCommonHeaders, untilLeft } from "../../transports/http/response.ts";
import { sendReply } from "../../transports/http/web-response.ts";
import { createCurrentServer } from "../../transports/mcp/current.ts";
import { type HealthOptions, healthRoutes } from "../http/health.ts";
import { answerErrors, parseError, refuseMessage, refuseToolMethod, sendSpaces } from "../http/reply.ts";
import { identifyRequest, requestLog } from "../http/request-id.ts";
import type { RateLimit } from "../limits/rate.ts";
import type { OpenProject } from "../projects/project-app.ts";
import type { CallRouter } from "../routing/router.ts";
import { createAccessTokens } from "../sign-in/access-tokens.ts";
import type { Issuer } from "../sign-in/issuer.ts";
import { challengeFor, resourceMetadata } from "../sign-in/resource-metadata.ts";
import type { Store } from "../store/store.ts";
import { clientOf, newSession } from "./client.ts";
import { createHolders, type Holder } from "./holders.ts";
import { readMessage } from "./message.ts";
import { passCall } from "./pass-call.ts";
import { grantTo } from "./rights.ts";
import type { CallId, RunningCalls } from "./running-calls.ts";
import { createHostedTools, type HostedCall } from "./call-tools.ts";
import { hostedTools } from "./tools.ts";

/** What the endpoint needs. */
export interface EndpointOptions extends HealthOptions {
  store: Store;
  /** The holder's project, with the resources that exist for it. @param client as its questions are counted */
  openFor(holder: Holder, client: string): OpenProject;
  /** Whose access tokens are accepted beside keys. */
  issuer?: Issuer | undefined;
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
  onCall?: HostedCall["onCall"];
  /** Passes calls on to other nodes; undefined without `--node-url`. */
  router(): CallRouter | undefined;
  /** Cancels running calls. */
  signal: AbortSignal;
}

/**
 * The routes of `POST /api/mcp` (docs/contract.md, "Hosted tool endpoint"), and `/healthz` and `/readyz` for load
 * balancers. It identifies the key or access token, decides which tools it may call, and answers in the client's era
 * of the protocol.
 *
 * It keeps no state between requests and opens no database of its own. The operations come from `openFor`;
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
    if ((await options.router()?.checkPassed(request.headers)) === true) passed.add(request);
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

async function answer(
  request: Request,
  response: Response,
  options: EndpointOptions & { holderFor: (project: unknown) => Promise<Holder>; isPassed: boolean },
): Promise<void> {
  const { holderFor, running, openFor, router, isPassed, keepAliveMs, version, onCall } = options;
  const startedAt = performance.now();
  if (Array.isArray(request.body)) {
    refuseMessage(response, -32_600, "batches are not supported: send one message in each request");
    return;
  }
  const message = readMessage(request);
  if ("fault" in message) {
    refuseMessage(response, parseError, message.fault);
    return;
  }
  const { id, method, tool, reads, isOfCurrent } = message;
  if (id !== undefined && hostedTools.some(({ name }) => name === method)) {
    refuseToolMethod(response, { id, method });
    return;
  }
  const holder = await holderFor(message.project ?? request.query["project"]);
  const { tools, operations, require } = grantTo(holder);
  if (tool !== undefined) require(tool);
  const isStructured = readResults(request.query["results"]) === "structured";
  const session = request.get("mcp-session-id");
  const idOf = (requestId: string | number): CallId => ({ key: holder.id, session, requestId });
  if (message.cancels !== undefined) await options.cancelEverywhere(idOf(message.cancels));

  const left = untilLeft(response);
  const controller = new AbortController();
  using _running = id === undefined ? undefined : running.add(idOf(id), controller);
  const isSilent = !isOfCurrent && method === "tools/call";
  using _keepAlive = sendSpaces(response, isSilent ? keepAliveMs : undefined);
  const logFields = { project: holder.project.name, [holder.kind]: holder.id };
  const log = withFields(requestLog(options.log, response), logFields);
  const signal = AbortSignal.any([options.signal, left, controller.signal]);
  const project = openFor(holder, clientOf(request.headers, message.client));
  const routed = reads === undefined ? undefined : router();
  using passed =
    routed && !isPassed
      ? await passCall(request, { router: routed, project, names: reads ?? [], log, signal })
      : undefined;
  if (passed !== undefined) return sendReply(passed.response, response);
  using _load = routed?.count();

  let refusal: CitewellError | undefined;
  const hosted = createHostedTools({
    tools,
    ...project.partsFor({ id: holder.id, isLocal: false, operations, limits: {}, logFields }),
    // Includes the time lost on the node that did not respond.
    deadlineMs: Math.max(1000, options.deadlineMs - (performance.now() - startedAt)),
    signal,
    onCall,
    onRefusal: (error) => (refusal = error),
  });
  const server = { version, instructions, tools: hosted, isStructured, log };
  const reply = isOfCurrent
    ? await answerCurrent(request, { createServer: () => createCurrentServer(server), keepAliveMs, log })
    : await answerOnce(request, server);
  if (refusal !== undefined && !response.headersSent) throw refusal;
  if (method === "initialize") response.set("Mcp-Session-Id", newSession(message.client));
  await sendReply(reply, response);
}

/** Sent to clients that connect or discover the server. */
const instructions =
  "Source code and documentation that this team registered. Call listResources for the names; then search and read, and " +
  "cite the place above the lines; or ask for an explanation whose citations were checked.";

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
