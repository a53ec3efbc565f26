import path from "node:path";
import { ask } from "./operations/ask.ts";
import { listDependencies } from "./operations/dependencies.ts";
import type { FollowedFolders } from "./operations/followed-folders.ts";
import { listFiles } from "./operations/list-files.ts";
import { read } from "./operations/read.ts";
import { recheckThread } from "./operations/recheck.ts";
import { refresh } from "./operations/refresh.ts";
import { search } from "./operations/search.ts";
import { knownResources, originOf } from "./operations/known-resources.ts";
import type { Places } from "./operations/targets.ts";
import { verify } from "./operations/verify.ts";
import type { Config } from "./config/config.ts";
import { keepLatest } from "./lib/keep-latest.ts";
import { type Log, silentLog } from "./lib/log.ts";
import { type Answer, emptyAnswer, foldAnswer, toQuestionReply } from "./protocol/ask.ts";
import type { ConfigFiles, SetModel } from "./protocol/config.ts";
import { reportSettings } from "./protocol/settings.ts";
import { normalizeGitUrl, normalizeSpec } from "./protocol/reference.ts";
import type { Handlers } from "./protocol/operations.ts";
import type { ResourceSpec, Scope } from "./protocol/resource.ts";
import type { VerifyRequest } from "./protocol/verify.ts";
import { chooseModel } from "./providers/choose-model.ts";
import { listModels } from "./providers/list-models.ts";
import { listProviders } from "./providers/list-providers.ts";
import type { Providers } from "./providers/providers.ts";
import { signIn } from "./providers/sign-in.ts";
import { toListing } from "./resources/listing.ts";
import { keepOpened } from "./resources/keep-opened.ts";
import type { Dependency, NamedDependency } from "./resources/npm/workspace.ts";
import type { Resources } from "./resources/resources.ts";
import type { Retrieval } from "./retrieval/retrieval.ts";
import { withCitedLines } from "./threads/cited-lines.ts";
import type { ThreadStore } from "./threads/threads.ts";

/** One method per operation; disposing of it ends what still runs in the background. */
export interface App extends Handlers, AsyncDisposable {}

/** What an application stands on. A hosted one brings its own: nothing here knows where these come from. */
export interface AppParts {
  configuration: {
    /** What is in force now. Read for each operation, so that a change counts at once and a running question keeps its own. */
    load(): Promise<Config>;
    files(): Promise<ConfigFiles>;
    add(spec: ResourceSpec): Promise<unknown>;
    update(spec: ResourceSpec): Promise<unknown>;
    remove(name: string): Promise<unknown>;
    setModel(choice: SetModel): Promise<{ savedTo: "project" | "global" }>;
  };
  /** The rooms that depend on the configuration; asked for again only when it has changed. */
  openRooms(config: Config): Promise<Rooms>;
  /** What the workspace depends on; undefined where there is no workspace. */
  readDependencies(): Promise<readonly Dependency[] | undefined>;
  /** The installed dependencies of the open projects that a text names. */
  findNamedDependencies(text: string): Promise<readonly NamedDependency[]>;
  /** The root folders of the open projects: absolute paths. */
  openProjects(): Promise<readonly string[]>;
  /** The root folder of the project that a folder is in. Absent where the files of this computer are not read. */
  projectOf?: (folder: string) => Promise<string | undefined>;
  /** Whether `verify` opens each resource once for as long as the application lives: for a command, which ends soon. */
  keepsOpened?: boolean | undefined;
  places: Places;
  log: Log;
}

export interface Rooms extends AsyncDisposable {
  resources: Resources;
  providers: Providers;
  threads: ThreadStore;
  retrieval: Retrieval;
  /** Where something tells of changes in folders. */
  followed?: FollowedFolders | undefined;
}

export function createApp({
  configuration,
  openRooms,
  readDependencies,
  findNamedDependencies,
  openProjects,
  projectOf,
  keepsOpened = false,
  places,
  log,
}: AppParts): App {
  const rooms = keepLatest({ open: openRooms, keyOf: roomKey });
  const never = new AbortController().signal;
  const kept = new Map<Resources, ReturnType<typeof keepOpened>>();
  const openedOnce = (resources: Resources) => {
    const opened = kept.get(resources) ?? keepOpened(resources);
    kept.set(resources, opened);
    return opened;
  };
  const knownIn = async (config: Config, { scope = "project" }: { scope?: Scope | undefined } = {}) =>
    knownResources(config, { folders: await openProjects(), scope });
  /** A document's own project comes before those that are open. */
  const foldersOf = async ({ file }: Pick<VerifyRequest, "file">): Promise<string[]> => {
    const own = file === undefined ? undefined : await projectOf?.(path.dirname(file));
    return [...(own === undefined ? [] : [own]), ...(await openProjects())];
  };
  const app: App = {
    async *ask(request, { signal = never } = {}) {
      const config = await configuration.load();
      const { provider, model, resourcesDirectory } = config;
      const context = {
        ...(await rooms.for(config)),
        modelRef: request.model ?? { provider, model },
        limits: config,
        known: await knownIn(config, request),
        warnings: config.ignoredResources,
        findNamedDependencies,
        log: request.quiet === true ? silentLog : log,
        resourcesDirectory,
        places,
      };
      yield* ask(request, context, { signal });
    },
    async question(request, options) {
      let answer: Answer = emptyAnswer;
      for await (const event of app.ask({ ...request, progress: false }, options)) answer = foldAnswer(answer, event);
      return toQuestionReply(answer);
    },
    async getConfig() {
      const config = await configuration.load();
      return {
        ...reportSettings(config),
        dataDirectory: config.dataDirectory,
        resourcesDirectory: config.resourcesDirectory,
        resourceCount: config.resources.length,
        sources: config.sources,
      };
    },
    getConfigFiles: () => configuration.files(),
    async listProviders() {
      const { providers } = await rooms.for(await configuration.load());
      return listProviders(providers);
    },
    async listResources({ scope }, { signal = never } = {}) {
      const config = await configuration.load();
      const { resources } = await rooms.for(config);
      const known = await knownIn(config);
      const listings = (scope === "configured" ? config.resources : known.named).map(async (spec) => {
        const state = await resources.describe(spec, { signal });
        return toListing(spec, { state, origin: originOf(spec, known) });
      });
      return { resources: await Promise.all(listings) };
    },
    async search(request, { signal = never } = {}) {
      const config = await configuration.load();
      return search(
        request,
        { known: await knownIn(config, request), places, ...(await rooms.for(config)) },
        { signal },
      );
    },
    async verify(request, { signal = never } = {}) {
      const config = await configuration.load();
      const { resources, threads } = await rooms.for(config);
      const folders = await foldersOf(request);
      const known = knownResources(config, { folders, scope: request.scope ?? "project" });
      const opens = keepsOpened ? openedOnce(resources) : resources;
      return verify(request, { known, places, resources: opens, threads, projectOf }, { signal });
    },
    async reloadConfig() {
      const { resources } = await configuration.load();
      return { ok: true, resources: resources.map(({ name }) => name) };
    },
    async clear() {
      const { resources } = await rooms.for(await configuration.load());
      return resources.clear();
    },
    async setModel({ provider, model, providerOptions }, { signal } = {}) {
      const config = await configuration.load();
      const { providers } = await rooms.for(config);
      const configured = config.providerOptions[provider];
      const hint = await chooseModel({ provider, model, providerOptions }, { providers, configured, signal });
      const { savedTo } = await configuration.setModel({ provider, model, providerOptions });
      const inForce = await configuration.load();
      const options = inForce.providerOptions[provider];
      return {
        provider,
        model,
        ...(options === undefined ? {} : { providerOptions: options }),
        savedTo,
        ...(hint === undefined ? {} : { hint }),
      };
    },
    async listModels(request, { signal = never } = {}) {
      const { providers } = await rooms.for(await configuration.load());
      return listModels(request, { providers, signal });
    },
    async connectProvider({ provider, key, baseURL }) {
      const { providers } = await rooms.for(await configuration.load());
      await providers.connect(provider, { method: "api", key, baseURL });
      return { provider, connected: true };
    },
    async *signIn({ provider, clientId, clientSecret }, { signal = never } = {}) {
      const { providers } = await rooms.for(await configuration.load());
      if (clientId !== undefined) await providers.keepClient(provider, { clientId, clientSecret });
      yield* signIn(provider, { providers, signal });
    },
    async disconnectProvider({ provider }) {
      const { providers } = await rooms.for(await configuration.load());
      const { removed, variable } = await providers.disconnect(provider);
      return variable === undefined ? { removed } : { removed, variable };
    },
    async addResource(spec) {
      const normal = normalizeSpec(spec);
      await configuration.add(normal);
      return normal;
    },
    async updateResource(spec) {
      const normal = normalizeSpec(spec);
      await configuration.update(normal);
      return normal;
    },
    async *refreshResource({ name }, { signal = never } = {}) {
      const config = await configuration.load();
      const { resources } = await rooms.for(config);
      yield* refresh(name, { known: await knownIn(config), resources, signal });
    },
    async listBranches({ url }, { signal = never } = {}) {
      const { resources } = await rooms.for(await configuration.load());
      return resources.listBranches(normalizeGitUrl(url).url, { signal });
    },
    async listDependencies() {
      return listDependencies(await readDependencies(), await configuration.load());
    },
    async read(request, { signal = never } = {}) {
      const config = await configuration.load();
      const { resources, threads } = await rooms.for(config);
      return read(request, { known: await knownIn(config), places, resources, threads }, { signal });
    },
    async listFiles(request, { signal = never } = {}) {
      const config = await configuration.load();
      const { resources, retrieval } = await rooms.for(config);
      return listFiles(request, { known: await knownIn(config), places, resources, retrieval }, { signal });
    },
    async removeResource({ name }) {
      await configuration.remove(name);
      return { success: true, name };
    },
    async listThreads() {
      const { threads } = await rooms.for(await configuration.load());
      return { threads: await threads.list() };
    },
    async getThread({ id }) {
      const { threads } = await rooms.for(await configuration.load());
      return withCitedLines(await threads.read(id), threads);
    },
    async deleteThread({ id }) {
      const { threads } = await rooms.for(await configuration.load());
      await threads.remove(id);
      return { success: true, id };
    },
    async recheckThread({ id }, { signal = never } = {}) {
      const config = await configuration.load();
      const { threads, resources } = await rooms.for(config);
      return recheckThread(await threads.read(id), { known: await knownIn(config), places, resources }, { signal });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...kept.values()].map((opened) => opened[Symbol.asyncDispose]()));
      await rooms[Symbol.asyncDispose]();
    },
  };
  return app;
}

/** What the rooms are made of. */
function roomKey({
  dataDirectory,
  resourcesDirectory,
  allowHosts,
  refresh,
  providerOptions,
  globalProviderOptions,
}: Config): string {
  return JSON.stringify([
    dataDirectory,
    resourcesDirectory,
    allowHosts,
    refresh,
    providerOptions,
    globalProviderOptions,
  ]);
}
