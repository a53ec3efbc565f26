import path from "node:path";
import type { RefreshPolicy } from "../protocol/resource-fields.ts";
import { createOneOffs, type OneOffOptions } from "./one-offs.ts";
import type { StoredTree } from "./shelf.ts";
import type { Source } from "./source.ts";
import { createSourceStore, type OpenOptions, type SourceStore, type SourceStoreOptions } from "./source-store.ts";

/** The snapshots on disk: of configured resources until they are cleared, of one-offs for a limited time. */
export interface Store extends Omit<SourceStore, "open" | "openStored" | "isCurrent" | "withdraw" | "remove"> {
  /** The tree to answer from, as `SourceStore.open`; those of one-offs expire as described in `OneOffs`. */
  open(
    source: Source,
    options: OpenOptions & { refresh: RefreshPolicy; oneOff?: string | undefined },
  ): Promise<StoredTree>;
  /** A tree on disk, of a configured resource or a one-off. Uses no network. */
  openStored(
    key: string,
    options: { revision?: string | undefined; isOneOff?: boolean; signal: AbortSignal },
  ): Promise<StoredTree | undefined>;
}

/** The options of storing snapshots. */
export interface StoreOptions extends SourceStoreOptions {
  oneOffs?: OneOffOptions | undefined;
}

/** The stores of configured resources and one-offs. */
export function createStore({ oneOffs: oneOffOptions, ...given }: StoreOptions): Store {
  const options: SourceStoreOptions = {
    ...given,
    async onWithdrawn({ dependents = [] }, failure) {
      await Promise.all(dependents.map((key) => oneOffs.withdraw(key, failure)));
    },
  };
  const configured = createSourceStore(options);
  const directory = path.join(options.directory, "one-offs");
  const oneOffs = createOneOffs({ ...options, ...oneOffOptions, directory, configured });
  return {
    ...configured,
    open(source, { oneOff: name, refresh, ...rest }) {
      if (name === undefined) {
        oneOffs.tidy();
        return configured.open(source, { refresh, ...rest });
      }
      return oneOffs.open(source, { name, refresh, ...rest });
    },
    async openStored(key, { isOneOff = false, ...rest }) {
      const [first, second] = isOneOff ? [oneOffs, configured] : [configured, oneOffs];
      return (await first.openStored(key, rest)) ?? second.openStored(key, rest);
    },
    clear: async () => (await configured.clear()) + (await oneOffs.clear()),
    async [Symbol.asyncDispose]() {
      await oneOffs[Symbol.asyncDispose]();
      await configured[Symbol.asyncDispose]();
    },
  };
}
