import { nearest } from "../lib/nearest.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Listing } from "./retrieval.ts";

/** The direct entries of a folder. A path of a file lists that file. */
export function listFolder({ files }: Snapshot, { folder: asked }: { folder: string }): Listing {
  const folder = asked
    .trim()
    .replaceAll("\\", "/")
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .join("/");
  const entries = new Map<string, Listing["entries"][number]>();
  const prefix = folder === "" ? "" : `${folder}/`;
  for (const { path, sizeBytes } of files) {
    if (!path.startsWith(prefix) && path !== folder) continue;
    const [name = "", ...rest] = path.slice(path === folder ? path.lastIndexOf("/") + 1 : prefix.length).split("/");
    const entry = entries.get(name) ?? { name, type: rest.length > 0 ? "folder" : "file", sizeBytes: 0, fileCount: 0 };
    entries.set(name, { ...entry, sizeBytes: entry.sizeBytes + sizeBytes, fileCount: entry.fileCount + 1 });
  }
  const sorted = [...entries.values()].sort(
    (a, b) => Number(a.type === "file") - Number(b.type === "file") || (a.name < b.name ? -1 : 1),
  );
  return { folder, entries: sorted, nearest: sorted.length > 0 ? [] : nearestPaths(files, folder) };
}

/** Folders and files whose last name comes close to the last one asked for. */
function nearestPaths(files: Snapshot["files"], asked: string): string[] {
  const byName = new Map<string, string>();
  for (const { path } of files) {
    const segments = path.split("/");
    for (const [depth, name] of segments.entries()) {
      if (!byName.has(name)) byName.set(name, segments.slice(0, depth + 1).join("/"));
    }
  }
  return nearest(asked.slice(asked.lastIndexOf("/") + 1), byName.keys(), { limit: 5 }).flatMap(
    (name) => byName.get(name) ?? [],
  );
}
