import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { version } from "../../package.json";
import { type Config, type ConfigLocation, loadConfig } from "../../server/config/config.ts";
import { configPaths } from "../../server/config/paths.ts";
import { readNetworkSettings } from "../../server/config/environment.ts";
import { CitewellError } from "../../server/errors.ts";
import { connectAdmin, serveAdmin } from "../../server/hosted/admin/admin-socket.ts";
import { createAdmin } from "../../server/hosted/admin/admin.ts";
import { startHosted } from "../../server/hosted/hosted.ts";
import type { BlobStore } from "../../server/hosted/snapshots/blobs.ts";
import { openSharedStore } from "../../server/hosted/snapshots/shared-store.ts";
import { moveTables } from "../../server/hosted/store/move.ts";
import { keysVariable, openSealingKeys, type SealingKeys } from "../../server/hosted/secrets/sealing-keys.ts";
import { openStore, type Store, type StoreLocation } from "../../server/hosted/store/store.ts";
import { createKey } from "../../server/hosted/tenants/keys.ts";
import { createOwnerLink, linkPath } from "../../server/hosted/tenants/links.ts";
import { listMembers } from "../../server/hosted/tenants/members.ts";
import { createFirstProject, findProject, listProjects } from "../../server/hosted/tenants/projects.ts";
import type { Log } from "../../server/lib/log.ts";
import { createLocalProviders } from "../../server/local-app.ts";
import type { Admin } from "../../server/protocol/hosted.ts";
import { mergeSettings } from "../../server/protocol/settings.ts";
import { createCredentials } from "../../server/providers/credentials.ts";
import { configLocation, openLog } from "../app/open-app.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import type { nodeRoles } from "../definitions/hosted.ts";
import { limitHeapGrowth } from "../heap-growth.ts";
import { hostedSnippets } from "../agent-settings/hosted-snippets.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { formatTable } from "../render/table.ts";
import { Interruption, type Terminal, write } from "../terminal.ts";
import { type GitHubOptions, readGitHubApp } from "./hosted-github.ts";
import { type MailOptions, readMail } from "./hosted-mail.ts";
import { readNodeUrl } from "./hosted-address.ts";
import { readSingleSignOn, type SingleSignOnOptions } from "./hosted-single-sign-on.ts";

/** Options for where the service keeps its data. */
export interface StoreOptions extends CommonOptions {
  data?: string;
  database?: string;
}

/** Options of `citewell hosted`. */
export interface HostedOptions extends StoreOptions, SingleSignOnOptions, MailOptions, GitHubOptions {
  port: number;
  host: string;
  model?: string;
  callsPerMinute: number;
  deadline: number;
  role: (typeof nodeRoles)[number];
  notice?: number;
  grace?: number;
  shared?: string;
  nodeUrl?: string;
  cacheSize?: number;
  resourceSize: number;
  metricsPort?: number;
  metricsHost: string;
  trustedProxy: string[];
  registry: ConfigLocation["registries"];
}

/**
 * Serves until it is interrupted, and then until running questions have ended; a second signal ends it at once. The
 * first start creates a project and prints a key and a link to sign in.
 */
export async function hosted(options: HostedOptions, terminal: Terminal): Promise<number> {
  limitHeapGrowth();
  const log = openLog(terminal, options, "info", terminal.stderr.isTTY ? "text" : "json");
  const dataDirectory = await openDataDirectory(options, terminal);
  const config = await hostedConfig(options, dataDirectory, terminal);
  const singleSignOn = readSingleSignOn(options, terminal.env);
  const mail = readMail(options, singleSignOn);
  const { env, cwd } = terminal;
  const github = await readGitHubApp(options, { env, cwd, publicUrl: singleSignOn.publicUrl });
  const place = locationOf(options, dataDirectory);
  requireSharedStore(options, place);
  const nodeUrl = readNodeUrl(options);
  if (nodeUrl !== undefined) requireSharedKeys(terminal);
  const keys = keysFor(place, dataDirectory, terminal);
  await using store = await openStore(place, { log });
  const first = options.role === "worker" ? undefined : await createFirst(store);
  const { oidc } = singleSignOn;
  // Found now: a second project that is created later does not make the choice ambiguous.
  if (oidc !== undefined && oidc.domains.length > 0) oidc.project = (await findProject(store, oidc.project)).name;
  await using server = await startHosted({
    store,
    role: options.role,
    host: options.host,
    port: options.port,
    config,
    credentials: credentialsFor(options, { terminal, log }),
    keys,
    location: configLocation(terminal),
    rateLimit: { perMinute: options.callsPerMinute },
    deadlineMs: options.deadline * 1000,
    snippetsFor: hostedSnippets,
    trustedProxies: options.trustedProxy,
    registries: options.registry,
    blobs: await sharedStore(options, terminal),
    maxSnapshotBytes: options.cacheSize === undefined ? undefined : options.cacheSize * 1e9,
    maxResourceBytes: options.resourceSize * 1e9,
    metrics: options.metricsPort === undefined ? undefined : { host: options.metricsHost, port: options.metricsPort },
    nodeUrl,
    ...singleSignOn,
    mail,
    github,
    version,
    log,
  });
  if (options.role !== "worker") await warnOfModel(options, config, { terminal, log });
  if (first === undefined && options.role !== "worker") await nameOwnerless(store, { terminal, log });
  // Else of all addresses, one that a browser on this computer can open.
  const url = singleSignOn.publicUrl ?? ownAddress(server.url);
  await using _admin = "directory" in place ? await serveAdmin(store, { ...place, url, keys }) : undefined;
  const served =
    options.role === "worker"
      ? { health: `${server.url}/readyz` }
      : { endpoint: `${ownAddress(server.url)}/api/mcp`, ...publicEndpoint(singleSignOn) };
  const model = `${config.provider}/${config.model}`;
  const { token, ...made } = first ?? {};
  const ownerLink = token === undefined ? {} : { ownerLink: url + linkPath(token) };
  const metrics = server.metricsUrl === undefined ? {} : { metrics: server.metricsUrl };
  const started = { ...served, ...metrics, model, ...made, ...ownerLink };
  const shown = options.json === true ? jsonText(started) : describe(started);
  if (options.role !== "worker" && ownAddress(server.url) !== server.url && singleSignOn.publicUrl === undefined) {
    const { port } = new URL(server.url);
    const message = `other computers reach it at this one's name, port ${port}; set --public-url to it`;
    await notify("public-url-missing", { level: "info", message }, { terminal, log });
  }
  await write(terminal.stdout, shown);
  if (!terminal.signal.aborted) await once(terminal.signal, "abort");
  const { notice = "url" in place ? usualNoticeSeconds : 0, grace = options.deadline + 5 } = options;
  await server.drain({ noticeMs: notice * 1000, graceMs: grace * 1000 });
  const { reason } = terminal.signal;
  const exitCode = reason instanceof Interruption ? reason.exitCode : exitCodes.failure;
  return exitCode === exitCodes.terminated ? exitCodes.ok : exitCode;
}

/** Load balancers usually look at `/readyz` more often. The embedded database has one process, so there is none. */
const usualNoticeSeconds = 5;

/** Replaces the address of all interfaces by one that works on this computer. */
function ownAddress(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

/** Without a key, each question would fail, and only its asker would know. */
async function warnOfModel({ model }: HostedOptions, config: Config, { terminal, log }: NoticeContext): Promise<void> {
  if (model === undefined) return;
  const location = configLocation(terminal);
  const providers = createLocalProviders(config, { location, network: await readNetworkSettings(location), log });
  if (await providers.isConnected(config.provider)) return;
  const { envVar } = (await providers.list()).find(({ id }) => id === config.provider) ?? {};
  const advice = envVar === undefined ? `run: citewell connect -p ${config.provider}` : `set ${envVar}`;
  const message = `the provider of ${model} is not connected, so every question fails; ${advice}, and start again`;
  await notify("provider-not-connected", { level: "warn", message }, { terminal, log });
}

/** A closed terminal has lost the link of the first start. */
async function nameOwnerless(store: Store, context: NoticeContext): Promise<void> {
  for (const project of await listProjects(store)) {
    const members = await listMembers(store, project);
    if (members.some(({ role }) => role === "owner")) continue;
    const command = `citewell hosted owner-link --project ${project.name}`;
    const message = `nobody has signed in to the project ${project.name} yet; for a link: ${command}`;
    await notify("owner-missing", { level: "info", message }, context);
  }
}

interface NoticeContext {
  terminal: Terminal;
  log: Log;
}

/** Notifies the operator at the start: as text on a terminal, else as a log event, because programs parse the log. */
async function notify(
  event: string,
  { level, message }: { level: "info" | "warn"; message: string },
  { terminal: { stderr }, log }: NoticeContext,
): Promise<void> {
  if (stderr.isTTY) await write(stderr, `${level === "warn" ? "warning: " : ""}${message}\n`);
  else log[level](event, { message });
}

async function sharedStore({ shared }: HostedOptions, terminal: Terminal): Promise<BlobStore | undefined> {
  if (shared === undefined || shared === "") return undefined;
  const { cwd, env } = terminal;
  return openSharedStore(shared, { cwd, env, network: await readNetworkSettings(configLocation(terminal)) });
}

/** @throws InvalidUsage (the embedded database, with an option that is for several nodes) */
function requireSharedStore({ role, shared = "", nodeUrl = "" }: HostedOptions, place: StoreLocation): void {
  if ("url" in place || (role === "both" && shared === "" && nodeUrl === "")) return;
  const option = role !== "both" ? `--role ${role}` : shared === "" ? "--node-url" : "--shared";
  throw new CitewellError("InvalidUsage", `${option} needs PostgreSQL: the embedded database serves one process`, {
    hint: "add --database postgres://citewell@db/citewell (or CITEWELL_DATABASE_URL)",
  });
}

/** @throws InvalidUsage (without a shared key, nodes cannot verify each other's signatures) */
function requireSharedKeys({ env }: Terminal): void {
  if ((env[keysVariable] ?? "").trim() !== "") return;
  throw new CitewellError("InvalidUsage", `--node-url needs ${keysVariable}: nodes sign the calls that they pass on`, {
    hint: "set it to the output of openssl rand -base64 32, the same on every node",
  });
}

/** `citewell hosted move`: the service must not run, so that nothing is written meanwhile. */
export async function hostedMove(options: StoreOptions & { to?: string }, terminal: Terminal): Promise<number> {
  const url = options.to;
  if (url === undefined || url === "") {
    throw new CitewellError("InvalidUsage", "move needs the database to move to", {
      hint: "citewell hosted move --to postgres://citewell@db/citewell (or CITEWELL_DATABASE_URL)",
    });
  }
  const log = openLog(terminal, options);
  const dataDirectory = await openDataDirectory(options, terminal);
  await using source = await openStore({ directory: databaseFolder(dataDirectory) }, { log });
  await using target = await openStore({ url }, { log });
  const report = await moveTables(source, target);
  const rows = report.tables.map(({ table, rows: count }) => [table, String(count)]);
  const note = `Copied and compared row by row. Start the service with --database (or CITEWELL_DATABASE_URL) from now on;\nthe embedded database stays in ${databaseFolder(dataDirectory)}.\n`;
  if (options.json !== true && options.quiet !== true) await write(terminal.stderr, note);
  await write(terminal.stdout, options.json === true ? jsonText(report) : formatTable(rows));
  return exitCodes.ok;
}

async function createFirst(store: Store): Promise<{ project: string; key: string; token: string } | undefined> {
  const project = await createFirstProject(store, "team");
  if (project === undefined) return undefined;
  const { key } = await createKey(store, project, { name: "first", scopes: ["ask", "read", "manage"] });
  const { token } = await createOwnerLink(store, project);
  return { project: project.name, key, token };
}

function publicEndpoint({ publicUrl }: { publicUrl?: string | undefined }): { publicEndpoint?: string } {
  return publicUrl === undefined ? {} : { publicEndpoint: `${publicUrl}/api/mcp` };
}

interface Started {
  /** The address of a process that answers calls. */
  endpoint?: string;
  /** The endpoint that agents use, if it differs. */
  publicEndpoint?: string;
  /** The address of one that does not. */
  health?: string;
  metrics?: string;
  model: string;
  project?: string;
  key?: string;
  ownerLink?: string;
}

function describe({ endpoint, publicEndpoint, health, metrics, model, project, key, ownerLink }: Started): string {
  const lines =
    endpoint === undefined ? [`worker; health: ${health}`] : [`listening on ${endpoint}`, `model: ${model}`];
  if (publicEndpoint !== undefined) lines.splice(1, 0, `address for agents: ${publicEndpoint}`);
  if (metrics !== undefined) lines.push(`metrics: ${metrics}`);
  if (project !== undefined && key !== undefined) {
    lines.push(`created the project "${project}" and an API key for it, which is shown only now:`, key);
  }
  if (ownerLink !== undefined) lines.push("to sign in on the web, open this link within 15 minutes:", ownerLink);
  return `${lines.join("\n")}\n`;
}

/** The running service's methods, else those over the database itself. */
export async function openAdmin(options: StoreOptions, terminal: Terminal): Promise<AsyncDisposable & { call: Admin }> {
  const dataDirectory = await openDataDirectory(options, terminal);
  const place = locationOf(options, dataDirectory);
  const running = "directory" in place ? await connectAdmin(place.directory) : undefined;
  if (running !== undefined) return { call: running, async [Symbol.asyncDispose]() {} };
  const keys = keysFor(place, dataDirectory, terminal);
  const store = await openStore(place, { log: openLog(terminal, options) });
  return { call: createAdmin(store, { keys }), [Symbol.asyncDispose]: () => store.close() };
}

/** Only a database of one process may have a key of its own making: other nodes would not have it. */
function keysFor(place: StoreLocation, directory: string, { env }: Terminal): SealingKeys {
  return openSealingKeys({ text: env[keysVariable], directory, mayCreate: "directory" in place });
}

async function openDataDirectory({ data }: StoreOptions, terminal: Terminal): Promise<string> {
  const usual = path.join(configPaths(configLocation(terminal)).dataDirectory, "hosted");
  const directory = data === undefined || data === "" ? usual : path.resolve(terminal.cwd, data);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

function locationOf({ database: url }: StoreOptions, dataDirectory: string): StoreLocation {
  return url === undefined || url === "" ? { directory: databaseFolder(dataDirectory) } : { url };
}

function databaseFolder(dataDirectory: string): string {
  return path.join(dataDirectory, "database");
}

/** The operator's global configuration with the chosen model: without one, questions use no key of the operator. */
async function hostedConfig({ model }: HostedOptions, dataDirectory: string, terminal: Terminal): Promise<Config> {
  // A project's configuration file in the working directory does not apply.
  const config = await loadConfig({ ...configLocation(terminal), cwd: dataDirectory }, { isReadOnly: true });
  const own = { dataDirectory, resourcesDirectory: path.join(dataDirectory, "resources") };
  const { provider, model: builtin } = mergeSettings([]);
  if (model === undefined) return { ...config, ...own, provider, model: builtin };
  const [, chosenProvider, chosenModel] = /^([^/]+)\/(.+)$/.exec(model) ?? [];
  if (chosenProvider !== undefined && chosenModel !== undefined) {
    return { ...config, ...own, provider: chosenProvider, model: chosenModel };
  }
  throw new CitewellError("InvalidUsage", `--model ${JSON.stringify(model)} is not a provider and a model`, {
    hint: "write it as --model anthropic/claude-sonnet-5",
  });
}

function credentialsFor({ model }: HostedOptions, { terminal, log }: { terminal: Terminal; log: Log }) {
  const { authFile, connectionsFile } = configPaths(configLocation(terminal));
  return createCredentials({ file: authFile, connectionsFile, env: model === undefined ? {} : terminal.env, log });
}
