import { mkdir } from "node:fs/promises";
import path from "node:path";
import { createApp } from "../../app.ts";
import { type Caller, localCaller } from "../../caller.ts";
import { type Config, type ConfigLocation, requireAllowedHost } from "../../config/config.ts";
import { CitewellError } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import type { Node } from "../../node.ts";
import type { Patience } from "../../operations/open.ts";
import type { Target } from "../../operations/targets.ts";
import { searchPathsOf } from "../../protocol/kinds/git-fields.ts";
import { type OneOff, sourceOf } from "../../protocol/kinds/kinds.ts";
import { servedKinds } from "../../protocol/kinds/names.ts";
import { isPackage } from "../../protocol/kinds/package.ts";
import type { UnreadableResource } from "../../protocol/hosted.ts";
import type { Handlers } from "../../protocol/operations.ts";
import type { ResourceSpec } from "../../protocol/resource.ts";
import { splitRevision } from "../../protocol/resource-fields.ts";
import { quoteValue } from "../../protocol/validation.ts";
import type { Credentials } from "../../providers/credentials.ts";
import { requireOffered } from "../../resources/packages/packages.ts";
import type { ThreadStore } from "../../threads/threads.ts";
import { createTenant, type LoadedTenant, type Tenant, type TenantOptions, type TenantSources } from "../../tenant.ts";
import type { GitHubApp } from "../github/github-app.ts";
import { type Fetches, fetchesOf, requestWithin } from "../jobs/fetches.ts";
import { readFetchLimit } from "../limits/disk.ts";
import { type KeptRevision, recordRevision, requestRevision } from "../limits/kept-revisions.ts";
import { readLimits, requireResource } from "../limits/project-limits.ts";
import type { QuestionMeter } from "../metrics/service-metrics.ts";
import type { SealingKeys } from "../secrets/sealing-keys.ts";
import { allRows } from "../store/rows.ts";
import { type Queries, type Reader, type Store, storeFor } from "../store/store.ts";
import { type Group, listGroups } from "../tenants/groups.ts";
import { accountThreads } from "../tenants/account-threads.ts";
import { recordAudit } from "../tenants/audit.ts";
import type { KeyHolder } from "../tenants/keys.ts";
import { limitNew } from "../tenants/resource-access.ts";
import { sharedThreads } from "../tenants/shares.ts";
import { requireFetchable } from "./fetchable.ts";
import { limitQuestions } from "./limited-app.ts";
import { openPrivateSources, readAccess } from "./private-sources.ts";
import { readStored, StoredResource } from "./stored-spec.ts";

/** What all projects share. */
export interface ProjectServices {
  store: Store;
  node: Node;
  /** The operator's: the model and the limits of every project. */
  config: Config;
  /** The credentials of the model. */
  credentials: Credentials;
  /** Open the projects' tokens for git hosts. */
  keys: SealingKeys;
  githubApp: GitHubApp | undefined;
  location: ConfigLocation;
  log: Log;
  meter: QuestionMeter;
  patience: Patience;
}

/** A project, and who works on it. */
export interface ProjectUse {
  project: KeyHolder["project"];
  /** Whose rights apply: other resources do not exist for it. Absent: the service itself. */
  reader?: Reader;
  /** The program that asks, as its questions are counted. */
  client?: string;
  /** The account whose conversations are stored; an agent has none. */
  account?: string;
  /** Reads this share in place of the account's conversations. */
  share?: string;
  /** A resource that is added is for owners and admins only, until an admin chooses members. */
  addsLimited?: boolean;
  /** The names of the resources that it is about, instead of all. This is no right: those of `reader` apply. */
  about?: readonly string[];
}

/** One project, as a call uses it. */
export interface ProjectParts {
  app: Handlers;
  fetches: Fetches;
  /** Its resources that this version of the service cannot use. */
  unreadable(): Promise<readonly UnreadableResource[]>;
  groups(): Promise<readonly Group[]>;
  /** The addresses and packages of its resources, by name. */
  sources(): Promise<ReadonlyMap<string, string>>;
  /** The project with these resources only, which a request may be about without naming each. */
  narrowTo(names: readonly string[]): ProjectParts;
}

/** One project, opened for one request or one fetch. It holds nothing open. */
export interface OpenProject {
  /** Its operations for a caller; the resources are in the database. */
  as(caller: Caller): Handlers;
  /** The same with what else a call needs. */
  partsFor(caller: Caller): ProjectParts;
  /**
   * The routing key of a call about these resources, or about all: the first of their sources. Undefined if this node has
   * snapshots of all. Projects share snapshots, so the key does not contain the project.
   */
  routingKey(names: readonly string[], options: { signal: AbortSignal }): Promise<string | undefined>;
}

/** Opens a project. Its configuration is read once. */
export function openProject(services: ProjectServices, use: ProjectUse): OpenProject {
  const { store, config, log, meter } = services;
  const configuration = storedConfiguration(services, use);
  const tenant = openTenant(services, use, configuration);
  const app = createApp(tenant);
  const limited = limitQuestions(app, {
    store,
    project: use.project.id,
    actor: actorOf(use),
    client: use.client,
    most: config,
    log,
    meter,
  });
  const { id } = use.project;
  return {
    as: (caller) => limited.as(caller),
    partsFor: (caller) => ({
      app: limited.as(caller),
      fetches: fetchesOf(store, id, use),
      unreadable: async () => (await configuration.load()).unreadable,
      sources: async () =>
        new Map((await configuration.load()).config.resources.map((spec) => [spec.name, sourceOf(spec)])),
      groups: () => storeFor(store, use.reader).asProject(id, (queries) => listGroups(queries, id)),
      narrowTo: (about) => openProject(services, { ...use, about }).partsFor(caller),
    }),
    async routingKey(names, { signal }) {
      const { config: own, resources } = (await tenant.contextFor(localCaller)).tenant;
      const bases = new Set(names.map((name) => splitRevision(name).name));
      const asked = own.resources.filter(({ name }) => bases.size === 0 || bases.has(name));
      const states = await Promise.all(asked.map((spec) => resources.describe(spec, { signal })));
      if (states.every(({ revision }) => revision !== null)) return undefined;
      return asked.map((spec) => `${spec.type} ${sourceOf(spec)}`).toSorted()[0];
    },
  };
}

/** The services of one project. */
export function openTenant(
  services: ProjectServices,
  use: ProjectUse,
  configuration: TenantOptions["configuration"] = storedConfiguration(services, use),
): Tenant {
  const { node, credentials, location, log } = services;
  return createTenant({
    node,
    configuration,
    credentials,
    kinds: servedKinds,
    threadsOf: () => threadsOf(services.store, use),
    projects: { folders: async () => [], dependencies: async () => undefined, dependenciesNamedIn: async () => [] },
    patience: services.patience,
    searchGroup: use.project.id,
    location,
    log,
  });
}

function threadsOf(store: Store, { project: { id: project }, reader, account, share }: ProjectUse): ThreadStore {
  if (share !== undefined && reader !== undefined) return sharedThreads(store, { project, share, reader });
  return accountThreads(storeFor(store, reader), { project, account: account ?? null });
}

/** Who did it, for the audit log. */
function actorOf({ reader }: Pick<ProjectUse, "reader">): string {
  return reader === undefined ? "worker" : `${reader.kind}:${reader.id}`;
}

interface LoadedProject extends LoadedTenant {
  unreadable: readonly UnreadableResource[];
}

/** The operator's configuration with a project's resources and credentials. */
function storedConfiguration(
  services: ProjectServices,
  use: ProjectUse,
): Omit<TenantOptions["configuration"], "load"> & { load(): Promise<LoadedProject> } {
  const { store, config } = services;
  const own = storeFor(store, use.reader);
  const project = use.project.id;
  const actor = actorOf(use);
  const readRows = async ({ query }: Queries) => {
    const result = await query(
      `select name, spec from resource where project = $1 and ($2::text[] is null or name = any ($2::text[]))
       order by created_at, name`,
      [project, use.about ?? null],
    );
    return allRows(StoredResource, result).map(readStored);
  };
  const configOf = (rows: Awaited<ReturnType<typeof readRows>>): Config => {
    const resources = rows.flatMap((row) => ("spec" in row ? [row.spec] : []));
    return { ...config, resources, listed: resources };
  };
  const load = async (): Promise<LoadedProject> => {
    const [rows, accesses, scope] = await own.asProject(project, (queries) =>
      Promise.all([
        readRows(queries),
        readAccess(queries, { ...services, project }),
        queries.query("select current_setting('citewell.scope') = 'all' as is_all"),
      ]),
    );
    const loadedConfig = configOf(rows);
    const baseOf = baseAmong(loadedConfig.resources);
    const keptOf = (target: Target, { isHistory }: { isHistory: boolean }): KeptRevision | undefined => {
      const base = "name" in target ? target : baseOf(target);
      if (base === undefined) return undefined;
      const revision = "branch" in target ? target.branch : "version" in target ? target.version : undefined;
      return { resource: base.name, revision: isHistory ? "" : (revision ?? "HEAD") };
    };
    const sources = openPrivateSources(services, project, accesses);
    return {
      config: loadedConfig,
      unreadable: rows.flatMap((row) => ("unreadable" in row ? [row.unreadable] : [])),
      warnings: [],
      privateSources: scope.rows[0]?.["is_all"] === true ? sources : limitSources(sources, loadedConfig),
      requireFetchable: async (target, options) => {
        if (!("name" in target)) {
          const kept = keptOf(target, { isHistory: false });
          return kept === undefined ? undefined : requestRevision(store, project, kept);
        }
        const wanted = { project, resource: target.name, youngMs: services.patience.unnamedMs };
        await requireFetchable(own, wanted, options);
      },
      baseOf,
      mayReadHistory: isWhole,
      fetchLimitFor: async (target, { isHistory }) => {
        const named = "name" in target && !isHistory ? { resource: target.name } : keptOf(target, { isHistory });
        return named && readFetchLimit(store, project, named);
      },
      onKept: async (target, { isHistory, bytes }) => {
        const kept = keptOf(target, { isHistory });
        if (kept !== undefined) await recordRevision(store, project, { ...kept, bytes });
      },
    };
  };
  let loaded: ReturnType<typeof load> | undefined;
  return {
    load: () => (loaded ??= load()),
    reload: async () => configOf(await own.asProject(project, readRows)),
    async add(spec) {
      requireAllowedHost(spec, config.allowHosts);
      if (isPackage(spec)) requireOffered(spec);
      const limits = await readLimits(store, project);
      await store.asProject(project, async (queries) => {
        await requireResource(queries, project, limits.resources);
        const { count } = await queries.query(
          `insert into resource (project, name, spec) values ($1, $2, $3::jsonb)
           on conflict do nothing returning name`,
          [project, spec.name, JSON.stringify(spec)],
        );
        if (count === 0) throw new CitewellError("ResourceNameTaken", `the name "${spec.name}" is taken`);
        if (use.addsLimited === true) await limitNew(queries, project, spec.name);
        const detail = use.addsLimited === true ? { access: "owners and admins" } : {};
        await recordAudit(queries, project, { actor, action: "resource.added", target: spec.name, detail });
        await requestWithin(queries, project, { resources: [spec.name], limits });
      });
    },
    async remove(name) {
      await own.asProject(project, async (queries) => {
        const { count } = await queries.query("delete from resource where project = $1 and name = $2", [project, name]);
        if (count === 0) throw new CitewellError("ResourceNotFound", `no resource named ${quoteValue(name)}`);
        await recordAudit(queries, project, { actor, action: "resource.removed", target: name });
      });
    },
    files: refuse,
    update: refuse,
    setModel: refuse,
  };
}

/**
 * A text to verify may cite other repositories by URL, and others parts of one: the project's tokens must not open these.
 */
function limitSources(sources: readonly TenantSources[], { resources }: Pick<Config, "resources">): TenantSources[] {
  const urls = new Set(resources.flatMap((spec) => ("url" in spec && isWhole(spec) ? [spec.url] : [])));
  return sources.map((source) => ({
    ...source,
    includes: (target) => "url" in target && ("name" in target || urls.has(target.url)) && source.includes(target),
  }));
}

/** The registered repository or package that a reference is a revision of. */
function baseAmong(resources: readonly ResourceSpec[]) {
  return (target: OneOff) =>
    resources.find((spec) => {
      if (target.type === "git") return spec.type === "git" && isWhole(spec) && spec.url === target.url;
      return "package" in target && isPackage(spec) && spec.type === target.type && spec.package === target.package;
    });
}

/** Whether a resource is not a part of its repository: commits are of all parts. */
function isWhole(target: Target): boolean {
  return target.type !== "git" || searchPathsOf(target).length === 0;
}

/** No tool of the endpoint needs these. */
async function refuse(): Promise<never> {
  throw new CitewellError("OperationNotAllowed", "this operation is not available on the hosted service");
}

/** What git and package registries may know of the operator's environment: neither a home directory with credentials nor a token. */
const knownVariables = new Set([
  "PATH",
  "LANG",
  "TMPDIR",
  "TEMP",
  "TMP",
  "SystemRoot",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "SSL_CERT_FILE",
  "NODE_EXTRA_CA_CERTS",
  "GIT_SSL_CAINFO",
  "npm_config_registry",
]);

/** A location with an empty home directory, so that projects fetch without the operator's credentials. */
export async function anonymousLocation(
  location: ConfigLocation,
  { dataDirectory, ...reached }: { dataDirectory: string } & Pick<ConfigLocation, "registries" | "allowHosts">,
): Promise<ConfigLocation> {
  const homeDirectory = path.join(dataDirectory, "home");
  await mkdir(homeDirectory, { recursive: true });
  const known = Object.entries(location.env).filter(([name]) => knownVariables.has(name));
  // The computer's git configuration may have credential helpers.
  const env = { ...Object.fromEntries(known), HOME: homeDirectory, GIT_CONFIG_NOSYSTEM: "1" };
  return { ...location, cwd: homeDirectory, homeDirectory, env, isAnonymous: true, ...reached };
}
