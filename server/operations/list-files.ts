import { CitewellError } from "../errors.ts";
import type { FileListing, ListFilesRequest } from "../protocol/source.ts";
import type { Call, Context } from "./context.ts";
import { openOnDisk, readContext } from "./on-disk.ts";

/**
 * The entries of a folder within the search paths of a resource. The revision on disk is not refreshed.
 * @throws FileNotFound (no such folder), and as `openOnDisk`
 */
export async function listFiles(
  { resource, path, revision }: ListFilesRequest,
  { node, tenant }: Context,
  { signal }: Call,
): Promise<FileListing> {
  await using snapshot = await openOnDisk({ resource, revision }, await readContext(tenant), { signal });
  const { folder, entries, nearest } = node.retrieval.list(snapshot, { folder: path });
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
