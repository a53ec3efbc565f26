import { existsSync } from "node:fs";
import { type App, createApp } from "./app.ts";
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
import { type NetworkSettings, readNetworkSettings } from "./config/environment.ts";
import { type ConfigReader, keepLastGood } from "./config/last-good.ts";
import { configPaths } from "./config/paths.ts";
import { findMarkedProject, findProject } from "./config/project.ts";
import { createFetch } from "./lib/fetch.ts";
import { findProgram } from "./lib/find-program.ts";
import type { Log } from "./lib/log.ts";
import type { WatchFolder } from "./lib/watch-folder.ts";
import type { EditorModels } from "./protocol/editor-model.ts";
import { kindNames } from "./protocol/kinds/names.ts";
import { mergeSettings, type WrittenSettings } from "./protocol/settings.ts";
import { createCredentials, type Credentials } from "./providers/credentials.ts";
import { createProviders, type Providers } from "./providers/providers.ts";
import { findNamedDependencies, readDependencies } from "./resources/packages/dependencies.ts";
import { findUnreadNamed } from "./resources/packages/other-manifests.ts";
import { findDependents } from "./resources/packages/dependents.ts";
import { findImportOrigin, findPackageOrigin } from "./resources/packages/import-origin.ts";
import { createNode, type Node } from "./node.ts";
import { createTenant } from "./tenant.ts";
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
  /** Whether folders are followed between questions: worthwhile for a process that answers several. */
  followsFolders?: boolean | undefined;
  /** Reports changes in place of the system's watcher, so that indexes are updated in the background. */
  watchFolder?: WatchFolder | undefined;
}

/**
 * Composes the application of one user on one computer: configuration files, snapshots on disk, keys from `auth.json`
 * and the environment. The commands, `citewell serve`, `mcp` and the editor's child process use it.
 *
 * It reads neither the environment nor the working directory: `location` has both. Nothing is read, started or
 * fetched before the first call. The hosted service has a composition root of its own, `hosted/hosted.ts`.
 */
export function createLocalApp(options: LocalAppOptions): App {
  const { location, log, editorModels, watchFolder, keepsOpened, projects = () => projectAround(location) } = options;
  const node = createLocalNode(options);
  const tenant = createTenant({
    node,
    configuration: {
      ...createConfigReader(options),
      files: () => findConfigFiles(location),
      add: (spec, level) => addResource(location, spec, { level }),
      update: (spec) => updateResource(location, spec),
      remove: (name) => removeResource(location, name),
      setModel: (choice) => setModel(location, choice),
    },
    credentials: localCredentials(options),
    findProgram: (name) => findProgram(name, location),
    editorModels,
    kinds: kindNames,
    threadsOf: ({ dataDirectory }) => createThreadStore({ dataDirectory }),
    projects: {
      folders: projects,
      async isProject(folder) {
        return (await findProject({ cwd: folder, homeDirectory: location.homeDirectory })) !== undefined;
      },
      rootOf: (folder) => findMarkedProject({ cwd: folder, homeDirectory: location.homeDirectory }),
      dependencies: () => readDependencies(location),
      dependenciesNamedIn: (text) => findNamedDependencies(text, location),
      unreadNamedIn: (text) => findUnreadNamed(text, location),
      origins: {
        ofImport: (imported) => findImportOrigin(imported, location),
        dependentsOf: (name) => findDependents(name, location),
        ofPackage: ({ folder, ...wanted }) => findPackageOrigin(wanted, { ...location, cwd: folder }),
      },
    },
    location,
    watchFolder,
    keepsOpened,
    log,
  });
  return createApp({
    contextFor: (caller) => tenant.contextFor(caller),
    async [Symbol.asyncDispose]() {
      await tenant[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  });
}

function createLocalNode({
  location,
  log,
  followsFolders,
}: Pick<LocalAppOptions, "location" | "log" | "followsFolders">): Node {
  return createNode({
    log,
    network: () => readNetworkSettings(location),
    async namesInUse(dataDirectory) {
      const threads = await createThreadStore({ dataDirectory }).list();
      return new Set(threads.flatMap((thread) => thread.resources));
    },
    environment: location.env,
    indexWorker: moduleBeside("index-worker"),
    searchWorker: moduleBeside("search-worker"),
    followsFolders,
  });
}

/** Reads the configuration, reports each of its faults once, and applies the overrides. */
function createConfigReader({
  location,
  log,
  isReadOnly,
  overrides,
  onWarning = logWarning(log),
}: LocalAppOptions): ConfigReader {
  const files = keepLastGood(() => loadConfig(location, { isReadOnly: isReadOnly === true }));
  const withOverrides = (config: Config) => ({ ...config, ...mergeSettings([config, overrides?.() ?? {}]) });
  let reported: readonly string[] = [];
  return {
    async load() {
      const { config, warnings } = await files.load();
      const news = warnings.filter((warning) => !reported.includes(warning));
      reported = warnings;
      for (const warning of news) onWarning(warning);
      return { config: withOverrides(config), warnings };
    },
    reload: async () => withOverrides(await files.reload()),
  };
}

function logWarning(log: Log): (warning: string) => void {
  return (warning) => log.warn("configuration", { warning });
}

async function projectAround(location: ConfigLocation): Promise<readonly string[]> {
  const project = await findProject(location);
  return project === undefined ? [] : [project];
}

/** What a thread or process runs, as esbuild.mjs puts it beside this module; none where the sources run as they are. */
export function moduleBeside(name: string): URL | undefined {
  const file = new URL(`./${name}.mjs`, import.meta.url);
  return existsSync(file) ? file : undefined;
}

/** The providers as one user on one machine has them; `connect`, `disconnect` and `doctor` need nothing else. */
export function createLocalProviders(
  { providerOptions, globalProviderOptions }: Pick<Config, "providerOptions" | "globalProviderOptions">,
  { location, network, log, editorModels }: LocalProvidersOptions,
): Providers {
  return createProviders({
    fetch: createFetch(network),
    credentials: localCredentials({ location, log }),
    options: (provider, { hasKey }) => (hasKey ? globalProviderOptions : providerOptions)[provider] ?? {},
    editorModels,
    findProgram: (name) => findProgram(name, location),
    log,
  });
}

function localCredentials({ location, log }: Pick<LocalAppOptions, "location" | "log">): Credentials {
  const { authFile, connectionsFile } = configPaths(location);
  return createCredentials({ file: authFile, connectionsFile, env: location.env, log });
}

interface LocalProvidersOptions extends Pick<LocalAppOptions, "location" | "log" | "editorModels"> {
  network: NetworkSettings;
}
