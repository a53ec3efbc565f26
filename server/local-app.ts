import { existsSync } from "node:fs";
import path from "node:path";
import { type App, createApp, type Rooms } from "./app.ts";
import { createFollowedFolders } from "./operations/followed-folders.ts";
import {
  addResource,
  type Config,
  type ConfigLocation,
  loadConfig,
  removeResource,
  setModel,
  updateResource,
} from "./config/config.ts";
import { findConfigFiles } from "./config/config-files.ts";
import { gitEnvironment, type NetworkSettings, readNetworkSettings } from "./config/environment.ts";
import { configPaths } from "./config/paths.ts";
import { findProject } from "./config/project.ts";
import { createFetch } from "./lib/fetch.ts";
import { findProgram } from "./lib/find-program.ts";
import type { Log } from "./lib/log.ts";
import type { WatchFolder } from "./lib/watch-folder.ts";
import type { EditorModels } from "./protocol/editor-model.ts";
import { mergeSettings, type WrittenSettings } from "./protocol/settings.ts";
import { createCredentials } from "./providers/credentials.ts";
import { createProviders, type Providers } from "./providers/providers.ts";
import { findNamedDependencies, readDependencies } from "./resources/npm/workspace.ts";
import { createResources } from "./resources/resources.ts";
import { createRetrieval } from "./retrieval/retrieval.ts";
import { createThreadStore } from "./threads/threads.ts";

export interface LocalAppOptions {
  location: ConfigLocation;
  log: Log;
  /** Settings that take precedence over the configuration files; read with them for each operation. */
  overrides?: () => WrittenSettings;
  /** Given each thing that is wrong with the configuration, once. Without it, it goes to the log. */
  onWarning?: ((warning: string) => void) | undefined;
  /** Whether even the migration of a configuration file is left to another command. */
  isReadOnly?: boolean | undefined;
  /** Whether `verify` opens each resource once, as a command that ends soon may. */
  keepsOpened?: boolean | undefined;
  /** Lent by the editor that started us. */
  editorModels?: EditorModels | undefined;
  /** The root folders of the open projects, absolute, for each call; default: that of the working directory. */
  projects?: () => Promise<readonly string[]>;
  /** Without it, folders are looked at when they are asked, and not before. */
  watchFolder?: WatchFolder | undefined;
}

/** The application of one user on one machine: configuration files, a store on disk, keys from the environment. */
export function createLocalApp({ overrides, ...options }: LocalAppOptions): App {
  const { location, log } = options;
  const { projects = () => projectAround(location), onWarning = logWarning(log) } = options;
  const told = new Set<string>();
  const load = async () => {
    const config = await loadConfig(location, { isReadOnly: options.isReadOnly === true });
    for (const warning of config.ignoredResources) if (!told.has(warning)) onWarning(warning);
    for (const warning of config.ignoredResources) told.add(warning);
    return { ...config, ...mergeSettings([config, overrides?.() ?? {}]) };
  };
  return createApp({
    configuration: {
      load,
      files: () => findConfigFiles(location),
      add: (spec) => addResource(location, spec),
      update: (spec) => updateResource(location, spec),
      remove: (name) => removeResource(location, name),
      setModel: (choice) => setModel(location, choice),
    },
    openRooms: async (config) => openLocalRooms(config, options),
    readDependencies: () => readDependencies(location),
    findNamedDependencies: (text) => findNamedDependencies(text, location),
    openProjects: projects,
    projectOf: (folder) => findProject({ cwd: folder, homeDirectory: location.homeDirectory }),
    keepsOpened: options.keepsOpened,
    places: location,
    log,
  });
}

function logWarning(log: Log): (warning: string) => void {
  return (warning) => log.warn("configuration", { warning });
}

async function projectAround(location: ConfigLocation): Promise<readonly string[]> {
  const project = await findProject(location);
  return project === undefined ? [] : [project];
}

async function openLocalRooms(
  config: Config,
  { location, log, editorModels, watchFolder }: Omit<LocalAppOptions, "overrides">,
): Promise<Rooms> {
  const network = await readNetworkSettings(location);
  for (const warning of network.warnings) log.warn("network", { warning });
  const threads = createThreadStore({ dataDirectory: config.dataDirectory });
  const resources = createResources({
    namesInUse: async () => new Set((await threads.list()).flatMap((thread) => thread.resources)),
    kinds: ["git", "local", "npm"],
    directory: config.resourcesDirectory,
    hashesDirectory: path.join(config.dataDirectory, "hashes"),
    refresh: config.refresh,
    allowHosts: config.allowHosts,
    location,
    gitEnvironment: gitEnvironment(location),
    network,
    log,
  });
  const providers = createLocalProviders(config, { location, network, log, editorModels });
  const retrieval = createRetrieval({
    directory: path.join(config.dataDirectory, "index"),
    worker: moduleBeside("index-worker"),
    environment: location.env,
    searchWorker: moduleBeside("search-worker"),
  });
  const followed = watchFolder && createFollowedFolders({ resources, retrieval, watchFolder, log });
  return {
    resources,
    providers,
    threads,
    retrieval,
    followed,
    async [Symbol.asyncDispose]() {
      await followed?.[Symbol.asyncDispose]();
      await resources[Symbol.asyncDispose]();
    },
  };
}

/** What a thread or process runs, as esbuild.mjs puts it beside this module; none where the sources run as they are. */
function moduleBeside(name: string): URL | undefined {
  const file = new URL(`./${name}.mjs`, import.meta.url);
  return existsSync(file) ? file : undefined;
}

/** The providers as one user on one machine has them; `connect`, `disconnect` and `doctor` need nothing else. */
export function createLocalProviders(
  { providerOptions, globalProviderOptions }: Pick<Config, "providerOptions" | "globalProviderOptions">,
  { location, network, log, editorModels }: LocalProvidersOptions,
): Providers {
  const { authFile, connectionsFile } = configPaths(location);
  return createProviders({
    fetch: createFetch(network),
    credentials: createCredentials({ file: authFile, connectionsFile, env: location.env, log }),
    options: (provider, { hasKey }) => (hasKey ? globalProviderOptions : providerOptions)[provider] ?? {},
    editorModels,
    findProgram: (name) => findProgram(name, location),
    log,
  });
}

interface LocalProvidersOptions extends Pick<LocalAppOptions, "location" | "log" | "editorModels"> {
  network: NetworkSettings;
}
