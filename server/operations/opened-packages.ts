import { CitewellError } from "../errors.ts";
import type { Openable } from "../agent/tools/open.ts";
import type { AskEventOf, SnapshotInfo } from "../protocol/ask.ts";
import { packageReference } from "../protocol/kinds/names.ts";
import { isOneOff, parseReference } from "../protocol/reference.ts";
import type { NamedDependency } from "../resources/packages/dependencies.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";

type Offer = NonNullable<AskEventOf<"meta">["offers"]>[number];

/** Dependencies that a question names and does not ask already, as resources to ask as well. */
export function offersOf(named: readonly NamedDependency[], snapshots: readonly Snapshot[]): Offer[] {
  const isAsked = ({ type, name }: NamedDependency) =>
    snapshots.some(({ resource, info }) => {
      const reference = parseReference(resource);
      return (
        resource === name ||
        info.label.startsWith(`${name} `) ||
        (reference.type === type && reference.package === name)
      );
    });
  return named
    .filter((dependency) => !isAsked(dependency))
    .map(({ type, name, version }) => ({ reference: packageReference(type, name), name, version }));
}

/**
 * Lets the model add offered packages to the snapshots of its question. `opened` are those that it has added.
 * @param snapshots grows with what is opened
 */
export function openableFor(
  offers: readonly Offer[],
  { snapshots, resources, own }: { snapshots: Snapshot[]; resources: Resources; own: (snapshot: Snapshot) => void },
): { openable: Openable | undefined; opened: readonly SnapshotInfo[] } {
  const opened: SnapshotInfo[] = [];
  if (offers.length === 0) return { openable: undefined, opened };
  const never = new AbortController().signal;
  return {
    opened,
    openable: {
      packages: offers,
      async open(name, { signal = never }) {
        const reference = parseReference(offers.find((offer) => offer.name === name)?.reference ?? name);
        if (!isOneOff(reference)) throw new CitewellError("InvalidRequest", `${name} was not offered`);
        const known = snapshots.find(({ resource }) => resource === reference.canonical);
        const snapshot = known ?? (await resources.open(reference, { signal }));
        if (known === undefined) {
          own(snapshot);
          snapshots.push(snapshot);
          opened.push(snapshot.info);
        }
        return { resource: snapshot.resource, label: snapshot.info.label };
      },
    },
  };
}
