import path from "node:path";
import { type Citation, isProved, type LineRange } from "../protocol/citation.ts";
import { encodeName, type Marker } from "../protocol/passage.ts";
import type { VerifiedCitation } from "../protocol/verify.ts";
import { parsePermalink } from "../resources/git/permalink.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { type Claim, findCitations } from "./find.ts";
import { readMarkers } from "./read-markers.ts";
import { createSources, type Sources } from "./sources.ts";
import { verifyCitation } from "./verify.ts";

export interface VerifyTextOptions {
  snapshots: readonly Snapshot[];
  /** The repository of a resource at another commit that is cited; undefined where it cannot be had. */
  openAt: (resource: string, commit: string) => Promise<Snapshot | undefined>;
  signal: AbortSignal;
}

/**
 * Checks what any text cites, as `checkCitations` does for an answer; but nothing was shown to anyone, so every line
 * counts as shown. A permanent link is checked at the commit that it names.
 */
export async function verifyText(text: string, options: VerifyTextOptions): Promise<VerifiedCitation[]> {
  const { snapshots, openAt, signal } = options;
  const sources = createSources(snapshots);
  const verified: VerifiedCitation[] = [];
  for (const { line, text: written, claim } of findCitations(text)) {
    for (const readings of await readClaim(claim, { snapshots, sources, openAt })) {
      const citation = await verifyBest(readings, `c${verified.length + 1}`, signal);
      verified.push({ ...citation, at: { line, text: written } });
    }
  }
  return verified;
}

/** Something to check, and among what. */
interface Reading {
  marker: Marker;
  sources: Sources;
}

/** One or more citations, each with all that it may mean; none where the claim is no citation after all. */
async function readClaim(
  claim: Claim,
  { snapshots, sources, openAt }: Pick<VerifyTextOptions, "snapshots" | "openAt"> & { sources: Sources },
): Promise<Reading[][]> {
  if (claim.type === "marker") return readMarkers(claim.body, sources).map((marker) => [{ marker, sources }]);
  const named = (resource: string, file: string): Marker =>
    toMarker(`${encodeName(resource)}:${encodeName(file)}`, claim);
  switch (claim.type) {
    case "path": {
      const { target } = claim;
      const exact = toMarker(target, claim);
      const namesResource = snapshots.some(({ resource }) => target.startsWith(`${resource}:`));
      if (namesResource || sources.find(target).type === "file") return [[{ marker: exact, sources }]];
      const bare = withoutPrefix(target);
      const owned = snapshots.map(({ resource }) => named(resource, bare));
      const known = owned.filter((marker) => sources.find(marker.target).type === "file");
      if (known.length > 0) return [known.map((marker) => ({ marker, sources }))];
      return claim.isCertain ? [[{ marker: exact, sources }]] : [];
    }
    case "file": {
      const own = snapshots.find(({ info }) => info.directory !== undefined && isWithin(claim.path, info.directory));
      const file = own?.info.directory === undefined ? claim.path : path.relative(own.info.directory, claim.path);
      const marker = own === undefined ? named("", file) : named(own.resource, file.split(path.sep).join("/"));
      return [[{ marker, sources: own === undefined ? nothing : sources }]];
    }
    case "citewell": {
      const target = `${encodeName(claim.resource)}@${claim.revision}:${encodeName(claim.path)}`;
      return [[{ marker: toMarker(target, claim), sources }]];
    }
    case "permalink": {
      const own = snapshots.find((snapshot) => repositoryOf(snapshot) === claim.url.replace(/\.git$/, ""));
      if (own === undefined) return [[{ marker: named(claim.url, claim.path), sources: nothing }]];
      const isCommit = /^[0-9a-f]{7,64}$/.test(claim.revision);
      if (!isCommit) return [[{ marker: named(own.resource, claim.path), sources }]];
      const cited = `${encodeName(own.resource)}@${claim.revision}:${encodeName(claim.path)}`;
      const other = own.revision.startsWith(claim.revision) ? undefined : await openAt(own.resource, claim.revision);
      return [[{ marker: toMarker(cited, claim), sources: other === undefined ? sources : createSources([other]) }]];
    }
  }
}

/** For what belongs to none of the resources: its path must not be looked for in them. */
const nothing = createSources([]);

function toMarker(target: string, { startLine, endLine }: LineRange): Marker {
  return { target, startLine, endLine };
}

/** `at:src/a.ts` without what only looks like a resource's name. */
function withoutPrefix(target: string): string {
  return target.slice(target.lastIndexOf(":") + 1);
}

function isWithin(file: string, directory: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
}

/** The snapshot's own links say which repository it is of. */
function repositoryOf(snapshot: Snapshot): string | undefined {
  const link = snapshot.permalink("a", { startLine: 1, endLine: 1 });
  return link === undefined ? undefined : parsePermalink(link)?.url;
}

const everythingShown = { shown: () => [{ startLine: 1, endLine: Number.MAX_SAFE_INTEGER }] };

/** The first reading that stands, else the first. */
async function verifyBest(readings: readonly Reading[], id: string, signal: AbortSignal): Promise<Citation> {
  const checked: Citation[] = [];
  for (const { marker, sources } of readings) {
    const { citation } = await verifyCitation(marker, { id, sources, ledger: everythingShown, signal });
    if (isProved(citation)) return citation;
    checked.push(citation);
  }
  const [first] = checked;
  if (first === undefined) throw new RangeError("a citation without a reading");
  return first.resource === "" ? { ...first, reason: "no such file in the resources" } : first;
}
