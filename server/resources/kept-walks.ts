import { realpath, stat } from "node:fs/promises";
import { debounce } from "../lib/debounce.ts";
import { createSharedTasks } from "../lib/shared-tasks.ts";
import { resolveSearchPaths } from "./search-paths.ts";
import { type Exclude, type Walk, walkTree } from "./walk.ts";

/** The files of a folder, with its real path. */
export interface FolderWalk extends Walk {
  root: string;
}

/** The part of a folder to walk. */
export interface FolderWalkOptions {
  /** Folders or files to read, relative to the folder. Default: everything. */
  searchPaths?: readonly string[] | undefined;
  exclude?: Exclude | undefined;
  signal?: AbortSignal | undefined;
}

/** Finds the files of a folder. @throws SearchPathNotFound */
export type WalkFolder = (folder: string, options: FolderWalkOptions) => Promise<FolderWalk>;

/** Walks a folder. @throws SearchPathNotFound */
export async function walkFolder(
  folder: string,
  { searchPaths = [], exclude, signal }: FolderWalkOptions,
): Promise<FolderWalk> {
  const root = await realpath(folder);
  const below = await resolveSearchPaths(root, searchPaths);
  return { root, ...(await walkTree(root, { below, exclude, signal })) };
}

/** A file takes about half a kilobyte. */
const keptFiles = 60_000;
/** After the last question, as `keptMs` of the indexes. */
const keptMs = 10_000;

/**
 * Caches walks of folders that do not change, while they are read and for some seconds after. `exclude` must always be the
 * same for a folder.
 */
export function createKeptWalks(): WalkFolder {
  const kept = new Map<string, FolderWalk>();
  const asked = debounce(keptMs, () => kept.clear());
  const tasks = createSharedTasks<FolderWalk, never>();

  function keep(key: string, walk: FolderWalk): FolderWalk {
    asked();
    kept.delete(key);
    kept.set(key, walk);
    let files = 0;
    for (const one of kept.values()) files += one.files.length;
    for (const [oldest, one] of kept) {
      if (kept.size === 1 || files <= keptFiles) break;
      kept.delete(oldest);
      files -= one.files.length;
    }
    return walk;
  }

  return async (folder, { signal, ...options }) => {
    // Not by path alone: a folder that was removed and fetched again is a different one, even at the same revision.
    const { ino, ctimeMs } = await stat(folder);
    const key = JSON.stringify([folder, ino, ctimeMs, ...(options.searchPaths ?? [])]);
    const walk =
      kept.get(key) ?? (await tasks.run(key, (task) => walkFolder(folder, { ...options, ...task }), { signal }));
    return keep(key, walk);
  };
}
