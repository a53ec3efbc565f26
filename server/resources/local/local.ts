import { access, constants, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { CitewellError, codeOf } from "../../errors.ts";
import { toAbsolutePath } from "../../lib/absolute-path.ts";
import { type ContentRevisions, createContentRevisions } from "../content-revision.ts";
import type { FolderFollower } from "../folder-follower.ts";
import type { Look, LookOver } from "../followed-folder.ts";
import { createIgnoreRules, isInRepository } from "../ignore-rules.ts";
import type { Snapshot } from "../snapshot.ts";
import type { StoredState } from "../source-store.ts";
import { snapshotOf } from "../tree.ts";
import { isUnchanged, walkTree } from "../walk.ts";

/** A folder (or one file) to read, with its name in answers. */
export interface LocalSpec {
  name: string;
  /** Absolute, relative to the working directory, or below `~`. */
  path: string;
  notes?: string | null | undefined;
}

/** Opens local folders. */
export interface Local {
  /**
   * The folder in its current state, with uncommitted edits, without ignored files.
   * @throws PathNotFound
   */
  open(spec: LocalSpec, options: { signal: AbortSignal }): Promise<Snapshot>;
  describe(spec: LocalSpec): Promise<StoredState>;
}

/** The dependencies of `createLocal`. */
export interface LocalOptions {
  /** Default: a new one. */
  revisions?: ContentRevisions;
  follower?: FolderFollower | undefined;
  /** The base of relative paths. */
  workingDirectory: string;
  homeDirectory: string;
  /** The user's environment, for git. Default: none, so git is not found. */
  environment?: Readonly<Record<string, string>>;
}

/** Reads folders in place. */
export function createLocal({
  revisions = createContentRevisions(),
  follower,
  workingDirectory,
  homeDirectory,
  environment = {},
}: LocalOptions): Local {
  function look(place: Place, signal: AbortSignal): Promise<Look> {
    const { root, below } = place;
    const lookOver: LookOver = async (memory) => {
      const exclude = createIgnoreRules(root, await trackedIn(root, signal));
      const walk = await walkTree(root, { below, exclude, memory, signal });
      return { walk, hash: await revisions.of(root, walk.files, { place: place.path, signal }) };
    };
    if (follower === undefined || place.kind === "file") return lookOver(undefined);
    return follower.look(root, lookOver, { signal });
  }

  async function trackedIn(root: string, signal: AbortSignal): Promise<readonly string[]> {
    if (!isInRepository(root)) return [];
    const { trackedIgnored } = await import("../git/tracked-ignored.ts");
    return trackedIgnored(root, { environment, signal });
  }

  /** Where a file has changed without an event, the next question sees it. */
  async function readChecked(snapshot: Snapshot, ...[filePath, options]: Parameters<Snapshot["read"]>) {
    try {
      return await snapshot.read(filePath, options);
    } catch (error) {
      const file = snapshot.tree?.fileOf(filePath);
      if (snapshot.tree !== undefined && file !== undefined && !isUnchanged(snapshot.tree.root, file))
        follower?.distrust(snapshot.tree.root);
      throw error;
    }
  }

  const absolute = (spec: LocalSpec) => toAbsolutePath(spec.path, { folder: workingDirectory, homeDirectory });
  return {
    async open(spec, { signal }) {
      const place = await findPlace(absolute(spec), spec);
      const { walk, hash } = await look(place, signal);
      // The prefix distinguishes it from a commit. It has no colon, which would end the revision in a citation's
      // marker.
      const revision = `content-${hash}`;
      const label = `local ${place.kind} ${belowHome(spec.path, homeDirectory)} (working copy)`;
      const snapshot = snapshotOf(place.root, walk, {
        info: { resource: spec.name, type: "local", revision, label, fetchedAt: null },
        notes: spec.notes,
        isLiving: true,
      });
      return { ...snapshot, read: (file, options) => readChecked(snapshot, file, options) };
    },
    async describe(spec) {
      const stats = await stat(absolute(spec)).catch(() => undefined);
      const state = stats === undefined ? "absent" : "ready";
      return { state, revision: null, fetchedAt: null, sizeBytes: null, fileCount: null, failure: null };
    },
  };
}

/** The path with `~` for the home directory. */
function belowHome(written: string, homeDirectory: string): string {
  const isBelow = written.startsWith(`${homeDirectory}${path.sep}`);
  return isBelow ? `~${written.slice(homeDirectory.length)}` : written;
}

interface Place {
  /** A real path. */
  path: string;
  /** The folder, or the folder of the file. */
  root: string;
  below: string[];
  kind: "folder" | "file";
}

/** A file is read as its folder, restricted to that file. */
async function findPlace(absolute: string, spec: LocalSpec): Promise<Place> {
  try {
    const real = await realpath(absolute);
    const stats = await stat(real);
    await access(real, constants.R_OK);
    if (stats.isDirectory()) return { path: real, root: real, below: [""], kind: "folder" };
    const [folder, name] = [path.dirname(real), path.basename(real)];
    if (stats.isFile()) return { path: real, root: folder, below: [name], kind: "file" };
  } catch (error) {
    throw pathNotFound(absolute, spec, error);
  }
  throw new CitewellError("PathNotFound", `${absolute} is neither a folder nor a file`);
}

function pathNotFound(absolute: string, spec: LocalSpec, cause: unknown): CitewellError {
  const code = codeOf(cause);
  const denied = code === "EACCES" || code === "EPERM";
  const message = denied ? `no permission to read ${absolute}` : `there is no folder ${absolute}`;
  const hint = denied ? "give yourself access to it" : hintFor(absolute, spec);
  return new CitewellError("PathNotFound", message, { hint, cause });
}

/** A one-off reference has its path as its name. */
function hintFor(absolute: string, { name, path: written }: LocalSpec): string {
  if (name !== written) return `correct the path of ${name} in the configuration`;
  const resolved = written === absolute ? "" : `${written} was resolved to this path; `;
  return `${resolved}give an existing folder, a configured name, an HTTPS git URL or npm:<package>`;
}
