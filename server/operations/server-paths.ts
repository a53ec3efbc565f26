import type { Caller } from "../caller.ts";
import type { SnapshotInfo } from "../protocol/ask.ts";
import type { OpensResources } from "../resources/keep-opened.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { TenantServices } from "./context.ts";

/** The services of a tenant for a caller on another computer, to whom paths of this one are of no use. */
export function hideServerPaths({ config, resources, openings, ...rest }: TenantServices): TenantServices {
  return {
    ...rest,
    config: { ...config, dataDirectory: "", resourcesDirectory: "" },
    resources: { ...resources, ...openHidden(resources) },
    openings: openHidden(openings),
  };
}

/** The description of snapshots for a caller. */
export function describeSnapshots(snapshots: readonly Snapshot[], caller: Caller): SnapshotInfo[] {
  return snapshots.map(({ info }) => describeInfo(info, caller));
}

/** A snapshot's description for a caller. */
export function describeInfo(info: SnapshotInfo, { isLocal }: Caller): SnapshotInfo {
  if (isLocal) return info;
  const { directory: _, ...shown } = info;
  return shown;
}

function openHidden(resources: OpensResources): OpensResources {
  return {
    open: async (target, options) => hidePaths(await resources.open(target, options)),
    async openStored(target, options) {
      const snapshot = await resources.openStored(target, options);
      return snapshot && hidePaths(snapshot);
    },
    openHistory: resources.openHistory,
  };
}

function hidePaths(snapshot: Snapshot): Snapshot {
  return { ...snapshot, pathOnDisk: () => undefined };
}
