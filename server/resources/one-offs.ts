import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { messageOf } from "../errors.ts";
import type { RefreshPolicy } from "../protocol/resource-fields.ts";
import type { StoredTree } from "./shelf.ts";
import type { Source } from "./source.ts";
import {
  createSourceStore,
  dayMs,
  type OpenOptions,
  type SourceStore,
  type SourceStoreOptions,
  withReason,
} from "./source-store.ts";
import { readJson, sourceName, writeJson } from "./stored.ts";

/**
 * A bounded LRU cache of repositories and packages that questions named without configuring them. An entry is kept for
 * a day after its last use, and as long as a conversation refers to it.
 */
export interface OneOffs extends Pick<SourceStore, "openStored" | "withdraw" | "clear">, AsyncDisposable {
  /**
   * The tree, fetched only if there is none on disk, or by its policy a newer one (`daily`: after a day). If the check
   * for a newer revision fails, `stale` of the tree has the reason and its age.
   * @throws as `SourceStore.open`
   */
  open(source: Source, options: OpenOptions & { name: string; refresh: RefreshPolicy }): Promise<StoredTree>;
  /** Removes entries unused for a week, once per process and in the background. Never fails. */
  tidy(): void;
}

/** The limits of the cache. */
export interface OneOffOptions {
  /** The maximum size of all entries on disk. Default: 2 GiB. */
  limitBytes?: number | undefined;
  /** The names of the resources in conversations. */
  namesInUse?: (() => Promise<ReadonlySet<string>>) | undefined;
}

/** A clone of a large repository takes about 500 MB, a package 1 to 50 MB. */
const defaultLimitBytes = 2 * 1024 ** 3;

/** `uses/<source>.json`. Separate from the heads: concurrent writes to one file would lose a refresh. */
const Use = z.object({ key: z.string(), names: z.array(z.string()), usedAt: z.iso.datetime() });
type Use = z.infer<typeof Use>;

/** Keeps one-offs in a store of their own. */
export function createOneOffs({
  configured,
  limitBytes = defaultLimitBytes,
  namesInUse = async () => new Set(),
  ...options
}: SourceStoreOptions & OneOffOptions & { configured: SourceStore }): OneOffs {
  const { directory, log, now = Date.now } = options;
  const cache = createSourceStore(options);
  const uses = path.join(directory, "uses");
  const background = new Set<Promise<void>>();
  let isTidy = false;
  const useFile = (key: string) => path.join(uses, `${sourceName(key)}.json`);

  return {
    openStored: (key, rest) => cache.openStored(key, rest),
    withdraw: (key, failure) => cache.withdraw(key, failure),

    async open(source, { name, refresh, ...rest }) {
      const { key } = source;
      let isFetched = false;
      if (!(await cache.isCurrent(key, { refresh: "manual" }))) {
        if (await configured.isCurrent(key, { refresh })) {
          const kept = await configured.openStored(key, signalOf(rest));
          if (kept !== undefined) return kept;
        }
        // Before the fetch, so that `evict` finds the entry even if this process is killed.
        await markUsed(key, name);
      }
      const observed: Source = {
        ...source,
        async fetch(...args) {
          const fetched = await source.fetch(...args);
          isFetched = true;
          return fetched;
        },
      };
      const tree = await cache.open(observed, { refresh, ...rest }).catch(async (error: unknown) => {
        rest.signal?.throwIfAborted();
        const kept = await configured.openStored(key, signalOf(rest));
        if (kept === undefined) throw error;
        return withReason(kept, messageOf(error), now());
      });
      await markUsed(key, name);
      // Only after a fetch: the cache has grown, and the network works, so removed entries can be fetched again.
      if (isFetched) evictBehind(dayMs);
      else tidy();
      return tree;
    },

    tidy,

    async clear() {
      const cleared = await cache.clear();
      for (const use of await readUses()) {
        if (!(await cache.isCurrent(use.key, { refresh: "manual" }))) await rm(useFile(use.key), { force: true });
      }
      return cleared;
    },

    async [Symbol.asyncDispose]() {
      await Promise.all(background);
      await cache[Symbol.asyncDispose]();
    },
  };

  function tidy(): void {
    if (isTidy) return;
    isTidy = true;
    evictBehind(7 * dayMs);
  }

  function evictBehind(unusedMs: number): void {
    const evicting = evict(now() - unusedMs).catch((error: unknown) => {
      log.warn("one-offs-not-evicted", { reason: messageOf(error) });
    });
    background.add(evicting);
    void evicting.then(() => background.delete(evicting));
  }

  async function evict(usedSince: number): Promise<void> {
    const isOld = ({ usedAt }: Use) => Date.parse(usedAt) < usedSince;
    const entries = await readUses();
    const named = entries.some(isOld) ? await namesInUse() : new Set<string>();
    let bytes = 0;
    for (const use of entries) {
      const { diskBytes = 0 } = await cache.describe(use.key, { refresh: "manual" });
      bytes += diskBytes;
      const isExpired = isOld(use) && !use.names.some((name) => named.has(name));
      if (!isExpired && bytes <= limitBytes) continue;
      if (!(await cache.remove(use.key))) continue;
      await rm(useFile(use.key), { force: true });
      bytes -= diskBytes;
      log.info("one-off-evicted", { source: use.key });
    }
  }

  /** Never fails: without write access, nothing is stored either. */
  async function markUsed(key: string, name: string): Promise<void> {
    const file = useFile(key);
    try {
      const names = new Set((await readJson(file, Use))?.names).add(name);
      await writeJson(file, { key, names: [...names], usedAt: new Date(now()).toISOString() } satisfies Use);
    } catch (error) {
      log.warn("use-not-stored", { key, reason: messageOf(error) });
    }
  }

  /** Most recently used first. */
  async function readUses(): Promise<Use[]> {
    const names = await readdir(uses).catch(() => []);
    const read = await Promise.all(names.map((name) => readJson(path.join(uses, name), Use)));
    const known = read.filter((use) => use !== undefined);
    return known.toSorted((a, b) => Date.parse(b.usedAt) - Date.parse(a.usedAt));
  }
}

function signalOf({ signal = new AbortController().signal }: OpenOptions): { signal: AbortSignal } {
  return { signal };
}
