import { mkdir, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import type { Log } from "../../lib/log.ts";
import { ownedName } from "../../lib/owner.ts";
import type { Context } from "../../operations/context.ts";
import type { SharedSnapshots } from "../../resources/shared-snapshots.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import type { OnProgress } from "../../resources/source.ts";
import { snapshotOfSource } from "../../resources/stored.ts";
import type { Retrieval } from "../../retrieval/retrieval.ts";
import type { Queries } from "../store/store.ts";
import type { BlobStore } from "./blobs.ts";
import { readHead, writeHead } from "./heads.ts";
import { pack, unpack } from "./pack.ts";

/**
 * The public snapshots that the nodes of a service share: the database says which revision is current, and a folder
 * or bucket has the files, packed with their index.
 *
 * Private snapshots are never shared here; they stay on the node and are fetched with the project's own token.
 * Without a place to share, each node fetches for itself. Decision 25 has the reasons.
 */
export interface Sharing extends SharedSnapshots {
  /** Tells the other nodes of a resource's current snapshot, and stores it for them. A failure is logged. */
  publish(
    context: Context,
    resource: string,
    options: { signal: AbortSignal; onProgress?: OnProgress | undefined },
  ): Promise<void>;
}

export interface SharingOptions {
  store: Pick<Queries, "query">;
  /** Without one, other nodes fetch from the origin. */
  blobs: BlobStore | undefined;
  dataDirectory: string;
  log: Log;
}

interface StoreOptions {
  snapshot: Snapshot;
  retrieval: Retrieval;
  signal: AbortSignal;
  onProgress?: OnProgress | undefined;
}

const dayMs = 24 * 3600 * 1000;

/** Removes unused snapshots of the shared store now and every day. */
export function sweepDaily(blobs: BlobStore, log: Log): Disposable {
  const sweep = () =>
    void blobs.sweep().catch((error: unknown) => log.warn("shared-store-not-swept", { error: messageOf(error) }));
  sweep();
  const timer = setInterval(sweep, dayMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The format of packs: nodes of another version neither read nor overwrite those of this one. */
const format = "1.tgz";
const snapshotsFolder = "resources/snapshots";

export function createSharing({ store, blobs, dataDirectory, log }: SharingOptions): Sharing {
  const temporary = path.join(dataDirectory, "resources", "temporary");
  const warn = (event: string, snapshot: string, error: unknown) =>
    log.warn(event, { snapshot, error: messageOf(error) });
  const blobOf = (snapshot: string) => `${snapshot}.${format}`;

  /** Runs with the path of a new temporary file or folder, which is removed. */
  async function withTemporary<Value>(label: string, work: (place: string) => Promise<Value>): Promise<Value> {
    await mkdir(temporary, { recursive: true });
    const place = path.join(temporary, ownedName(label));
    try {
      return await work(place);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  }

  /** Stores a snapshot with its index, unless another worker has done so. */
  async function storeBlob(
    name: string,
    { snapshot, retrieval, signal, onProgress = () => {} }: StoreOptions,
  ): Promise<void> {
    if (blobs === undefined || (await blobs.has(blobOf(name)))) return;
    await using preparation = retrieval.prepare(snapshot);
    await untilAborted(preparation.done, signal);
    onProgress({ phase: "index", message: "storing it for other nodes" });
    const indexFiles = (await retrieval.indexFiles(snapshot)).map((file) => `index/${path.basename(file)}`);
    await withTemporary(name, async (file) => {
      await pack(dataDirectory, { snapshot: `${snapshotsFolder}/${name}`, indexFiles }, file);
      await blobs.put(blobOf(name), file, { signal });
    });
    log.info("snapshot-shared", { snapshot: name });
  }

  return {
    async newest(source) {
      try {
        return await readHead(store, source);
      } catch (error) {
        warn("snapshot-head-unknown", source, error);
        return undefined;
      }
    },

    async fetch(snapshot, folder, { signal, onProgress }) {
      if (blobs === undefined) return false;
      onProgress({ phase: "fetch", message: "copying it from the shared store" });
      const startedAt = performance.now();
      try {
        const isFetched = await withTemporary(snapshot, async (file) => {
          if (!(await blobs.get(blobOf(snapshot), file, { signal }))) return false;
          await withTemporary(snapshot, (staging) =>
            unpack(file, {
              snapshot: `${snapshotsFolder}/${snapshot}`,
              folder,
              indexDirectory: path.join(dataDirectory, "index"),
              staging,
            }),
          );
          return true;
        });
        if (isFetched) log.info("snapshot-copied", { snapshot, ms: Math.round(performance.now() - startedAt) });
        return isFetched;
      } catch (error) {
        signal.throwIfAborted();
        warn("snapshot-not-copied", snapshot, error);
        return false;
      }
    },

    async publish({ tenant: { config, resources }, node: { retrieval } }, resource, { signal, onProgress }) {
      const spec = config.resources.find(({ name }) => name === resource);
      await using snapshot = spec && (await resources.openStored(spec, { signal }));
      const folder = snapshot?.tree && path.dirname(snapshot.tree.root);
      // Those of a project with credentials of its own are elsewhere, and stay on this node.
      if (snapshot === undefined || folder === undefined) return;
      if (path.dirname(folder) !== path.join(await realpath(dataDirectory), "resources", "snapshots")) return;
      const name = path.basename(folder);
      const [source = ""] = name.split("-");
      try {
        await storeBlob(name, { snapshot, retrieval, signal, onProgress });
      } catch (error) {
        signal.throwIfAborted();
        warn("snapshot-not-shared", name, error);
      }
      try {
        const before = await writeHead(store, source, snapshot.revision);
        if (before !== undefined) await blobs?.remove(blobOf(snapshotOfSource(source, before)));
      } catch (error) {
        warn("snapshot-head-not-written", name, error);
      }
    },
  };
}
