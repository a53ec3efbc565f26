import { once } from "node:events";
import { createServer, type Server } from "node:http";
import * as z from "zod";
import type { Config, ConfigLocation } from "../config/config.ts";
import { readNetworkSettings } from "../config/environment.ts";
import { CitewellError } from "../errors.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { Log } from "../lib/log.ts";
import { moduleBeside } from "../local-app.ts";
import { createNode } from "../node.ts";
import type { ClientSnippet } from "../protocol/hosted.ts";
import type { Credentials } from "../providers/credentials.ts";
import { foldEvents } from "../transports/fold-events.ts";
import { listen } from "../transports/http/listen.ts";
import { fetchesOf } from "./jobs/fetches.ts";
import { startWorker } from "./jobs/worker.ts";
import type { RateLimit } from "./limits/rate.ts";
import type { Store } from "./store/store.ts";
import { createEndpoint } from "./web/endpoint.ts";
import { anonymousLocation, openProject, type ProjectUse } from "./web/project-app.ts";
import { createPages } from "./web/pages/pages.ts";
import { type CallId, createRunningCalls } from "./web/running-calls.ts";

/** Settings of one process of the hosted service. */
export interface HostedOptions {
  store: Store;
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** The operator's: the model, the limits and the trusted hosts of every project; clones are in its `dataDirectory`. */
  config: Config;
  /** Of the model. */
  credentials: Credentials;
  location: ConfigLocation;
  /** For each key. */
  rateLimit: RateLimit;
  /** After how many milliseconds a question ends with what is answered. */
  deadlineMs: number;
  /** After how many milliseconds of silence a space is sent while a call runs. */
  keepAliveMs?: number;
  /** After how long without a sign of life the fetches of a process are taken over. */
  leaseMs?: number;
  /** What clients are configured with to use a key; none by default. */
  snippetsFor?(server: { url: string; key: string }): readonly ClientSnippet[];
  /** Addresses and networks of reverse proxies whose X-Forwarded headers are trusted. */
  trustedProxies?: readonly string[];
  version: string;
  log: Log;
}

/** A running service. Disposing of it cancels what runs; the store stays open. */
export interface HostedServer extends AsyncDisposable {
  url: string;
}

const cancelChannel = "citewell_cancel";
const usualKeepAliveMs = 15_000;
/** PostgreSQL sends notifications of less than 8,000 bytes. */
const notificationBytes = 7900;
const receiveLimits = { headersTimeout: 15_000, requestTimeout: 60_000 };

/** Serves `POST /api/mcp` and the web pages over a store. @throws ServerFailed (the port is taken) */
export async function startHosted(options: HostedOptions): Promise<HostedServer> {
  const { store, host, port, config, credentials, log } = options;
  const location = await anonymousLocation(options.location, config.dataDirectory);
  const node = createNode({
    log,
    network: () => readNetworkSettings(location),
    namesInUse: async () => new Set(),
    environment: location.env,
    indexWorker: moduleBeside("index-worker"),
    searchWorker: moduleBeside("search-worker"),
  });
  const closing = new AbortController();
  const running = createRunningCalls();
  const openFor = (use: ProjectUse) => openProject({ store, node, config, credentials, location, log }, use);
  const listening = await store.listen(cancelChannel, (payload) => {
    const { success, data } = Cancellation.safeParse(parseJson(payload));
    if (success) running.cancel(data);
  });
  const endpoint = createEndpoint({
    ...options,
    keepAliveMs: options.keepAliveMs ?? usualKeepAliveMs,
    handlersFor: ({ project, key }, caller) => openFor({ project, actor: `key:${key.id}` }).as(caller),
    fetchesOf: (project) => fetchesOf(store, project),
    pages: createPages({
      ...options,
      openFor,
      fetchesOf: (project) => fetchesOf(store, project),
      snippetsFor: options.snippetsFor ?? (() => []),
      signal: closing.signal,
    }),
    trustedProxies: options.trustedProxies ?? [],
    running,
    cancelEverywhere: (id) => cancelEverywhere(id, { store, running }),
    signal: closing.signal,
  });
  const worker = await startWorker({
    store,
    log,
    leaseMs: options.leaseMs,
    fetch: ({ project, resource }, { signal }) => {
      const app = openFor({ project: { id: project, name: "" }, actor: "worker" });
      return foldEvents("refreshResource", app.refreshResource({ name: resource }, { signal }), { signal });
    },
  });
  const server = createServer(receiveLimits, endpoint);
  const dispose = async () => {
    closing.abort(new CitewellError("Cancelled", "the service is being stopped"));
    await closeServer(server);
    await listening[Symbol.asyncDispose]();
    await worker[Symbol.asyncDispose]();
    await node[Symbol.asyncDispose]();
  };
  try {
    const ownPort = await listen(server, { host, port });
    return { url: urlOf({ host, port: ownPort }), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

const Cancellation = z.object({
  key: z.string(),
  session: z.string(),
  requestId: z.union([z.string(), z.number()]),
});

/** Without a session the call is looked for in this process only: another client of the key may use the same id elsewhere. */
async function cancelEverywhere(
  id: CallId,
  { store, running }: Pick<HostedOptions, "store"> & { running: ReturnType<typeof createRunningCalls> },
): Promise<void> {
  const payload = JSON.stringify(id);
  if (id.session === undefined || Buffer.byteLength(payload) > notificationBytes) running.cancel(id);
  else await store.query("select pg_notify($1, $2)", [cancelChannel, payload]);
}

function urlOf({ host, port }: { host: string; port: number }): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** How long cancelled calls may take to answer, before their connections are cut. */
const closeGraceMs = 2000;

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), closeGraceMs);
  await closed;
  clearTimeout(cut);
}
