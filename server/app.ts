import { ask } from "./ask/ask.ts";
import { recheckThread } from "./ask/recheck.ts";
import { search } from "./ask/search.ts";
import type { Places } from "./ask/targets.ts";
import { verify } from "./ask/verify.ts";
import type { Config } from "./config/config.ts";
import { keepLatest } from "./lib/keep-latest.ts";
import type { Log } from "./lib/log.ts";
import { type Answer, emptyAnswer, foldAnswer, toQuestionReply } from "./protocol/ask.ts";
import type { SetModel } from "./protocol/config.ts";
import { normalizeSpec } from "./protocol/reference.ts";
import type { Handlers } from "./protocol/operations.ts";
import type { ResourceSpec } from "./protocol/resource.ts";
import { chooseModel } from "./providers/choose-model.ts";
import type { Providers } from "./providers/providers.ts";
import { toListing } from "./resources/listing.ts";
import type { Resources } from "./resources/resources.ts";
import { createRetrieval } from "./retrieval/retrieval.ts";
import { withCitedLines } from "./threads/cited-lines.ts";
import type { ThreadStore } from "./threads/threads.ts";

/** One method per operation; disposing of it ends what still runs in the background. */
export interface App extends Handlers, AsyncDisposable {}

/** What an application stands on. A hosted one brings its own: nothing here knows where these come from. */
export interface AppParts {
  configuration: {
    /** What is in force now. Read for each operation, so that a change counts at once and a running question keeps its own. */
    load(): Promise<Config>;
    add(spec: ResourceSpec): Promise<unknown>;
    remove(name: string): Promise<unknown>;
    setModel(choice: SetModel): Promise<{ savedTo: "project" | "global" }>;
  };
  /** The rooms that depend on the configuration; asked for again only when it has changed. */
  openRooms(config: Config): Promise<Rooms>;
  places: Places;
  log: Log;
}

export interface Rooms extends AsyncDisposable {
  resources: Resources;
  providers: Providers;
  threads: ThreadStore;
}

export function createApp({ configuration, openRooms, places, log }: AppParts): App {
  const retrieval = createRetrieval();
  const rooms = keepLatest({ open: openRooms, keyOf: roomKey });
  const never = new AbortController().signal;
  const app: App = {
    async *ask(request, { signal = never } = {}) {
      const config = await configuration.load();
      const { provider, model, maxSteps, maxTokens, maxCostUsd, providerTimeoutMs, resourcesDirectory } = config;
      const context = {
        ...(await rooms.for(config)),
        modelRef: { provider, model },
        limits: { maxSteps, maxTokens, maxCostUsd, providerTimeoutMs },
        configured: config.resources,
        resourcesDirectory,
        places,
        retrieval,
        log,
      };
      yield* ask(request, context, { signal });
    },
    async question(request, options) {
      let answer: Answer = emptyAnswer;
      for await (const event of app.ask({ ...request, progress: false }, options)) answer = foldAnswer(answer, event);
      return toQuestionReply(answer);
    },
    async getConfig() {
      const { provider, model, providerTimeoutMs, maxSteps, dataDirectory, resourcesDirectory, resources, sources } =
        await configuration.load();
      const resourceCount = resources.length;
      return {
        provider,
        model,
        providerTimeoutMs,
        maxSteps,
        dataDirectory,
        resourcesDirectory,
        resourceCount,
        sources,
      };
    },
    async listProviders() {
      const { providers } = await rooms.for(await configuration.load());
      const all = await providers.list();
      const areConnected = await Promise.all(all.map(({ id }) => providers.isConnected(id)));
      return { all, connected: all.filter((_, index) => areConnected[index]).map(({ id }) => id) };
    },
    async listResources(_input, { signal = never } = {}) {
      const config = await configuration.load();
      const { resources } = await rooms.for(config);
      const listings = config.resources.map(async (spec) =>
        toListing(spec, await resources.describe(spec, { signal })),
      );
      return { resources: await Promise.all(listings) };
    },
    async search(request, { signal = never } = {}) {
      const config = await configuration.load();
      const { resources } = await rooms.for(config);
      return search(request, { configured: config.resources, places, resources, retrieval }, { signal });
    },
    async verify(request, { signal = never } = {}) {
      const config = await configuration.load();
      const { resources } = await rooms.for(config);
      return verify(request, { configured: config.resources, places, resources }, { signal });
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
    async addResource(spec) {
      const normal = normalizeSpec(spec);
      await configuration.add(normal);
      return normal;
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
      return recheckThread(await threads.read(id), { configured: config.resources, places, resources }, { signal });
    },
    [Symbol.asyncDispose]: () => rooms[Symbol.asyncDispose](),
  };
  return app;
}

/** What the rooms are made of. */
function roomKey({ resourcesDirectory, allowHosts, refresh, providerOptions, globalProviderOptions }: Config): string {
  return JSON.stringify([resourcesDirectory, allowHosts, refresh, providerOptions, globalProviderOptions]);
}
