import { CitewellError } from "../errors.ts";
import type { Origins } from "../agent/tools/imported.ts";
import type { Openable } from "../agent/tools/open.ts";
import type { AskEventOf, SnapshotInfo } from "../protocol/ask.ts";
import { packageReference } from "../protocol/kinds/names.ts";
import { isOneOff, parseReference } from "../protocol/reference.ts";
import type { NamedDependency } from "../resources/packages/dependencies.ts";
import type { UnreadDependency } from "../resources/packages/other-manifests.ts";
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

/** Why dependencies that a question names and that no ecosystem reads are not opened; none that it asks already. */
export function faultsOf(
  unread: readonly UnreadDependency[],
  snapshots: readonly Snapshot[],
): { resource: string; error: CitewellError }[] {
  const isAsked = ({ name, folder }: UnreadDependency) =>
    snapshots.some(({ resource, files }) => {
      const last = resource
        .replace(/\.git$/, "")
        .split(/[/\\]/)
        .at(-1);
      return last === name || (folder !== undefined && files.some((file) => file.path.startsWith(`${folder}/`)));
    });
  return unread
    .filter((dependency) => !isAsked(dependency))
    .map(({ name, file, what, reference = "<URL of its repository>" }) => {
      const reason = `${file} lists it, and ${what} cannot be read yet; name its source instead: -r ${reference}`;
      return { resource: name, error: new CitewellError("ResourceNotOffered", reason) };
    });
}

export interface OpenablePackages {
  openable: Openable;
  /** Those that were opened. */
  opened: readonly SnapshotInfo[];
  /** What it finds can be opened, too. */
  origins: Origins | undefined;
}

/**
 * Lets the model add offered packages, and those that names of the code come from, to the snapshots of its question.
 * @param snapshots grows with what is opened
 */
export function openableFor(
  offers: readonly Offer[],
  {
    snapshots,
    resources,
    origins,
    own,
  }: {
    snapshots: Snapshot[];
    resources: Resources;
    origins: Origins | undefined;
    own: (snapshot: Snapshot) => void;
  },
): OpenablePackages {
  const opened: SnapshotInfo[] = [];
  const packages: { name: string; version: string }[] = [...offers];
  const never = new AbortController().signal;
  return {
    opened,
    origins: origins && {
      ...origins,
      async ofImport(imported) {
        const found = await origins.ofImport(imported);
        if (found?.reference !== undefined) packages.push({ name: found.reference, version: found.version ?? "" });
        return found;
      },
    },
    openable: {
      packages,
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
