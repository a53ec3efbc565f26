import { readdir, stat } from "node:fs/promises";
import { messageOf } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import type { Log } from "../../lib/log.ts";
import type { Handlers } from "../../protocol/operations.ts";
import type { FolderEntry, Lookups } from "./lookups.ts";

/** The operations that look-ups are made of, and the one that keeps a key. */
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

/** How long a look-up may keep a person waiting, in milliseconds. */
const waitMs = 5000;

/** How long what a host or a provider said is held to be true, in milliseconds. */
const keepMs = 5 * 60_000;

/** Entries of a folder that are looked at: more than one reads through. */
const entryLimit = 1000;

/** Look-ups for one request each. What others on the network say is kept for a while, as each letter typed asks anew. */
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
            // What is not on disk would be fetched.
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

/** Asks once for many that wait, whichever of them goes away. A failure is not kept. */
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
