import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { untilAborted } from "../../server/lib/abort.ts";
import { silentLog } from "../../server/lib/log.ts";
import type { RefreshPolicy } from "../../server/protocol/resource-fields.ts";
import type { Source } from "../../server/resources/source.ts";
import { createStore, type StoreOptions } from "../../server/resources/store.ts";
import { temporaryFolder } from "./folder.ts";

/** Creates an empty store with a manual clock. */
export async function openSandbox(options: Partial<StoreOptions> = {}) {
  const folder = await temporaryFolder();
  let now = Date.parse("2026-01-01");
  const store = createStore({ directory: folder.path, log: silentLog, now: () => now, ...options });
  return {
    directory: folder.path,
    store,
    now: () => now,
    advance(ms: number) {
      now += ms;
    },
    open: ({ source }: Origin, { refresh = "daily", ...rest }: Partial<Parameters<typeof store.open>[1]> = {}) =>
      store.open(source, { refresh, ...rest }),
    openOneOff: ({ source }: Origin, { refresh = "daily", ...rest }: Partial<Parameters<typeof store.open>[1]> = {}) =>
      store.open(source, { refresh, oneOff: source.key, ...rest }),
    describe: ({ source }: Origin, refresh: RefreshPolicy = "daily") => store.describe(source.key, { refresh }),
    list: (name: string) => readdir(path.join(folder.path, name)).catch(() => []),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A fake source of snapshots. */
export interface Origin {
  source: Source;
  revision: string;
  calls: string[];
  fault: Error | undefined;
  fetchFault: Error | undefined;
  /** Resolves when a fetch starts. */
  readonly fetching: Promise<void>;
  /** Blocks fetches from now on, until released. */
  hold(): void;
  release(): void;
}

/** Creates an origin with one file that contains the revision. */
export function createOrigin(first: string, { key = "origin", isHeld = false } = {}): Origin {
  let begun = createGate();
  let free = createGate();
  if (!isHeld) free.open();
  const origin: Origin = {
    revision: first,
    calls: [],
    fault: undefined,
    fetchFault: undefined,
    get fetching() {
      return begun.passed;
    },
    hold() {
      begun = createGate();
      free = createGate();
    },
    release() {
      free.open();
    },
    source: {
      key,
      async resolve() {
        origin.calls.push("resolve");
        if (origin.fault !== undefined) throw origin.fault;
        return origin.revision;
      },
      async fetch(directory, { revision, signal, onProgress }) {
        origin.calls.push(`fetch ${revision}`);
        onProgress({ phase: "fetch", message: "fetching" });
        await writeFile(path.join(directory, "a.txt"), revision);
        begun.open();
        await untilAborted(free.passed, signal).catch((error: unknown) => {
          origin.calls.push("aborted");
          throw error;
        });
        if (origin.fetchFault !== undefined) throw origin.fetchFault;
        return { details: { branch: "main" }, skipped: [{ path: "big.bin", reason: "too large" }] };
      },
    },
  };
  return origin;
}

function createGate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}
