import { CitewellError } from "../errors.ts";
import type { HistoryReply, HistoryRequest, PackageRelease } from "../protocol/git-history.ts";
import { isPackage } from "../protocol/kinds/package.ts";
import { type PackageType, packageReference, packageTypes } from "../protocol/kinds/names.ts";
import { isOneOff, parseReference } from "../protocol/reference.ts";
import { quoteValue } from "../protocol/validation.ts";
import type { ListedVersion } from "../resources/packages/ecosystem.ts";
import { versionOfRevision } from "../resources/packages/integrity.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { type ChangelogEntry, type InSnapshot, readChangelogs } from "../upgrade/changelog.ts";
import { compareReleases } from "../upgrade/version-numbers.ts";
import { citedPlaces } from "./cited-places.ts";
import type { Target } from "./targets.ts";

/** The most lines of the changelog for one release. */
const changesShown = 8;

export interface ReleaseServices {
  resources: Pick<Resources, "listVersions">;
  target: Target;
  /** Opens the version whose changelog is read. */
  open(target: Target): Promise<Snapshot>;
  signal: AbortSignal;
}

/** Whether the history of a snapshot is that of the releases of a package. */
export function hasReleases({ info: { type } }: Snapshot): boolean {
  return isPackage({ type });
}

/**
 * The releases of a package: those that are newer than the version in use, else the newest, each with its date and what
 * the changelog says of it. Without a registry, what the version on disk says, and why.
 * @throws InvalidRequest (a place or a text), VersionNotFound (no such release)
 */
export async function packageReleases(
  snapshot: Snapshot,
  request: HistoryRequest,
  { resources, target, open, signal }: ReleaseServices,
): Promise<HistoryReply> {
  requireReleases(snapshot, request);
  const current = versionOfRevision(snapshot.revision);
  const notes: string[] = [];
  const listed = await resources.listVersions(target, { signal }).catch((error: unknown) => {
    if (!(error instanceof CitewellError) || signal.aborted) throw error;
    notes.push(`other releases are not known: ${error.message}`);
    return undefined;
  });
  const known: readonly ListedVersion[] = listed ?? [{ version: current, date: undefined }];
  const usual = known.filter(({ version }) => version === current || !isPrerelease(version));
  const hidden = known.length - usual.length;
  if (hidden > 0) notes.push(hidden === 1 ? "1 pre-release is not listed" : `${hidden} pre-releases are not listed`);
  const chosen = chooseReleases(usual, { request, current, name: snapshot.resource });
  const shown = chosen.slice(0, request.limit);
  const newest = shown[0];
  const source = newest === undefined || newest.version === current ? snapshot : await openVersion(newest.version);
  const oldest = shown.at(-1);
  const before = oldest && usual.find(({ version }) => compareReleases(version, oldest.version) < 0);
  const { entries, sections } =
    newest === undefined
      ? { entries: [], sections: [] }
      : await readChangelogs([source], { from: before?.version ?? "0", to: newest.version }, { signal });
  if (sections.length === 0) notes.push("the package contains no changelog for these releases");
  const place = citedPlaces(({ resource }) => resource, signal);
  const isFirst = request.commit !== undefined && shown.length === chosen.length;
  const releases = await Promise.all(
    shown.map(async ({ version, date }): Promise<PackageRelease> => {
      const changes = entriesOf(version, { entries, sections });
      return {
        version,
        ...(date === undefined ? {} : { date }),
        ...(version === current ? { isCurrent: true } : {}),
        ...(isFirst && version === oldest?.version ? { isFirst: true } : {}),
        changes: await Promise.all(changes.slice(0, changesShown).map(place)),
        ...(changes.length > changesShown ? { omittedChanges: changes.length - changesShown } : {}),
      };
    }),
  );
  return {
    resource: snapshot.resource,
    revision: snapshot.revision,
    of: "releases",
    commits: [],
    releases,
    total: chosen.length,
    notes,
  };

  async function openVersion(version: string): Promise<Snapshot> {
    const { type } = snapshot.info;
    const ecosystem = packageTypes.find((one) => one === type);
    const opened = ecosystem && (await openReference(ecosystem, version));
    return opened ?? snapshot;
  }

  async function openReference(type: PackageType, version: string): Promise<Snapshot | undefined> {
    const reference = parseReference(packageReference(type, packageOf(target), version));
    if (!isOneOff(reference)) return undefined;
    return open(reference).catch((error: unknown) => {
      if (!(error instanceof CitewellError) || signal.aborted) throw error;
      notes.push(`the changelog of ${version} was not read: ${error.message}`);
      return undefined;
    });
  }
}

function packageOf(target: Target): string {
  return "package" in target ? target.package : "";
}

function requireReleases({ resource }: Snapshot, { place, text, blame }: HistoryRequest): void {
  if (place === undefined && text === undefined && blame !== true) return;
  throw new CitewellError("InvalidRequest", `${resource} is no repository: packages have releases and no commits`, {
    hint: "leave out the place and the text, or name its repository by its https git URL, or a folder",
  });
}

/** @throws VersionNotFound */
function chooseReleases(
  known: readonly ListedVersion[],
  { request, current, name }: { request: HistoryRequest; current: string; name: string },
): readonly ListedVersion[] {
  const { commit: named, since } = request;
  if (named !== undefined) {
    const wanted = named.replace(/^v(?=\d)/, "");
    const found = known.filter(({ version }) => {
      const plain = version.replace(/^v(?=\d)/, "");
      return plain === wanted || plain.startsWith(`${wanted}.`);
    });
    if (found.length > 0) return found;
    throw new CitewellError("VersionNotFound", `${name} has no release ${quoteValue(named)}`, {
      hint: `the newest is ${known[0]?.version ?? current}`,
    });
  }
  if (since !== undefined) {
    const isDate = /^\d{4}-\d\d/.test(since);
    return known.filter(({ version, date }) =>
      isDate ? date !== undefined && date > since : compareReleases(version, since) > 0,
    );
  }
  const newer = known.filter(({ version }) => compareReleases(version, current) > 0);
  return newer.length === 0 ? known : [...newer, ...known.filter(({ version }) => version === current)];
}

/** `5.0.0-beta.1`, `2.0rc1`, `1.0.dev3`, `v1.2.3-rc.1`, `6.0.0-M2`. */
function isPrerelease(version: string): boolean {
  return /\d[-.]?(?:a|b|c|rc|alpha|beta|pre|dev|m|snapshot|canary|next)[-.]?\d*(?:\W|$)|\d-(?=[a-z\d]*[a-z])(?!jre|android|final|release|ga)/i.test(
    version,
  );
}

/** The items of the section of one version. */
function entriesOf(
  version: string,
  { entries, sections }: Awaited<ReturnType<typeof readChangelogs>>,
): InSnapshot<ChangelogEntry>[] {
  const own = new RegExp(
    String.raw`(?<![\d.])v?${version.replace(/^v/, "").replace(/[.+]/g, String.raw`\$&`)}(?![\w.-]*\d)`,
  );
  return sections
    .filter(({ text }) => own.test(text))
    .flatMap((section) => {
      const next = sections
        .filter((one) => one.path === section.path && one.line > section.line)
        .reduce((least, { line }) => Math.min(least, line), Number.POSITIVE_INFINITY);
      return entries.filter(({ path, line }) => path === section.path && line > section.line && line < next);
    });
}
