import * as z from "zod";
import { localCaller } from "../caller.ts";
import type { Config, ConfigLocation } from "../config/config.ts";
import { readNetworkSettings } from "../config/environment.ts";
import { CitewellError, messageOf, toCitewellError } from "../errors.ts";
import { createDisposalStack, type DisposalStack } from "../lib/disposal-stack.ts";
import type { Log } from "../lib/log.ts";
import { parseJson } from "../lib/parse-json.ts";
import { moduleBeside } from "../local-app.ts";
import { createNode } from "../node.ts";
import type { Patience } from "../operations/open.ts";
import type { ClientSnippet } from "../protocol/hosted.ts";
import type { Credentials } from "../providers/credentials.ts";
import { dayMs } from "../resources/source-store.ts";
import { startFollower } from "./following/follower.ts";
import { createHostFetches, type HostFetches } from "./git-hosts/host-fetches.ts";
import { createGitHubApp, type GitHubAppSettings } from "./github/github-app.ts";
import { startWorker } from "./jobs/worker.ts";
import { serviceFetchLimit } from "./limits/disk.ts";
import { deleteUnusedRevisions } from "./limits/kept-revisions.ts";
import { deleteIdleRates, type RateLimit } from "./limits/rate.ts";
import { type Mailer, type MailSettings, openMailer } from "./mail/mailer.ts";
import { createMetrics, type Metrics } from "./metrics/metrics.ts";
import { createMeters, measureStore, type Meters } from "./metrics/service-metrics.ts";
import { privateDropped } from "./secrets/git-tokens.ts";
import type { CallRouter } from "./routing/router.ts";
import { startRouter } from "./routing/start-router.ts";
import { findUnreadable } from "./secrets/reseal.ts";
import type { SealingKeys } from "./secrets/sealing-keys.ts";
import type { BlobStore } from "./snapshots/blobs.ts";
import { createSharing, type Sharing, sweepDaily } from "./snapshots/sharing.ts";
import type { Store } from "./store/store.ts";
import { deleteExpiredThreads } from "./tenants/account-threads.ts";
import type { Passwords } from "./tenants/passwords.ts";
import { createEndpoint } from "./endpoint/endpoint.ts";
import { servicePatience } from "./projects/fetchable.ts";
import { fetchResource, indexResource, recordDiskBytes } from "./projects/fetch-resource.ts";
import { createHooks } from "./hooks/hooks.ts";
import { removeOldPrivate, removeUnusedPrivate } from "./projects/private-sources.ts";
import {
  anonymousLocation,
  openProject,
  type OpenProject,
  openTenant,
  type ProjectServices,
  type ProjectUse,
} from "./projects/project-app.ts";
import { createHealthServer } from "./http/health.ts";
import { serveMetrics } from "./http/metrics-server.ts";
import { startWeeklyMails } from "./reports/weekly-mails.ts";
import { createIssuer, type OidcSettings } from "./sign-in/issuer.ts";
import { createPages } from "./pages/pages.ts";
import { type CallId, createRunningCalls } from "./endpoint/running-calls.ts";
import { serve, type Serving } from "./http/serving.ts";

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
  /**
   * The operator's: the model, the limits and the trusted hosts of every project; clones are in its `dataDirectory`.
   */
  config: Config;
  /** The credentials of the model. */
  credentials: Credentials;
  /** Open the sealed secrets of the projects. */
  keys: SealingKeys;
  location: ConfigLocation;
  /** The limit for each key. */
  rateLimit: RateLimit;
  /** The milliseconds after which a question ends with what is answered. */
  deadlineMs: number;
  /** The milliseconds of silence after which a space is sent while a call runs. */
  keepAliveMs?: number;
  /** How long a call waits for resources that this node must fetch. */
  patience?: Patience;
  /** The milliseconds without a sign of life after which the fetches of a process are taken over. */
  leaseMs?: number;
  /** What clients are configured with to use a key; none by default. */
  snippetsFor?(server: { url: string; key: string }): readonly ClientSnippet[];
  /** Hashes passwords; by default with the recommended cost. */
  passwords?: Passwords | undefined;
  /** The settings of single sign-on and of access tokens. */
  oidc?: OidcSettings | undefined;
  /** The origin at which people and clients reach the service; its own address by default. */
  publicUrl?: string | undefined;
  /** The app for private repositories on GitHub; without it, projects use their own tokens. */
  github?: GitHubAppSettings | undefined;
  /** Sends sign-in links and invitations; without it, no mail is sent. */
  mail?: MailSettings | undefined;
  /**
   * The origin at which other nodes reach this one; enables passing calls on. Port 0 is replaced by the port on which
   * the service listens. All nodes must have the same secrets keys.
   */
  nodeUrl?: string | undefined;
  /** Addresses and networks of reverse proxies whose X-Forwarded headers are trusted. */
  trustedProxies?: readonly string[];
  /**
   * The place where all nodes keep snapshots for each other; without it each fetches from the origins. Needs a store of
   * several nodes.
   */
  blobs?: BlobStore | undefined;
  /** The addresses of package registries to use instead of the public ones. */
  registries?: ConfigLocation["registries"];
  /** How many bytes the snapshot of one resource may have; no limit by default. */
  maxResourceBytes?: number | undefined;
  /** How many bytes the snapshots of this node may have; no limit by default. */
  maxSnapshotBytes?: number | undefined;
  /** The address of `GET /metrics`; not served by default. Port 0 lets the system choose. */
  metrics?: { host: string; port: number } | undefined;
  version: string;
  log: Log;
}

/** A running service. Disposing of it cancels what runs; the store stays open. */
export interface HostedServer extends AsyncDisposable {
  url: string;
  metricsUrl?: string;
  /**
   * Ends the process's part in the service without a failed call: its fetches are returned to the queue, `/readyz`
   * becomes 503, and after `noticeMs` it takes no more calls and waits for the running ones, for `graceMs` at most.
   */
  drain(options: { noticeMs: number; graceMs: number }): Promise<void>;
}

const cancelChannel = "citewell_cancel";
const usualKeepAliveMs = 15_000;
/** A shared snapshot was public within this time: it is checked daily, and its host may be away for a day. */
const proofMs = 2 * dayMs;
/** PostgreSQL sends notifications of less than 8,000 bytes. */
const notificationBytes = 7900;

/**
 * Starts a process of the hosted service over a store: `POST /api/mcp` and the web pages, the fetches of resources,
 * or both, by its role. It is the composition root: each service is created here and disposed of in reverse order.
 *
 * It parses no command line (`cli/commands/hosted.ts`) and does not terminate TLS. docs/development/hosted-service.md
 * describes how the service counts, answers and recovers.
 * @throws ServerFailed (a port is taken), ToolMissing; nothing stays open then
 */
export async function startHosted(options: HostedOptions): Promise<HostedServer> {
  const { role = "both", version } = options;
  await using opened = createDisposalStack();
  await reportUnreadable(options);
  const service = await openService(options, opened);
  const { store, metrics } = service;
  const worker = role === "web" ? undefined : opened.use(await openWorker(service));
  const follower = role === "web" ? undefined : opened.use(await openFollower(service));
  if (options.blobs !== undefined && worker !== undefined) opened.use(sweepDaily(options.blobs, options.log));
  const measured =
    options.metrics && opened.use(await serveMetrics({ metrics, store, role, version, ...options.metrics }));
  const draining = new AbortController();
  const { serving, router } = await openServing(service, { draining: draining.signal, opened });
  opened.defer(() => draining.abort());
  const running = opened.move();
  return {
    url: serving.url,
    ...(measured === undefined ? {} : { metricsUrl: `${measured.url}/metrics` }),
    async drain(times) {
      draining.abort();
      const ending = [worker, follower, router].map((part) => part?.[Symbol.asyncDispose]());
      const [cancelledCalls] = await Promise.all([serving.drain(times), ...ending]);
      options.log.info("drained", { cancelledCalls });
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** What all parts of a process use. */
interface Service extends ProjectServices {
  options: HostedOptions;
  sharing: Sharing | undefined;
  /** For the APIs of git hosts. */
  fetches: HostFetches;
  metrics: Metrics;
  meters: Meters;
  openFor(use: ProjectUse): OpenProject;
}

/** Opens the services of the process, and keeps those private snapshots only that a project still has access to. */
async function openService(options: HostedOptions, opened: DisposalStack): Promise<Service> {
  const { config, credentials, keys, log, blobs, patience = servicePatience } = options;
  const { dataDirectory } = config;
  const metrics = createMetrics();
  const meters = createMeters(metrics);
  const store = measureStore(options.store, metrics);
  const { registries } = options;
  const location = await anonymousLocation(options.location, {
    dataDirectory,
    registries,
    allowHosts: config.allowHosts,
  });
  const sharing = store.isExclusive ? undefined : createSharing({ store, blobs, dataDirectory, log });
  const node = opened.use(
    createNode({
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
    }),
  );
  const githubApp = options.github && createGitHubApp(options.github, { fetch: node.fetch });
  const shared = { store, node, config, credentials, keys, githubApp, location, log, meter: meters.question, patience };

  const privateStores = { store, node, dataDirectory };
  const reportFailed = (removing: Promise<void>) =>
    removing.catch((error: unknown) => log.warn("private-snapshots-not-removed", { error: messageOf(error) }));
  const removing = reportFailed(removeOldPrivate(privateStores));
  opened.defer(() => removing);
  const dropping = await store.listen(privateDropped, (project) => {
    if (!z.uuid().safeParse(project).success) return;
    void reportFailed(removeUnusedPrivate(privateStores, project));
  });
  opened.use(dropping);
  const fetches = createHostFetches(() => node.network());
  return { ...shared, options, sharing, fetches, metrics, meters, openFor: (use) => openProject(shared, use) };
}

/** Starts the fetches of resources. */
async function openWorker(service: Service): Promise<AsyncDisposable> {
  const { options, store, keys, githubApp, log, meters, openFor, sharing } = service;
  return startWorker({
    store,
    log,
    async deleteExpired() {
      await deleteExpiredThreads(store);
      await deleteIdleRates(store);
      await deleteUnusedRevisions(store);
    },
    leaseMs: options.leaseMs,
    onEnd: meters.fetch,
    async fetch(job, { signal, onProgress }) {
      const use = { project: { id: job.project, name: "" } };
      await fetchResource({ store, keys, githubApp, app: openFor(use).as(localCaller) }, job, { signal, onProgress });
      const context = await openTenant(service, use).contextFor(localCaller);
      await recordDiskBytes(store, context, { ...job, signal });
      await indexResource(context, job.resource, { signal, onProgress });
      await sharing?.publish(context, job.resource, { signal, onProgress });
    },
  });
}

/** Keeps the resources of followed accounts in step. */
async function openFollower(service: Service): Promise<AsyncDisposable> {
  const { allowHosts } = service.config;
  return startFollower({ ...service, allowHosts, leaseMs: service.options.leaseMs });
}

/** The HTTP server, and where calls are passed on to. */
interface Served {
  serving: Serving;
  router?: CallRouter | undefined;
}

/** Serves what the role of the process has: the endpoint and the pages, or its health only. */
async function openServing(
  service: Service,
  { draining, opened }: { draining: AbortSignal; opened: DisposalStack },
): Promise<Served> {
  const { options, store, node, keys, githubApp, fetches, location, log, meters, openFor } = service;
  const { nodeUrl, keepAliveMs = usualKeepAliveMs } = options;
  if (options.role === "worker") {
    const health = createHealthServer({ store, version: options.version, draining, log });
    return { serving: opened.use(await serve(health, options)) };
  }
  const closing = new AbortController();
  const running = createRunningCalls();
  // With port 0, the address is known when the service listens.
  const ownUrl = () => serving.url;
  const publicUrl = () => options.publicUrl ?? ownUrl();
  let router: CallRouter | undefined;
  const issuer = options.oidc && createIssuer(options.oidc, { fetch: node.fetch, publicUrl });
  const mailer = options.mail && opened.use(await openMail(options.mail, service));
  const listening = await store.listen(cancelChannel, (payload) => {
    const { success, data } = Cancellation.safeParse(parseJson(payload));
    if (success) running.cancel(data);
  });
  opened.use(listening);
  const endpoint = createEndpoint({
    ...options,
    store,
    onAnswer: meters.request,
    onCall: meters.call,
    draining,
    keepAliveMs,
    openFor: ({ project, kind, id }, client) => openFor({ project, client, reader: { kind, id } }),
    issuer,
    hooks: createHooks({ store, keys, log }),
    pages: createPages({
      ...options,
      store,
      openFor,
      issuer,
      githubApp,
      fetches,
      allowHosts: service.config.allowHosts,
      mailer,
      ownOrigin: publicUrl,
      snippetsFor: options.snippetsFor ?? (() => []),
      signal: closing.signal,
    }),
    trustedProxies: options.trustedProxies ?? [],
    running,
    router: () => router,
    cancelEverywhere: (id) => cancelEverywhere(id, { store, running }),
    signal: closing.signal,
  });
  const serving: Serving = opened.use(await serve(endpoint, options));
  if (mailer !== undefined) opened.use(await startWeeklyMails({ store, mailer, ownOrigin: publicUrl, log }));
  if (nodeUrl !== undefined) {
    const reached = { nodeUrl, ownUrl: ownUrl(), keepAliveMs, location };
    router = opened.use(await startRouter(reached, { store, keys, onPassed: meters.passed, log }));
  }
  opened.defer(() => closing.abort(new CitewellError("Cancelled", "the service is being stopped")));
  return { serving, router };
}

/** Checks the mail server at startup, so that a fault is logged early. @throws ToolMissing */
async function openMail(mail: MailSettings, { location, log }: Service): Promise<Mailer> {
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

/**
 * Without a session the call is looked for in this process only: another client of the key may use the same id
 * elsewhere.
 */
async function cancelEverywhere(
  id: CallId,
  { store, running }: Pick<HostedOptions, "store"> & { running: ReturnType<typeof createRunningCalls> },
): Promise<void> {
  const payload = JSON.stringify(id);
  if (id.session === undefined || Buffer.byteLength(payload) > notificationBytes) running.cancel(id);
  else await store.query("select pg_notify($1, $2)", [cancelChannel, payload]);
}
