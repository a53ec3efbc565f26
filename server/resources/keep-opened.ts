import type { Resources } from "./resources.ts";
import type { Snapshot } from "./snapshot.ts";

/** What one who reads resources needs. */
export type OpensResources = Pick<Resources, "open" | "openStored">;

/**
 * Opens each resource once, for a command that asks for the same ones again and ends soon. Snapshots stay open until
 * all of it is disposed of; a resource that failed to open fails again at once.
 */
export function keepOpened(resources: OpensResources): OpensResources & AsyncDisposable {
  const opened = new Map<string, Promise<Snapshot>>();
  return {
    async open(target, options) {
      const key = JSON.stringify(target);
      const opening = opened.get(key) ?? resources.open(target, options);
      opened.set(key, opening);
      const snapshot = await opening;
      return { ...snapshot, async [Symbol.asyncDispose]() {} };
    },
    openStored: (target, options) => resources.openStored(target, options),
    async [Symbol.asyncDispose]() {
      const results = await Promise.allSettled(opened.values());
      const snapshots = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      await Promise.all(snapshots.map((snapshot) => snapshot[Symbol.asyncDispose]()));
    },
  };
}
