import path from "node:path";
import { type App, createApp } from "../../server/app.ts";
import { type Config, loadConfig } from "../../server/config/config.ts";
import { readNetworkSettings } from "../../server/config/environment.ts";
import { silentLog } from "../../server/lib/log.ts";
import { createNode, type Node } from "../../server/node.ts";
import { kindNames } from "../../server/protocol/kinds/names.ts";
import { createCredentials, type Credentials } from "../../server/providers/credentials.ts";
import { createTenant, type LoadedTenant, type Tenant } from "../../server/tenant.ts";
import { createThreadStore } from "../../server/threads/threads.ts";
import { cliEnvironment } from "./cli.ts";

export interface TestTenant {
  tenant: Tenant;
  app: App;
  credentials: Credentials;
}

export interface Tenants extends AsyncDisposable {
  node: Node;
  /** A tenant with threads and credentials of its own; by default it shares one data directory with the others. */
  add(name: string, config?: Partial<Config>, options?: Pick<LoadedTenant, "privateSources">): TestTenant;
}

/** Many tenants in this process, as a hosted service has them. Their files are below `folder`. */
export async function startTenants(folder: string, env: Record<string, string> = {}): Promise<Tenants> {
  const location = { cwd: folder, env: cliEnvironment(folder, env), platform: process.platform, homeDirectory: folder };
  const defaults = await loadConfig(location);
  const node = createNode({
    log: silentLog,
    network: () => readNetworkSettings(location),
    namesInUse: async () => new Set(),
    environment: location.env,
  });
  const added: TestTenant[] = [];
  return {
    node,
    add(name, own = {}, options = {}) {
      const directory = path.join(folder, "tenants", name);
      const config = { ...defaults, ...own };
      const credentials = createCredentials({
        file: path.join(directory, "auth.json"),
        connectionsFile: path.join(directory, "connections.json"),
        env: {},
        log: silentLog,
      });
      const threads = createThreadStore({ dataDirectory: directory });
      const tenant = createTenant({
        node,
        configuration: fixedConfiguration({ config, warnings: [], ...options }),
        credentials,
        kinds: kindNames,
        threadsOf: () => threads,
        projects: { folders: async () => [], dependencies: async () => undefined, dependenciesNamedIn: async () => [] },
        location,
        log: silentLog,
      });
      const app = createApp({
        contextFor: (caller) => tenant.contextFor(caller),
        [Symbol.asyncDispose]: () => tenant[Symbol.asyncDispose](),
      });
      added.push({ tenant, app, credentials });
      return { tenant, app, credentials };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(added.map(({ app }) => app[Symbol.asyncDispose]()));
      await node[Symbol.asyncDispose]();
    },
  };
}

/** A configuration that lies in no file and cannot be changed. */
function fixedConfiguration(loaded: LoadedTenant) {
  const refuse = async () => {
    throw new Error("the configuration of this tenant is fixed");
  };
  return {
    load: async () => loaded,
    reload: async () => loaded.config,
    files: refuse,
    add: refuse,
    update: refuse,
    remove: refuse,
    setModel: refuse,
  };
}
