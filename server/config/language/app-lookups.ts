import { readdir, stat } from "node:fs/promises";
import { messageOf } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import type { Log } from "../../lib/log.ts";
import type { Handlers } from "../../protocol/operations.ts";
import type { FolderEntry, Lookups } from "./lookups.ts";

/** The operations used by look-ups, and the one that stores a key. */
export type AppLookups = Pick<
  Handlers,
  | "connectProvider"
  | "listBranches"
  | "listDependencies"
  | "listFiles"
  | "listModels"
  | "listProviders"
  | "listResources"
>;

/** Time limit of a look-up, in milliseconds. */
const waitMs = 5000;

/** How long answers of a host or provider are cached, in milliseconds. */
const keepMs = 5 * 60_000;

/** The maximum number of entries of a folder: more than a user reads through. */
const entryLimit = 1000;

/** Makes the look-ups of one request. Answers from the network are cached, because every keystroke is a request. */
export function createLookups({ app, log }: { app: AppLookups; log: Log }): (signal: AbortSignal) => Lookups {
  const branches = keepAnswers((url, signal) => app.listBranches({ url }, { signal }));
  const models = keepAnswers((provider, signal) => app.listModels({ provider }, { signal }));

  return (given) => {
    const signal = AbortSignal.any([given, AbortSignal.timeout(waitMs)]);
    async function quietly<Value>(what: string, look: () => Promise<Value>, otherwise: Value): Promise<Value> {
      try {
        return await look();
      } catch (error) {
        given.throwIfAborted();
        log.debug("config-lookup-failed", { what, error: messageOf(error) });
        return otherwise;
      }
    }
    return {
      providers: () => quietly("providers", () => app.listProviders({}, { signal }), { all: [], connected: [] }),
      models: (provider) => quietly("models", async () => (await models(provider, signal)).models, {}),
      branches: (url) => quietly("branches", () => branches(url, signal), { main: null, branches: [], tags: [] }),
      dependencies: () =>
        quietly("dependencies", async () => (await app.listDependencies({}, { signal })).dependencies ?? [], []),
      resources: () => quietly("resources", async () => (await app.listResources({}, { signal })).resources, []),
      files: (resource, folder) =>
        quietly(
          "files",
          async () => {
            const { resources } = await app.listResources({}, { signal });
            const found = resources.find(({ name }) => name === resource);
            // Listing its files would fetch it.
            if (found === undefined || found.state === "absent" || found.revision === null) return [];
            return (await app.listFiles({ resource, path: folder }, { signal })).entries;
          },
          [],
        ),
      folder: (path) => quietly("folder", () => listFolder(path), undefined),
      exists: (path) =>
        stat(path).then(
          () => true,
          () => false,
        ),
    };
  };
}

type Ask<Value> = (key: string, signal: AbortSignal) => Promise<Value>;

/** Shares one request between callers, even if some of them are cancelled. Failures are not cached. */
function keepAnswers<Value>(ask: Ask<Value>): Ask<Value> {
  const kept = new Map<string, { at: number; answer: Promise<Value> }>();
  return (key, signal) => {
    const known = kept.get(key);
    if (known !== undefined && Date.now() - known.at < keepMs) return untilAborted(known.answer, signal);
    const answer = ask(key, AbortSignal.timeout(waitMs));
    kept.set(key, { at: Date.now(), answer });
    answer.catch(() => kept.delete(key));
    return untilAborted(answer, signal);
  };
}

async function listFolder(path: string): Promise<FolderEntry[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .slice(0, entryLimit)
    .map((entry): FolderEntry => ({ name: entry.name, type: entry.isDirectory() ? "folder" : "file" }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
