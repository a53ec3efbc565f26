import { CitewellError } from "../errors.ts";
import type { FileListing, ListFilesRequest } from "../protocol/source.ts";
import type { Retrieval } from "../retrieval/retrieval.ts";
import { type OnDiskContext, openOnDisk } from "./read.ts";

/**
 * What is directly in a folder of a resource, of what its search paths let through. What is on disk is not refreshed
 * for it.
 * @throws FileNotFound (no such folder), and as `openOnDisk`
 */
export async function listFiles(
  { resource, path, revision }: ListFilesRequest,
  context: OnDiskContext & { retrieval: Pick<Retrieval, "list"> },
  { signal }: { signal: AbortSignal },
): Promise<FileListing> {
  await using snapshot = await openOnDisk({ resource, revision }, context, { signal });
  const { folder, entries, nearest } = context.retrieval.list(snapshot, { folder: path });
  const isFolder = folder === "" || snapshot.files.some((file) => file.path.startsWith(`${folder}/`));
  if (!isFolder) {
    throw new CitewellError("FileNotFound", `no folder ${JSON.stringify(path)} in ${resource}`, {
      hint: nearest.length > 0 ? `there is ${nearest.join(", ")}` : "paths are relative to the resource's root",
    });
  }
  const listed = entries.map(({ name, type, sizeBytes }) => ({
    name,
    type,
    sizeBytes: type === "file" ? sizeBytes : null,
  }));
  return { resource, revision: snapshot.revision, entries: listed };
}
