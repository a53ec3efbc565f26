import * as z from "zod";
import { localCaller } from "../caller.ts";
import type { Config, ConfigLocation } from "../config/config.ts";
import { readNetworkSettings } from "../config/environment.ts";
import { CitewellError, messageOf, toCitewellError } from "../errors.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { Log } from "../lib/log.ts";
import { moduleBeside } from "../local-app.ts";
import { createNode } from "../node.ts";
import type { Patience } from "../operations/open.ts";
import type { ClientSnippet } from "../protocol/hosted.ts";
import type { Credentials } from "../providers/credentials.ts";
import { dayMs } from "../resources/source-store.ts";
import { createGitHubApp, type GitHubAppSettings } from "./github/github-app.ts";
import { fetchesOf } from "./jobs/fetches.ts";
import { startWorker, type WorkerOptions } from "./jobs/worker.ts";
import { serviceFetchLimit } from "./limits/disk.ts";
import { deleteIdleRates, type RateLimit } from "./limits/rate.ts";
import { type MailSettings, openMailer } from "./mail/mailer.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { createMeters, measureStore } from "./metrics/service-metrics.ts";
import { privateDropped } from "./secrets/git-tokens.ts";
import type { CallRouter } from "./routing/router.ts";
import { startRouter } from "./routing/start-router.ts";
import { findUnreadable } from "./secrets/reseal.ts";
import type { SealingKeys } from "./secrets/sealing-keys.ts";
import type { BlobStore } from "./snapshots/blobs.ts";
import { createSharing, sweepDaily } from "./snapshots/sharing.ts";
import type { Store } from "./store/store.ts";
import { deleteExpiredThreads } from "./tenants/account-threads.ts";
import type { Passwords } from "./tenants/passwords.ts";
import { createEndpoint } from "./web/endpoint.ts";
import { servicePatience } from "./web/fetchable.ts";
import { fetchResource, indexResource, recordDiskBytes } from "./web/fetch-resource.ts";
import { createHooks } from "./web/hooks.ts";
import type { Holder } from "./web/holders.ts";
import type { Routing } from "./web/pass-call.ts";
import { removeOldPrivate, removeUnusedPrivate } from "./web/private-sources.ts";
import { anonymousLocation, openProject, openTenant, type ProjectUse, routingKey } from "./web/project-app.ts";
import { createHealthServer } from "./web/health.ts";
import { serveMetrics } from "./web/metrics-server.ts";
import { createIssuer, type OidcSettings } from "./web/oidc/issuer.ts";
import { createPages } from "./web/pages/pages.ts";
import { type CallId, createRunningCalls } from "./web/running-calls.ts";
import { serve } from "./web/serving.ts";

/** What a process does: `web` answers calls, `worker` fetches resources. */
export type NodeRole = "web" | "worker" | "both";

/** Settings of one process of the hosted service. */
export interface HostedOptions {
  store: Store;
  /** Default: both. Other roles need a store that several processes can use. */
  role?: NodeRole;
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** The operator's: the model, the limits and the trusted hosts of every project; clones are in its `dataDirectory`. */
  config: Config;
  /** Of the model. */
  credentials: Credentials;
  /** Open the sealed secrets of the projects. */
  keys: SealingKeys;
  location: ConfigLocation;
  /** For each key. */
  rateLimit: RateLimit;
  /** After how many milliseconds a question ends with what is answered. */
  deadlineMs: number;
  /** After how many milliseconds of silence a space is sent while a call runs. */
  keepAliveMs?: number;
  /** How long a call waits for resources that this node must fetch. */
  patience?: Patience;
  /** After how long without a sign of life the fetches of a process are taken over. */
  leaseMs?: number;
  /** What clients are configured with to use a key; none by default. */
  snippetsFor?(server: { url: string; key: string }): readonly ClientSnippet[];
  /** By default with the recommended cost of a hash. */
  passwords?: Passwords | undefined;
  /** Of single sign-on and of access tokens. */
  oidc?: OidcSettings | undefined;
  /** The origin at which people and clients reach the service; its own address by default. */
  publicUrl?: string | undefined;
  /** For private repositories on GitHub; without it, projects use their own tokens. */
  github?: GitHubAppSettings | undefined;
  /** For sign-in links and invitations; without it, no mail is sent. */
  mail?: MailSettings | undefined;
  /**
   * The origin at which other nodes reach this one; enables passing calls on. Port 0 is replaced by the port on which the
   * service listens. All nodes must have the same secrets keys.
   */
  nodeUrl?: string | undefined;
  /** Addresses and networks of reverse proxies whose X-Forwarded headers are trusted. */
  trustedProxies?: readonly string[];
  /** Where all nodes keep snapshots for each other; without it each fetches from the origins. Needs a store of several nodes. */
  blobs?: BlobStore | undefined;
  /** How many bytes the snapshot of one resource may have; no limit by default. */
  maxResourceBytes?: number | undefined;
  /** How many bytes the snapshots of this node may have; no limit by default. */
  maxSnapshotBytes?: number | undefined;
  /** Where `GET /metrics` is served; nowhere by default. Port 0 lets the system choose. */
  metrics?: { host: string; port: number } | undefined;
  version: string;
  log: Log;
}

/** A running service. Disposing of it cancels what runs; the store stays open. */
export interface HostedServer extends AsyncDisposable {
  url: string;
  metricsUrl?: string;
  /**
   * Ends the process's part in the service without a failed call: its fetches are returned to the queue, `/readyz` becomes
   * 503, and after `noticeMs` it takes no more calls and waits for the running ones, for `graceMs` at most.
   */
  drain(options: { noticeMs: number; graceMs: number }): Promise<void>;
}

const cancelChannel = "citewell_cancel";
const usualKeepAliveMs = 15_000;
/** A shared snapshot was public within this time: it is checked daily, and its host may be away for a day. */
const proofMs = 2 * dayMs;
/** PostgreSQL sends notifications of less than 8,000 bytes. */
const notificationBytes = 7900;

/** Serves `POST /api/mcp` and the web pages over a store, or runs its fetches, or both. @throws ServerFailed (the port is taken) */
export async function startHosted(options: HostedOptions): Promise<HostedServer> {
  const { role = "both", config, credentials, keys, log, version, patience = servicePatience } = options;
  const metrics = createMetrics();
  const meters = createMeters(metrics);
  const store = measureStore(options.store, metrics);
  const location = await anonymousLocation(options.location, config.dataDirectory);
  const { blobs } = options;
  const sharing = store.isExclusive
    ? undefined
    : createSharing({ store, blobs, dataDirectory: config.dataDirectory, log });
  const node = createNode({
    log,
    shared: sharing,
    maxSnapshotBytes: options.maxSnapshotBytes,
    fetchLimit: options.maxResourceBytes === undefined ? undefined : serviceFetchLimit(options.maxResourceBytes),
    network: () => readNetworkSettings(location),
    namesInUse: async () => new Set(),
    environment: location.env,
    indexWorker: moduleBeside("index-worker"),
    searchWorker: moduleBeside("search-worker"),
    proofMs,
  });
  await reportUnreadable(options);
  const closing = new AbortController();
  const draining = new AbortController();
  const running = createRunningCalls();
  const githubApp = options.github && createGitHubApp(options.github, { fetch: node.fetch });
  const services = {
    store,
    node,
    config,
    credentials,
    keys,
    githubApp,
    location,
    log,
    meter: meters.question,
    patience,
  };
  const openFor = (use: ProjectUse) => openProject(services, use);
  // With port 0, the address is known when the service listens.
  let ownUrl = "";
  let router: CallRouter | undefined;
  const keyFor: Routing["keyFor"] = (holder, names, call) => routingKey(services, useOf(holder), names, call);
  const publicUrl = () => options.publicUrl ?? ownUrl;
  const issuer = options.oidc && createIssuer(options.oidc, { fetch: node.fetch, publicUrl });
  const mailer = role === "worker" ? undefined : await openMail(options, location);
  const listening = await store.listen(cancelChannel, (payload) => {
    const { success, data } = Cancellation.safeParse(parseJson(payload));
    if (success) running.cancel(data);
  });
  const privateStores = { store, node, dataDirectory: config.dataDirectory };
  const reportFailed = (removing: Promise<void>) =>
    removing.catch((error: unknown) => log.warn("private-snapshots-not-removed", { error: messageOf(error) }));
  const dropping = await store.listen(privateDropped, (project) => {
    if (!z.uuid().safeParse(project).success) return;
    void reportFailed(removeUnusedPrivate(privateStores, project));
  });
  const removing = reportFailed(removeOldPrivate(privateStores));
  const endpoint = createEndpoint({
    ...options,
    store,
    onAnswer: meters.request,
    onCall: meters.call,
    draining: draining.signal,
    keepAliveMs: options.keepAliveMs ?? usualKeepAliveMs,
    handlersFor: (holder, caller) => openFor(useOf(holder)).as(caller),
    issuer,
    fetchesFor: ({ project, resources }) => fetchesOf(store, project.id, { only: resources }),
    hooks: createHooks({ store, keys, log }),
    pages: createPages({
      ...options,
      store,
      openFor,
      fetchesOf: (project) => fetchesOf(store, project),
      issuer,
      githubApp,
      mailer,
      ownOrigin: publicUrl,
      snippetsFor: options.snippetsFor ?? (() => []),
      signal: closing.signal,
    }),
    trustedProxies: options.trustedProxies ?? [],
    running,
    routing: () => router && { router, keyFor },
    cancelEverywhere: (id) => cancelEverywhere(id, { store, running }),
    signal: closing.signal,
  });
  const workerOptions: WorkerOptions = {
    store,
    log,
    async deleteExpired() {
      await deleteExpiredThreads(store);
      await deleteIdleRates(store);
    },
    leaseMs: options.leaseMs,
    onEnd: meters.fetch,
    async fetch(job, { signal, onProgress }) {
      const use = { project: { id: job.project, name: "" }, actor: "worker" };
      await fetchResource({ store, keys, githubApp, app: openFor(use) }, job, { signal, onProgress });
      const context = await openTenant(services, use).contextFor(localCaller);
      await recordDiskBytes(store, context, { ...job, signal });
      await indexResource(context, job.resource, { signal, onProgress });
      await sharing?.publish(context, job.resource, { signal, onProgress });
    },
  };
  const worker = role === "web" ? undefined : await startWorker(workerOptions);
  const sweeping = worker && blobs && sweepDaily(blobs, log);
  let stopped: Promise<void> | undefined;
  const stopWorker = () => (stopped ??= Promise.resolve(worker?.[Symbol.asyncDispose]()));
  const stopRouter = async () => router?.[Symbol.asyncDispose]();
  let measured: Awaited<ReturnType<typeof serveMetrics>> | undefined;
  const end = async () => {
    sweeping?.[Symbol.dispose]();
    await measured?.[Symbol.asyncDispose]();
    await listening[Symbol.asyncDispose]();
    await dropping[Symbol.asyncDispose]();
    await removing;
    await stopWorker();
    await mailer?.[Symbol.asyncDispose]();
    await node[Symbol.asyncDispose]();
  };
  try {
    if (options.metrics !== undefined)
      measured = await serveMetrics({ metrics, store, role, version, ...options.metrics });
    const health = { store, version, draining: draining.signal, log };
    const serving = await serve(role === "worker" ? createHealthServer(health) : endpoint, options);
    ownUrl = serving.url;
    if (options.nodeUrl !== undefined && role !== "worker") {
      const { nodeUrl, keepAliveMs = usualKeepAliveMs } = options;
      const reached = { nodeUrl, ownUrl, keepAliveMs, location };
      router = await startRouter(reached, { store, keys, onPassed: meters.passed, log });
    }
    return {
      url: serving.url,
      ...(measured === undefined ? {} : { metricsUrl: `${measured.url}/metrics` }),
      async drain(times) {
        draining.abort();
        const [cancelledCalls] = await Promise.all([serving.drain(times), stopWorker(), stopRouter()]);
        log.info("drained", { cancelledCalls });
      },
      async [Symbol.asyncDispose]() {
        draining.abort();
        closing.abort(new CitewellError("Cancelled", "the service is being stopped"));
        await stopRouter();
        await serving[Symbol.asyncDispose]();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

function useOf({ project, kind, id, resources }: Holder): ProjectUse {
  return { project, actor: `${kind}:${id}`, resources };
}

/** Checks the mail server at startup, so that a fault is logged early. @throws ToolMissing */
async function openMail({ mail, log }: Pick<HostedOptions, "mail" | "log">, location: ConfigLocation) {
  if (mail === undefined) return undefined;
  const { ca } = await readNetworkSettings(location);
  const mailer = await openMailer(mail, { ca, log });
  mailer.later(() => mailer.check());
  return mailer;
}

/** Secrets that do not open stop nothing but what needs them. */
async function reportUnreadable({ store, keys, log }: Pick<HostedOptions, "store" | "keys" | "log">): Promise<void> {
  const error = await findUnreadable(store, keys).catch(toCitewellError);
  if (error !== undefined) log.error("secrets-unreadable", { error: error.message, hint: error.hint });
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
