import { realpath } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { DidChangeWatchedFilesNotification, type Disposable as Registration } from "vscode-languageserver";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import type { WatchFolder } from "../../lib/watch-folder.ts";
import type { Connection } from "./connection.ts";

/** The editor's own watcher, for folders in its workspace, which it watches anyway. Without one, there are no changes. */
export function createFolderWatch(connection: Connection, { log }: { log: Log }): WatchFolder {
  const watched = new Map<string, Watched>();
  connection.onDidChangeWatchedFiles(({ changes }) => {
    const changed = changes.filter(({ uri }) => uri.startsWith("file:")).map(({ uri }) => fileURLToPath(uri));
    for (const { place, onChange } of watched.values()) {
      const files = place === undefined ? [] : changed.map((file) => relativeBelow(place, file));
      const below = files.filter((file) => file !== undefined);
      if (below.length > 0) onChange(below);
    }
  });

  async function register(folder: string, entry: Watched): Promise<Registration | undefined> {
    entry.place = await placeInWorkspace(folder, connection);
    if (entry.place === undefined) return undefined;
    const globPattern = { baseUri: pathToFileURL(entry.place).href, pattern: "**/*" };
    return connection.client.register(DidChangeWatchedFilesNotification.type, { watchers: [{ globPattern }] });
  }

  return (folder, onChange) => {
    const entry: Watched = { onChange, place: undefined };
    watched.set(folder, entry);
    const registering = register(folder, entry).catch((error: unknown) => {
      log.debug("folder-not-watched", { folder, error: messageOf(error) });
      return undefined;
    });
    return {
      [Symbol.dispose]() {
        if (watched.get(folder) === entry) watched.delete(folder);
        void registering.then((registration) => registration?.dispose());
      },
    };
  };
}

interface Watched {
  /** As the editor names the folder, which may lead there by links. */
  place: string | undefined;
  onChange: (files: readonly string[]) => void;
}

/** Undefined where the folder lies elsewhere. */
async function placeInWorkspace(folder: string, connection: Connection): Promise<string | undefined> {
  const roots = (await connection.workspace.getWorkspaceFolders()) ?? [];
  for (const { uri } of roots) {
    if (!uri.startsWith("file:")) continue;
    const root = fileURLToPath(uri);
    const real = await realpath(root).catch(() => undefined);
    const below = real === undefined ? undefined : relativeBelow(real, folder);
    if (below !== undefined) return path.join(root, below);
  }
  return undefined;
}

/** With forward slashes, "" for the folder itself; undefined where it is not below it. */
function relativeBelow(folder: string, file: string): string | undefined {
  const relative = path.relative(folder, file);
  const isElsewhere = relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return isElsewhere ? undefined : relative.split(path.sep).join("/");
}
