import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { describeLocalMounts } from "../../server/lib/local-mounts.ts";
import { createFolderFollower, type FolderFollower } from "../../server/resources/folder-follower.ts";
import { createLocal } from "../../server/resources/local/local.ts";
import type { Snapshot } from "../../server/resources/snapshot.ts";
import type { FolderMemory } from "../../server/resources/walk.ts";
import { type Folder, temporaryFolder } from "./folder.ts";

const signal = new AbortController().signal;

/** Whether this system can follow folders. Where it cannot, each question looks over the folder. */
export const canFollow = describeLocalMounts(realpathSync(".")) !== undefined;

type Found = Pick<Snapshot, "files" | "skipped" | "revision">;

/** A temporary folder that is followed. */
export interface FollowedTestFolder extends AsyncDisposable {
  folder: Folder;
  follower: FolderFollower;
  /** Opens the folder and returns the directories that were read for it, sorted; `everything` without a memory. */
  ask(options?: { signal?: AbortSignal; path?: string }): Promise<string[]>;
  /** The text of a file in the snapshot of a new question. */
  read(file: string): Promise<string>;
  /** What a question finds. */
  open(): Promise<Found>;
  /** What it finds without a follower. */
  lookOver(): Promise<Found>;
}

/** Follows a temporary folder with the files of a fixture string. */
export async function followFolder(
  source: string,
  options: Parameters<typeof createFolderFollower>[0] & { path?: string } = {},
): Promise<FollowedTestFolder> {
  const folder = await temporaryFolder(source);
  const follower = createFolderFollower(options);
  let directoriesRead: string[] = [];
  const recording: FolderFollower = {
    ...follower,
    look: (root, lookOver, options) =>
      follower.look(
        root,
        (memory) => {
          if (memory === undefined) directoriesRead.push("everything");
          return lookOver(memory && recordReads(memory, directoriesRead));
        },
        options,
      ),
  };
  const location = { workingDirectory: folder.path, homeDirectory: folder.path };
  const followed = createLocal({ ...location, follower: recording });
  const lookedOver = createLocal(location);
  const spec = { name: "demo", path: options.path ?? "." };
  const find = async (local: typeof followed): Promise<Found> => {
    const { files, skipped, revision } = await local.open(spec, { signal });
    return { files, skipped, revision };
  };
  return {
    folder,
    follower,
    async ask({ signal: own = signal, path: asked = spec.path } = {}) {
      directoriesRead = [];
      await followed.open({ ...spec, path: asked }, { signal: own });
      return directoriesRead.toSorted();
    },
    async read(file) {
      const snapshot = await followed.open(spec, { signal });
      return (await snapshot.read(file)).text;
    },
    open: () => find(followed),
    lookOver: () => find(lookedOver),
    async [Symbol.asyncDispose]() {
      follower[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function recordReads(memory: FolderMemory, directoriesRead: string[]): FolderMemory {
  return {
    ...memory,
    recall(directory) {
      const content = memory.recall(directory);
      if (content === undefined) directoriesRead.push(directory);
      return content;
    },
  };
}

/** The folders among those given that the kernel watches for a process; default: this one. */
export function watchedAmong(folders: readonly string[], processId?: number): string[] {
  const watched = watchedInodes(`/proc/${processId ?? "self"}`);
  return folders.filter((folder) => watched.has(statSync(folder).ino));
}

/** See "fdinfo" in https://man7.org/linux/man-pages/man7/inotify.7.html. */
function watchedInodes(process: string): Set<number> {
  const inodes = new Set<number>();
  for (const descriptor of canFollow ? readdirSync(path.join(process, "fd")) : []) {
    if (linkOf(path.join(process, "fd", descriptor)) !== "anon_inode:inotify") continue;
    const lines = readFileSync(path.join(process, "fdinfo", descriptor), "utf8").matchAll(/^inotify .*\bino:(\w+)/gm);
    for (const [, inode = ""] of lines) inodes.add(Number.parseInt(inode, 16));
  }
  return inodes;
}

function linkOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}
