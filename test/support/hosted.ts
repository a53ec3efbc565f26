import path from "node:path";
import * as z from "zod";
import { loadConfig } from "../../server/config/config.ts";
import { type HostedOptions, startHosted } from "../../server/hosted/hosted.ts";
import { fetchesOf } from "../../server/hosted/jobs/fetches.ts";
import { endedChannel } from "../../server/hosted/jobs/queue.ts";
import { openSealingKeys, type SealingKeys } from "../../server/hosted/secrets/sealing-keys.ts";
import { openStore, type Store, type StoreLocation } from "../../server/hosted/store/store.ts";
import { createKey } from "../../server/hosted/tenants/keys.ts";
import { createPasswords } from "../../server/hosted/tenants/passwords.ts";
import { createProject } from "../../server/hosted/tenants/projects.ts";
import { createChannel } from "../../server/lib/channel.ts";
import { silentLog } from "../../server/lib/log.ts";
import type { Config } from "../../server/config/config.ts";
import type { KeyScope } from "../../server/protocol/api-keys.ts";
import type { Project } from "../../server/protocol/hosted.ts";
import { createCredentials } from "../../server/providers/credentials.ts";
import { cliEnvironment } from "./cli.ts";
import { type Folder, temporaryFolder } from "./folder.ts";
import { type GitServer, startGitServer } from "./git-server.ts";
import { type ScriptedModel, scriptedModel } from "./scripted-model.ts";

/** A running hosted service with one project. */
export interface TestService extends AsyncDisposable {
  /** The address of the endpoint. */
  url: string;
  metricsUrl: string | undefined;
  dataDirectory: string;
  store: Store;
  project: Project;
  /** Open the sealed secrets. */
  keys: SealingKeys;
  /** A new key of the project, for all resources or those that are named. */
  key(scopes?: readonly KeyScope[], resources?: readonly string[]): Promise<string>;
  /** Waits until no fetch of the project waits or runs. @param id of another project */
  untilFetched(id?: string): Promise<void>;
  /** Sends one JSON-RPC message as a client does that knows nothing of MCP. */
  send(key: string, message: unknown, init?: RequestInit): Promise<Response>;
  /** Calls a tool the same way, and returns the `result` of the answer. */
  call(key: string, name: string, args?: Record<string, unknown>): Promise<ToolResult>;
}

const ToolAnswer = z.object({
  result: z.object({
    isError: z.boolean(),
    content: z.array(z.object({ type: z.string(), text: z.string() })),
    structuredContent: z.record(z.string(), z.unknown()).optional(),
  }),
});
/** The result of a tool call. */
export type ToolResult = z.infer<typeof ToolAnswer>["result"];

/** Settings of `startService`. */
export interface ServiceOptions extends Partial<
  Pick<
    HostedOptions,
    | "rateLimit"
    | "deadlineMs"
    | "keepAliveMs"
    | "patience"
    | "leaseMs"
    | "trustedProxies"
    | "location"
    | "registries"
    | "publicUrl"
    | "nodeUrl"
    | "snippetsFor"
    | "metrics"
    | "maxResourceBytes"
    | "role"
    | "blobs"
    | "log"
    | "oidc"
    | "mail"
    | "github"
  >
> {
  config?: Partial<Config>;
  /** Several nodes have the same; by default, keys of its own. */
  keys?: SealingKeys;
  env?: Record<string, string>;
  /** The environment that the key of the model is read from. */
  modelEnv?: Record<string, string>;
}

/** The settings of a service on loopback whose data is in a folder. */
export async function serviceSettings(
  store: Store,
  folder: Folder,
  { config = {}, env = {}, modelEnv = {} }: Pick<ServiceOptions, "config" | "env" | "modelEnv"> = {},
): Promise<HostedOptions> {
  const place = {
    cwd: folder.path,
    env: cliEnvironment(folder.path, env),
    platform: process.platform,
    homeDirectory: folder.path,
  };
  return {
    store,
    host: "127.0.0.1",
    port: 0,
    config: { ...(await loadConfig(place)), allowHosts: ["localhost"], ...config },
    credentials: createCredentials({
      file: path.join(folder.path, "auth.json"),
      connectionsFile: path.join(folder.path, "connections.json"),
      env: modelEnv,
      log: silentLog,
    }),
    location: place,
    keys: openSealingKeys({ text: undefined, directory: folder.path, mayCreate: true }),
    passwords: createPasswords({ N: 16 }),
    rateLimit: { perMinute: 1000 },
    deadlineMs: 20_000,
    version: "1.2.3",
    log: silentLog,
  };
}

/** Starts the real service on loopback over a database. Git repositories on `localhost` are allowed. */
export async function startService(
  location: StoreLocation,
  { config = {}, env = {}, modelEnv = {}, ...options }: ServiceOptions = {},
): Promise<TestService> {
  const folder: Folder = await temporaryFolder();
  const store = await openStore(location, { log: silentLog });
  const settings = await serviceSettings(store, folder, { config, env, modelEnv });
  const { keys, config: own } = settings;
  const server = await startHosted({ ...settings, ...options });
  const project = await createProject(store, `team-${crypto.randomUUID().slice(0, 8)}`);
  const url = `${server.url}/api/mcp`;
  const send: TestService["send"] = (key, message, init = {}) =>
    fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(message),
      ...init,
    });
  return {
    url,
    metricsUrl: server.metricsUrl,
    dataDirectory: own.dataDirectory,
    store,
    project,
    keys,
    key: async (scopes = ["ask", "read", "manage"], resources) =>
      (await createKey(store, project, { name: "agent", scopes, resources })).key,
    send,
    async untilFetched(id = project.id) {
      const ended = createChannel<string>();
      await using _listening = await store.listen(endedChannel, (job) => ended.push(job));
      const { states } = fetchesOf(store, id);
      // A failed fetch that was requested again is due.
      const isDone = async () =>
        [...(await states()).values()].every(
          ({ state, nextTryAt }) =>
            state === "ready" || (state === "failed" && (nextTryAt === null || Date.parse(nextTryAt) > Date.now())),
        );
      const ends = ended[Symbol.asyncIterator]();
      while (!(await isDone())) await ends.next();
    },
    async call(key, name, args = {}) {
      const params = { name, arguments: args };
      const response = await send(key, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
      return ToolAnswer.parse(await response.json()).result;
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await store.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A service with a model, and a git host that it trusts. */
export interface AskedService extends TestService {
  git: GitServer;
  model: ScriptedModel;
  /** Commits these files to the repository `lib`, and fetches it as a resource of that name. */
  addLib(key: string, files?: Record<string, string>): Promise<void>;
}

/** Starts a service whose model has these answers. */
export async function startAskedService(
  location: StoreLocation,
  script: Parameters<typeof scriptedModel>[0],
  options: ServiceOptions = {},
): Promise<AskedService> {
  const git = await startGitServer();
  const model = await scriptedModel(script);
  const env = { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile };
  const service = await startService(location, { config: { ...model.config }, env, ...options });
  return {
    ...service,
    git,
    model,
    async addLib(key, files = { "retry.ts": "export const retries = 3;\n" }) {
      await git.commit("lib", files);
      await service.call(key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
      await service.untilFetched();
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await git[Symbol.asyncDispose]();
    },
  };
}
