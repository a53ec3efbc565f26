import path from "node:path";
import type { CitationState } from "../protocol/citation.ts";
import { decodePath, encodeName } from "../protocol/passage.ts";
import { isAbsolutePath } from "../protocol/resource-fields.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { CitedFile, CitedPlace, CitedResources, Opened, OpenFailure } from "./cited-resources.ts";
import { type Claim, looksLikeFile, type PathClaim } from "./find.ts";
import { findInProject } from "./project-paths.ts";
import { createSources, mayHaveCommits, type Sources } from "./sources.ts";

/** The file that a citation means, or why there is none. Of a commit itself, its snapshot and an empty path. */
export type Resolution = (CitedFile & { citedRevision?: string | undefined }) | Fault;

export interface Fault {
  type: "fault";
  state: Extract<CitationState, "missing" | "not-read" | "ambiguous">;
  reason: string;
  /** Empty where none is named. */
  resource: string;
  path: string;
  /** The revision that is cited, if it is not that of the resource's snapshot. */
  commit?: { id: string } | undefined;
}

type LocatedClaim = Exclude<Claim, { type: "marker" }>;

export interface Resolver {
  /** Undefined where the claim is no citation after all. */
  claim(claim: LocatedClaim): Promise<Resolution | undefined>;
  /** `resource@revision`; undefined where it is none, such as an address. */
  commit(target: string): Promise<Resolution | undefined>;
  /** What a marker names: `resource[@revision]:path`, or a path alone. */
  target(target: string): Promise<Resolution>;
  sourcesOf(snapshot: Snapshot): Sources;
}

/**
 * Resolves citations. A citation that names a resource is looked up only there. A bare path is looked up in the document's
 * project, and only if it is missing there, in the other resources, where exactly one must have it.
 */
export function createResolver(cited: CitedResources): Resolver {
  const sources = new Map<Snapshot, Sources>();
  const sourcesOf = (snapshot: Snapshot): Sources => {
    const known = sources.get(snapshot) ?? createSources([snapshot]);
    sources.set(snapshot, known);
    return known;
  };
  /** The path as the snapshot has it; it may be written percent-encoded. */
  const has = (snapshot: Snapshot, file: string): string | undefined => {
    const found = sourcesOf(snapshot).findHere(`${encodeName(snapshot.resource)}:${file}`);
    return found.type === "file" && found.written === undefined ? found.path : undefined;
  };
  /** The end of a path that one file of the snapshot has; the check of the citation finds the whole path. */
  const hasEnd = (snapshot: Snapshot, file: string): string | undefined => {
    const found = sourcesOf(snapshot).findHere(`${encodeName(snapshot.resource)}:${file}`);
    return found.type === "file" ? found.written : undefined;
  };

  async function findNamed(target: string): Promise<Resolution | undefined> {
    for (const { name, revision, file } of splitsOf(target)) {
      const opened = await cited.named(name, { path: file, revision });
      if (opened !== undefined) return inOpened(opened, { path: file, revision });
    }
    return undefined;
  }

  function inOpened(opened: Opened | undefined, { path: file, revision }: CitedPlace): Resolution {
    if (opened === undefined) return fault("missing", "no such resource", { path: file });
    if (opened.type === "failed") return { ...failed(opened, file), ...atRevision(revision) };
    const { snapshot } = opened;
    const { commit, resource } = snapshot;
    if (file === "") {
      if (commit !== undefined) return { type: "file", snapshot, path: "" };
      return fault("missing", `${resource} has no commits`, { resource, path: "", at: revision });
    }
    const found = has(snapshot, encodeName(file)) ?? has(snapshot, file) ?? hasEnd(snapshot, encodeName(file));
    const at = commit === undefined ? "" : ` at ${commit.shortId}`;
    if (found === undefined)
      return fault("missing", `no such file${at}`, { resource, path: file, at: commit?.shortId });
    return { type: "file", snapshot, path: found, ...(commit === undefined ? { citedRevision: revision } : {}) };
  }

  async function findPath(written: string, { isLink, isCertain }: { isLink: boolean; isCertain: boolean }) {
    const file = decodePath(written);
    const onDisk = await findOnDisk(file);
    if (onDisk !== undefined) return onDisk;
    if (isCertain && isBesideOnDisk(file)) return fault("missing", "no such file", { path: file });
    const own = await cited.own();
    if (own?.type === "failed") return isCertain ? failed(own, file) : undefined;
    const snapshot = own?.snapshot;
    const found = snapshot && findInProject(file, { snapshot, folder: cited.folder, isLink, has });
    if (snapshot !== undefined && found !== undefined) {
      if (typeof found === "string") return { type: "file", snapshot, path: found } as const;
      return fault("ambiguous", `it may be ${found.join(" or ")}`, { resource: snapshot.resource, path: file });
    }
    return findInOthers(file, { own: snapshot, isCertain });
  }

  /** An absolute path, an installed package, or a file beside a document that belongs to no project. */
  async function findOnDisk(file: string): Promise<Resolution | undefined> {
    const { folder } = cited;
    if (isAbsolute(file)) return toResolution(await cited.onDisk(file), file);
    if (folder === undefined || (cited.areNamed && !isInstalled(file))) return undefined;
    const own = await cited.own();
    const directory = own?.type === "snapshot" ? own.snapshot.info.directory : undefined;
    const isOutside = directory === undefined || !isWithin(path.resolve(folder, file), directory);
    const mayBePackage = isInstalled(file) || /(?:^|\/)vendor\/[^/]+\/[^/]+\//.test(file);
    const places = mayBePackage && directory !== undefined ? [folder, directory] : [folder];
    if (!mayBePackage && !isOutside) return undefined;
    for (const place of new Set(places)) {
      const found = await cited.onDisk(path.resolve(place, file));
      if (found !== undefined) return toResolution(found, file);
    }
    return undefined;
  }

  /** Resources are not fetched for what may be no citation. */
  async function findInOthers(
    file: string,
    { own, isCertain }: { own: Snapshot | undefined; isCertain: boolean },
  ): Promise<Resolution | undefined> {
    if (!isCertain && !cited.areNamed) return undefined;
    const others = await cited.others();
    const opened = others.flatMap((other) => (other.type === "snapshot" ? [other.snapshot] : []));
    const found = opened.flatMap((snapshot): CitedFile[] => {
      const known = has(snapshot, file);
      return known === undefined ? [] : [{ type: "file", snapshot, path: known }];
    });
    const closed = others.flatMap((other) => (other.type === "failed" ? [other] : []));
    const [only, second] = found;
    if (second !== undefined) return ambiguous(found, file);
    if (closed.length > 0) return isCertain ? unknownOwner(only, { closed, path: file }) : undefined;
    if (only !== undefined) return only;
    const looked = [...(own === undefined ? [] : [own]), ...opened].map(({ resource }) => resource);
    const reason = looked.length === 0 ? "there is no resource to look in" : `no such file in ${looked.join(", ")}`;
    return isCertain ? fault("missing", reason, { path: file }) : undefined;
  }

  async function findTarget(target: string, options: Pick<PathClaim, "isCertain" | "isLink">) {
    const onDisk = isAbsolute(target) || !target.includes(":") ? await findPath(target, options) : undefined;
    if (onDisk?.type === "file" || !target.includes(":")) return onDisk;
    const named = await findNamed(target);
    if (named !== undefined || isAbsolute(target)) return named ?? onDisk;
    const { prefix, file } = splitLast(target);
    if (words.has(prefix.toLowerCase())) return findPath(file, { ...options, isCertain: looksLikeFile(file) });
    const reason = `no resource named “${prefix}”`;
    return options.isCertain ? fault("missing", reason, { resource: prefix, path: file }) : undefined;
  }

  return {
    sourcesOf,
    async commit(target) {
      const at = target.lastIndexOf("@");
      const [name, revision] = [decodePath(target.slice(0, at)), decodePath(target.slice(at + 1))];
      if (at <= 0 || revision === "" || /[/:]$/.test(name) || revision.includes(":")) return undefined;
      const opened = await cited.named(name, { path: "", revision });
      // A package has no commits: this is its name.
      if (opened?.type === "snapshot" && !mayHaveCommits(opened.snapshot)) return undefined;
      if (opened !== undefined) return inOpened(opened, { path: "", revision });
      if (!isCommit(revision)) return undefined;
      return fault("missing", `no resource named “${name}”`, { resource: name, path: "", at: revision });
    },
    async target(target) {
      const found = await findTarget(target, { isCertain: true, isLink: false });
      return found ?? fault("missing", "no such file", { path: target });
    },
    async claim(claim) {
      switch (claim.type) {
        case "path":
          return findTarget(claim.target, claim);
        case "file":
          return (
            toResolution(await cited.onDisk(claim.path), claim.path) ??
            fault("missing", "no such file", { path: claim.path })
          );
        case "citewell": {
          const opened = await cited.named(claim.resource, claim);
          if (opened !== undefined) return inOpened(opened, claim);
          return fault("missing", `no resource named “${claim.resource}”`, claim);
        }
        case "permalink": {
          const revision = isCommit(claim.revision) ? claim.revision : undefined;
          const opened = await cited.repository(claim.url, claim);
          const found = inOpened(opened, { path: claim.path, revision });
          return found.type === "fault" && found.resource === "" ? { ...found, resource: claim.url } : found;
        }
      }
    },
  };
}

/** Words that come before a path and are no resource's name. */
const words: ReadonlySet<string> = new Set("at in see from file path source error warning note".split(" "));

/** Whether a revision looks like a commit id. */
export function isCommit(revision: string): boolean {
  return /^[0-9a-f]{7,64}$/.test(revision);
}

/** A path of this computer; `/src/a.ts` may also be one from a project's root. */
function isAbsolute(target: string): boolean {
  return isAbsolutePath(target) ? /^(?:[/\\]|[a-zA-Z]:[/\\])/.test(target) : target.startsWith("~/");
}

function isInstalled(file: string): boolean {
  return /(?:^|\/)node_modules\//.test(file);
}

/** Whether a path that is not on disk is surely nowhere else. */
function isBesideOnDisk(file: string): boolean {
  return isInstalled(file) || /^(?:~\/|[a-zA-Z]:)/.test(file);
}

/** Whether a file is inside a directory; both are absolute. */
export function isWithin(file: string, directory: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/**
 * The ways to read `resource[@revision]:path`, the longest name first: names may hold `:`, `@` and `/` themselves, and
 * are written encoded or not.
 */
function splitsOf(target: string): { name: string; revision: string | undefined; file: string }[] {
  const colons = [...target.matchAll(/:/g)].map(({ index }) => index).toReversed();
  return colons.flatMap((colon) => {
    const [name, file] = [decodePath(target.slice(0, colon)), decodePath(target.slice(colon + 1))];
    if (name === "" || file === "") return [];
    const at = name.lastIndexOf("@");
    const whole = { name, revision: undefined, file };
    if (at <= 0 || name[at - 1] === ":" || name[at - 1] === "/") return [whole];
    const split = { name: name.slice(0, at), revision: name.slice(at + 1), file };
    const isRevision = isCommit(split.revision) || /\+[0-9a-f]{6,}$/.test(split.revision);
    return isRevision ? [split, whole] : [whole, split];
  });
}

function splitLast(target: string): { prefix: string; file: string } {
  const colon = target.lastIndexOf(":");
  return { prefix: decodePath(target.slice(0, colon)), file: target.slice(colon + 1) };
}

function fault(
  state: Fault["state"],
  reason: string,
  { resource = "", path: file, at }: { resource?: string; path: string; at?: string | undefined },
): Fault {
  return { type: "fault", state, reason, resource, path: file, ...atRevision(at) };
}

function atRevision(revision: string | undefined): Pick<Fault, "commit"> {
  return revision === undefined ? {} : { commit: { id: revision } };
}

function failed({ resource, reason, isGone }: OpenFailure, file: string): Fault {
  if (isGone) return fault("missing", reason, { resource, path: file });
  return fault("not-read", `not checked: ${resource} could not be opened: ${reason}`, { resource, path: file });
}

function toResolution(found: CitedFile | OpenFailure | undefined, file: string): Resolution | undefined {
  return found?.type === "failed" ? failed(found, file) : found;
}

function ambiguous(found: readonly CitedFile[], file: string): Fault {
  const names = found.map(({ snapshot }) => snapshot.resource);
  const reason = `${names.join(", ")} have this file; write the resource before it, as in ${names[0] ?? ""}:${file}`;
  return fault("ambiguous", reason, { path: file });
}

/** With a resource closed, the one that has the file may not be the one that is meant. */
function unknownOwner(
  only: CitedFile | undefined,
  { closed, path: file }: { closed: readonly OpenFailure[]; path: string },
): Fault {
  const names = closed.map(({ resource }) => resource).join(", ");
  const found = only === undefined ? "" : `${only.snapshot.resource} has this file, but `;
  return fault("not-read", `not checked: ${found}${names} could not be opened`, { path: file });
}
