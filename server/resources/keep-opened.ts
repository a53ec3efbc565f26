import type { Resources } from "./resources.ts";
import type { Snapshot } from "./snapshot.ts";

/** What opens resources. */
export type OpensResources = Pick<Resources, "open" | "openStored" | "openHistory">;

/** Resources kept open until disposal. */
export interface Openings extends AsyncDisposable {
  over(resources: OpensResources): OpensResources;
}

/**
 * Opens each resource once, for a short command that uses the same resources repeatedly. Snapshots stay open until
 * disposal; a resource that failed to open fails again at once.
 */
export function createOpenings(): Openings {
  const opened = new Map<string, Promise<Snapshot>>();
  return {
    over: (resources) => ({
      ...resources,
      async open(target, options) {
        const key = JSON.stringify(target);
        const opening = opened.get(key) ?? resources.open(target, options);
        opened.set(key, opening);
        const snapshot = await opening;
        return { ...snapshot, async [Symbol.asyncDispose]() {} };
      },
    }),
    async [Symbol.asyncDispose]() {
      const results = await Promise.allSettled(opened.values());
      const snapshots = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      await Promise.all(snapshots.map((snapshot) => snapshot[Symbol.asyncDispose]()));
    },
  };
}
