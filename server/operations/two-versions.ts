import path from "node:path";
import { CitewellError } from "../errors.ts";
import type { DisposalStack } from "../lib/disposal-stack.ts";
import { normalizeGitUrl } from "../protocol/kinds/git-url.ts";
import { type PackageType, packageReference, packageTypes, withoutPrefix } from "../protocol/kinds/names.ts";
import { isPackage } from "../protocol/kinds/package.ts";
import { isOneOff, parseReference } from "../protocol/reference.ts";
import { parseTyped } from "../protocol/typed-reference.ts";
import { quoteValue } from "../protocol/validation.ts";
import { openCommitSnapshot } from "../resources/git/history/commit-snapshot.ts";
import type { HistoryRepository } from "../resources/git/history/history-repository.ts";
import { newestReleaseNamed } from "../resources/git/history/read-releases.ts";
import { resolveRevision } from "../resources/git/history/resolve-revision.ts";
import { versionOfRevision } from "../resources/packages/integrity.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { compareReleases } from "../upgrade/version-numbers.ts";
import type { Context, TenantServices } from "./context.ts";
import { knownTo } from "./known-resources.ts";
import { nameOf, selectTargets, type Target } from "./targets.ts";

/** One version of a thing, open. */
export interface OpenedVersion {
  snapshot: Snapshot;
  /** What its places name: `npm:express@5.1.0`, the name of a repository. */
  resource: string;
  /** As people know it: `5.1.0`, `v4.0.0`, `as it is now`. */
  version: string;
}

/** Two versions of one thing, open. */
export interface TwoVersions {
  /** `npm:express`, the name of a repository. */
  of: string;
  before: OpenedVersion;
  after: OpenedVersion;
}

/**
 * Opens two versions of one package, or two revisions of one repository. The second may be named by its version or revision
 * alone.
 * @throws ResourceNotFound, InvalidRequest (two different things, the same version twice, no commits), BranchNotFound (no
 * such revision), and as opening them
 */
export async function openTwoVersions(
  { before: first, after: second }: { before: string; after: string },
  { tenant }: Pick<Context, "tenant">,
  { opened, signal }: { opened: DisposalStack; signal: AbortSignal },
): Promise<TwoVersions> {
  const find = await thingFinder(tenant);
  const before = await find(first);
  if (before === undefined) throw unknownThing(first);
  const after = (await find(second)) ?? { ...before, wanted: second };
  if (identityOf(before) !== identityOf(after)) {
    throw new CitewellError("InvalidRequest", `${first} and ${second} are not two versions of one thing`, {
      hint: "name two versions of one package (npm:express@4 npm:express@5), or two revisions of one repository (. HEAD~1)",
    });
  }
  const open =
    before.type === "package" ? packageOpener(tenant, opened, signal) : repositoryOpener(tenant, opened, signal);
  const versions = { before: await open(before), after: await open(after) };
  const isSame = (key: (version: OpenedVersion) => string) => key(versions.before) === key(versions.after);
  // What is installed and what the registry has of one version are the same, whatever their checksums.
  if (before.type === "package" ? isSame(({ version }) => version) : isSame(({ snapshot }) => snapshot.revision)) {
    throw new CitewellError("InvalidRequest", `${first} and ${second} are the same: ${describe(versions.after)}`, {
      hint: "name two different versions or revisions",
    });
  }
  return { of: thingName(before), ...versions };
}

/** The first two snapshots that are versions of one thing, by the targets that they were opened for; the older one first. */
export function versionsAmong(
  snapshots: readonly Snapshot[],
  targetOf: (resource: string) => Target,
): TwoVersions | undefined {
  if (snapshots.length < 2) return undefined;
  const known = snapshots.map((snapshot) => ({ snapshot, thing: toThing(targetOf(snapshot.resource)) }));
  for (const [index, one] of known.entries()) {
    const other = known.slice(index + 1).find(({ thing }) => identityOf(thing) === identityOf(one.thing));
    if (other === undefined || other.snapshot.revision === one.snapshot.revision) continue;
    const [before, after] = [one, other].map(versionOf).toSorted((a, b) => compareReleases(a.version, b.version));
    if (before !== undefined && after !== undefined) return { of: thingName(one.thing), before, after };
  }
  return undefined;
}

function versionOf({ snapshot, thing }: { snapshot: Snapshot; thing: Thing }): OpenedVersion {
  const { resource, revision } = snapshot;
  const version =
    thing.type === "package"
      ? versionOfRevision(revision) || revision
      : (thing.wanted ?? revision.slice(0, shortLength));
  return { snapshot, resource, version };
}

function thingName(thing: Thing): string {
  return thing.type === "package" ? packageReference(thing.of, thing.package) : thing.name.replace(/(?<=.)@[^/]*$/, "");
}

function describe({ resource, version, snapshot }: OpenedVersion): string {
  const [isNamed, commit] = [resource.includes(version), snapshot.commit?.shortId];
  return isNamed ? resource : `${resource} ${version}${commit === undefined ? "" : ` (${commit})`}`;
}

/** What has versions, and which of them is wanted; without one, as it is installed, configured or open. */
type Thing = { wanted: string | undefined; target: Target } & (
  | { type: "package"; of: PackageType; package: string }
  | { type: "repository"; name: string; place: string }
);

function identityOf(thing: Thing): string {
  return thing.type === "package" ? packageReference(thing.of, thing.package) : thing.place;
}

/** Finds what a text names: a configured resource or a reference, else a dependency, perhaps with `@` and a version. */
async function thingFinder(tenant: TenantServices): Promise<(text: string) => Promise<Thing | undefined>> {
  const known = await knownTo(tenant);
  const { places, resources } = tenant;
  const dependencies = await tenant.projects.dependencies();

  function plain(text: string): Thing | undefined {
    const reference = parseReference(text);
    const isKnown = known.named.some(({ name }) => name === text);
    if (!isKnown && !isOneOff(reference)) return dependency(text);
    const [target] = selectTargets([text], known, places);
    return target && toThing(target);
  }

  function dependency(text: string): Thing | undefined {
    const type = packageTypes.find((one) => withoutPrefix(one, text) !== undefined);
    const found = (dependencies?.usable ?? []).filter(({ name }) => name === text);
    const types = [...new Set(found.map((one) => one.type))];
    if (type !== undefined || found[0] === undefined) return undefined;
    if (types.length > 1) {
      throw new CitewellError("InvalidRequest", `the project has several packages named ${quoteValue(text)}`, {
        hint: `name one: ${types.map((one) => packageReference(one, text)).join(", ")}`,
      });
    }
    const reference = parseReference(packageReference(found[0].type, found[0].package, found[0].version));
    return isOneOff(reference) ? { ...toThing(reference), wanted: undefined } : undefined;
  }

  async function isFolder(target: Target): Promise<boolean> {
    if (target.type !== "local") return true;
    const signal = new AbortController().signal;
    const snapshot = await resources.openStored(target, { signal }).catch(() => undefined);
    await snapshot?.[Symbol.asyncDispose]();
    return snapshot !== undefined;
  }

  return async (text) => {
    const isWhole = known.named.some(({ name }) => name === text) || !hasRevision.test(text);
    const whole = isWhole ? plain(text) : undefined;
    if (whole !== undefined) return whole;
    // A package names its version itself; a URL has its own `@` before the host.
    const reference = parseReference(text);
    const isOwn = isOneOff(reference) && packageTypes.some((type) => type === reference.type);
    if (isOwn) return plain(text);
    const first = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(text)?.[0].length ?? 1;
    for (let at = text.lastIndexOf("@"); at >= first; at = text.lastIndexOf("@", at - 1)) {
      const [base, wanted] = [text.slice(0, at), text.slice(at + 1)];
      const thing = wanted === "" ? undefined : plain(base);
      if (thing !== undefined && (await isFolder(thing.target))) return { ...thing, wanted };
    }
    const typed = parseTyped(text);
    return isOneOff(typed) ? plain(typed.canonical) : undefined;
  };
}

/** Whether something follows an `@` that is not the first character: `@scope/name` has none. */
const hasRevision = /.@./;

function toThing(target: Target): Thing {
  if (target.type === "git") {
    const { url, branch } = "name" in target ? target : normalizeGitUrl(target.url);
    const wanted = "name" in target ? undefined : (target.branch ?? branch);
    return { type: "repository", name: nameOf(target), place: url, target, wanted };
  }
  if (target.type === "local") {
    return { type: "repository", name: nameOf(target), place: path.resolve(target.path), target, wanted: undefined };
  }
  if (!isPackage(target)) throw unknownThing(nameOf(target));
  return { type: "package", of: target.type, package: target.package, target, wanted: target.version ?? undefined };
}

function unknownThing(text: string): CitewellError {
  return new CitewellError("ResourceNotFound", `there is no resource and no dependency ${quoteValue(text)}`, {
    hint: "name a package as npm:express@4, a repository by its name or URL with @ and a revision, a folder as .@v1",
  });
}

function packageOpener({ resources, patience }: TenantServices, opened: DisposalStack, signal: AbortSignal) {
  return async (thing: Thing): Promise<OpenedVersion> => {
    if (thing.type !== "package") throw unknownThing(thing.name);
    const { of, package: name, wanted, target } = thing;
    const reference = wanted === undefined ? target : parseReference(packageReference(of, name, wanted));
    if (reference.type === "name" || reference.type === "invalid") {
      throw new CitewellError("InvalidRequest", `${quoteValue(wanted ?? "")} is no version of ${name}`);
    }
    const snapshot = opened.use(await resources.open(reference, { signal, waitMs: patience.namedMs }));
    const version = versionOfRevision(snapshot.revision) || snapshot.revision;
    const resource = "name" in target ? `${target.name}@${version}` : packageReference(of, name, version);
    return { snapshot, version, resource };
  };
}

function repositoryOpener({ resources, patience }: TenantServices, opened: DisposalStack, signal: AbortSignal) {
  const bases = new Map<string, Promise<Snapshot>>();
  const histories = new Map<string, Promise<HistoryRepository | undefined>>();
  const waitMs = patience.namedMs;

  function openBase(target: Target): Promise<Snapshot> {
    const name = nameOf(target);
    const base = bases.get(name) ?? openNow();
    bases.set(name, base);
    return base;

    async function openNow(): Promise<Snapshot> {
      const stored = await resources.openStored(target, { signal });
      return opened.use(stored ?? (await resources.open(target, { signal, waitMs })));
    }
  }

  async function openHistory(thing: Thing & { type: "repository" }): Promise<HistoryRepository> {
    const { target, place } = thing;
    const { revision } = await openBase(target);
    const history = histories.get(place) ?? resources.openHistory(target, { revision, signal, waitMs });
    if (history !== undefined) histories.set(place, history);
    const repository = await history;
    if (repository === undefined) {
      throw new CitewellError("InvalidRequest", `${thing.name} is a part of its repository, and has no revisions`, {
        hint: "name the repository without a search path, if it is a resource too",
      });
    }
    return repository;
  }

  /** Fetched histories have the commits of one branch and the tags: another branch is a snapshot of its own. */
  async function openBranch({ target, name, place: url }: Thing & { type: "repository" }, branch: string) {
    const canonical = `${"name" in target ? name : url}@${branch}`;
    const opening = resources.open({ type: "git", canonical, url, branch }, { signal, waitMs });
    const snapshot = opened.use(
      await opening.catch((cause: unknown) => Promise.reject(notStored(branch, name, cause))),
    );
    return { snapshot, resource: canonical, version: branch };
  }

  return async (thing: Thing): Promise<OpenedVersion> => {
    if (thing.type === "package") throw unknownThing(thing.package);
    const { target, name: resource, wanted } = thing;
    if (wanted === undefined) {
      const snapshot = await openBase(target);
      const version = target.type === "local" ? "as it is now" : snapshot.revision.slice(0, shortLength);
      return { snapshot, resource, version };
    }
    const repository = await openHistory(thing);
    const found = await resolve(repository, wanted, signal).catch((error: unknown) => {
      const isUnknown = error instanceof CitewellError && error.tag === "BranchNotFound";
      if (isUnknown && target.type === "git") return undefined;
      throw error;
    });
    if (found === undefined) return openBranch(thing, wanted);
    const { commit, version } = found;
    const url = target.type === "git" ? target.url : undefined;
    const spec = { resource, type: target.type, commit, url, withFiles: true };
    const snapshot = opened.use(await openCommitSnapshot(repository, spec, { signal }));
    return { snapshot, resource, version };
  };
}

/** That the host cannot be reached does not say that the name is unknown here, which may be a spelling mistake. */
function notStored(wanted: string, name: string, cause: unknown): unknown {
  if (!(cause instanceof CitewellError)) return cause;
  if (cause.tag !== "RepositoryFailed" && cause.tag !== "RepositoryTimeout") return cause;
  return new CitewellError(
    cause.tag,
    `no commit, branch or tag ${quoteValue(wanted)} is in the history of ${name} on disk, and looking for it at its host failed: ${cause.message}`,
    { hint: "check the name, or ask again when the host can be reached", cause },
  );
}

const shortLength = 10;

/** A commit, branch or tag, else the newest release that a version names: `v4` may be the tag `v4.1.12`. */
async function resolve(
  repository: HistoryRepository,
  wanted: string,
  signal: AbortSignal,
): Promise<{ commit: string; version: string }> {
  try {
    const commit = await resolveRevision(repository, wanted, { signal });
    return { commit, version: commit.startsWith(wanted) ? commit.slice(0, shortLength) : wanted };
  } catch (error) {
    const tag = await newestReleaseNamed(repository, wanted, { timeMs: 5000, signal });
    if (tag === undefined) throw error;
    return { commit: await resolveRevision(repository, tag, { signal }), version: tag };
  }
}
