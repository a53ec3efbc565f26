import path from "node:path";
import type { CitedPlace, CitedResources, Opened } from "../citations/cited-resources.ts";
import { isCommit } from "../citations/resolve.ts";
import { type CitewellError, toCitewellError } from "../errors.ts";
import { isSameRevision } from "../protocol/citation.ts";
import type { ErrorTag } from "../protocol/error-tags.ts";
import { normalizeGitUrl } from "../protocol/kinds/git-url.ts";
import { kindOf, pathOf } from "../protocol/kinds/kinds.ts";
import { isOneOff, parseReference } from "../protocol/reference.ts";
import type { OpensResources } from "../resources/keep-opened.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { ThreadStore } from "../threads/threads.ts";
import { createDiskFiles } from "./disk-files.ts";
import { type KeptFile, keptSnapshot } from "./kept-snapshot.ts";
import type { KnownResources } from "./known-resources.ts";
import { type Patience, waitFor } from "./open.ts";
import { createRevisions } from "./revisions.ts";
import { nameOf, type Places, selectTargets, type Target } from "./targets.ts";

export interface VerifyContext {
  known: KnownResources;
  places: Places;
  resources: OpensResources;
  patience: Patience;
  threads: Pick<ThreadStore, "findCited">;
  /** The root of the project that a folder is in. Absent where the files of this computer are not read. */
  projectOf?: ((folder: string) => Promise<string | undefined>) | undefined;
}

export interface CitedResourcesOptions {
  /** What the request is about. */
  targets: readonly Target[];
  areNamed: boolean;
  /** The one of `targets` that the document belongs to. */
  own: Target | undefined;
  folder: string | undefined;
  signal: AbortSignal;
}

export interface OpenedResources extends CitedResources, AsyncDisposable {
  open(target: Target): Promise<Opened>;
  snapshots(): readonly Snapshot[];
  unavailable(): readonly { resource: string; error: CitewellError }[];
}

/** A text may name any number of resources and revisions; no more than these are opened beside those it is about. */
const extraLimit = 20;

/** Errors that prove that a resource does not exist. A repository may only need a key. */
const gone: ReadonlySet<ErrorTag> = new Set(["PathNotFound", "PackageNotFound", "VersionNotFound"]);

/** Opens what a text cites, as it is needed and each once. */
export function openCited(context: VerifyContext, options: CitedResourcesOptions): OpenedResources {
  const { known, places, resources, patience, threads, projectOf } = context;
  const { targets, areNamed, own, folder, signal } = options;
  const opening = new Map<string, Promise<Opened>>();
  const snapshots: Snapshot[] = [];
  const unavailable: { resource: string; error: CitewellError }[] = [];
  const waitMs = waitFor(targets, { areNamed, patience });
  const { openHistory } = resources;
  const fetchedRevisions = createRevisions({ openHistory, waitMs, signal });
  const storedRevisions = createRevisions({ openHistory, isStoredOnly: true, signal });
  let extra = 0;

  /**
   * The key is `key`, so that one resource may be open at several revisions. Failures of optional ones are not
   * reported.
   */
  function open(
    target: Target,
    { key = nameOf(target), isOptional = false }: { key?: string; isOptional?: boolean } = {},
  ): Promise<Opened> {
    const resource = nameOf(target);
    const before = opening.get(key);
    if (before !== undefined) return before;
    if (!targets.includes(target) && ++extra > extraLimit) {
      const reason = `the text cites more than ${extraLimit} other resources`;
      return Promise.resolve({ type: "failed", resource, reason, isGone: false });
    }
    const opened = openNow(target, { isOptional });
    opening.set(key, opened);
    return opened;
  }

  async function openNow(target: Target, { isOptional }: { isOptional: boolean }): Promise<Opened> {
    const resource = nameOf(target);
    try {
      const snapshot = await resources.open(target, { signal, waitMs });
      snapshots.push(snapshot);
      return { type: "snapshot", snapshot };
    } catch (cause) {
      signal.throwIfAborted();
      const error = toCitewellError(cause);
      if (!isOptional) unavailable.push({ resource, error });
      return { type: "failed", resource, reason: error.message, isGone: gone.has(error.tag) };
    }
  }

  /** As it is cited, else as it is now, which the check then reports as another revision. */
  async function openAt(target: Target, { path: file, revision }: CitedPlace): Promise<Opened> {
    if (revision === undefined) return open(target);
    const resource = nameOf(target);
    const key = `${resource}\0${revision}`;
    const before = opening.get(key);
    if (before !== undefined) return before;
    const isAtHand = targets.includes(target) || opening.has(resource) || !kindOf(target).isFetched;
    const now = isAtHand ? await open(target) : undefined;
    if (now?.type === "failed" && file === "") return now;
    if (now?.type === "snapshot" && file !== "" && isSameRevision(revision, now.snapshot.revision)) return now;
    const known = file === "" ? undefined : await openKnown(target, { path: file, revision });
    if (known !== undefined) return known;
    const commit = await openCommit(target, { now, path: file, at: revision });
    if (commit?.type === "snapshot") return commit;
    const wanted = file === "" ? undefined : kindOf(target).atRevision?.(target, { canonical: resource, revision });
    const fetched = wanted === undefined ? undefined : await open(wanted, { key, isOptional: true });
    return fetched?.type === "snapshot" ? fetched : (commit ?? open(target));
  }

  async function openKnown(
    target: Target,
    { path: file, revision }: { path: string; revision: string },
  ): Promise<Opened | undefined> {
    return (
      (await openStored(target, revision)) ?? openKept(nameOf(target), { type: target.type, path: file, revision })
    );
  }

  /** History is fetched only of what the request or the configuration names. */
  async function openCommit(
    target: Target,
    { now, path: file, at }: { now: Opened | undefined; path: string; at: string },
  ): Promise<Opened | undefined> {
    const isNamed = targets.includes(target) || known.named.some((spec) => spec === target);
    const revisions = isNamed ? fetchedRevisions : storedRevisions;
    // Commits of a repository are looked for from its snapshot.
    const from = now ?? (isNamed && target.type === "git" ? await open(target, { isOptional: true }) : undefined);
    const revision = from?.type === "snapshot" ? from.snapshot.revision : undefined;
    return revisions.open(target, { revision, path: file, at });
  }

  async function openStored(target: Target, revision: string): Promise<Opened | undefined> {
    if (!kindOf(target).isFetched) return undefined;
    const snapshot = await resources.openStored(target, { revision, signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (snapshot === undefined) return undefined;
    if (!isSameRevision(revision, snapshot.revision)) {
      await snapshot[Symbol.asyncDispose]();
      return undefined;
    }
    snapshots.push(snapshot);
    const opened = { type: "snapshot", snapshot } as const;
    opening.set(`${nameOf(target)}\0${revision}`, Promise.resolve(opened));
    return opened;
  }

  /** The file as a thread keeps it: its resource may be gone. */
  async function openKept(
    resource: string,
    { type, path: file, revision }: Pick<KeptFile, "type" | "path" | "revision">,
  ): Promise<Opened | undefined> {
    const text = await threads.findCited({ resource, path: file, revision });
    if (text === undefined) return undefined;
    const snapshot = keptSnapshot({ resource, type, path: file, revision, text });
    const isListed = snapshots.some((other) => other.resource === resource && other.revision === revision);
    if (!isListed) snapshots.push(snapshot);
    return { type: "snapshot", snapshot };
  }

  function targetOf(name: string): Target | undefined {
    const asked = targets.find((target) => nameOf(target) === name) ?? known.named.find((spec) => spec.name === name);
    if (asked !== undefined) return asked;
    const reference = parseReference(name);
    if (!isOneOff(reference) || !path.isAbsolute(pathOf(reference) ?? "/")) return undefined;
    try {
      return selectTargets([name], known, places)[0];
    } catch {
      return undefined;
    }
  }

  function repositoryAt(url: string): Target | undefined {
    const isIt = (target: Target) => target.type === "git" && repositoryUrl(target.url) === repositoryUrl(url);
    return targets.find(isIt) ?? known.named.find(isIt) ?? targetOf(url);
  }

  return {
    areNamed,
    folder,
    open,
    own: async () => (own === undefined ? undefined : open(own)),
    others: () => Promise.all(targets.filter((target) => target !== own).map((target) => open(target))),
    async named(name, { path: file, revision }) {
      const written = revisionInName(name);
      const cited = { path: file, revision: revision ?? written?.revision };
      const target = targetOf(written?.name ?? name);
      if (target !== undefined) return openAt(target, cited);
      const { revision: at } = cited;
      return at === undefined ? undefined : openKept(name, { type: "local", path: file, revision: at });
    },
    async repository(url, cited) {
      const target = repositoryAt(url);
      if (target?.type !== "git") return undefined;
      const { revision = "" } = cited;
      if (isCommit(revision) || cited.path === "") return openAt(target, cited);
      if (target.branch === revision) return open(target);
      const canonical = nameOf(target);
      const atBranch = { type: "git", canonical, url: target.url, branch: revision } as const;
      return open(atBranch, { key: `${canonical}\0${revision}` });
    },
    onDisk: createDiskFiles({ targets, known, places, projectOf, open, snapshots }),
    snapshots: () => snapshots,
    unavailable: () => unavailable,
    async [Symbol.asyncDispose]() {
      await Promise.all(opening.values());
      await fetchedRevisions[Symbol.asyncDispose]();
      await storedRevisions[Symbol.asyncDispose]();
      await Promise.all(snapshots.map((snapshot) => snapshot[Symbol.asyncDispose]()));
    },
  };
}

/** A name that says a revision, too, as `npm:hono@4.9.1+0123456789abcdef` does. */
function revisionInName(name: string): { name: string; revision: string } | undefined {
  const reference = parseReference(name);
  return isOneOff(reference) ? kindOf(reference).readRevision?.(name) : undefined;
}

function repositoryUrl(url: string): string {
  return normalizeGitUrl(url).url.replace(/\.git$/, "");
}
