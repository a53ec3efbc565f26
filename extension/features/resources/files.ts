import * as vscode from "vscode";
import type { Server } from "../../context.ts";
import { toUriParts } from "../citations/uris.ts";
import type { EntryRow, ResourceRow } from "./rows.ts";

/** The entries of a folder of a resource, folders first. @throws ServerError */
export async function listFolder(
  parent: ResourceRow | EntryRow,
  { server }: { server: Pick<Server, "request"> },
): Promise<EntryRow[]> {
  const { listing } = parent;
  const folder = parent.type === "resource" ? "" : parent.path;
  const { entries, revision } = await server.request("listFiles", { resource: listing.name, path: folder });
  const root = listing.path === null ? undefined : await rootOf(listing.path);
  return entries.map(({ name, type, sizeBytes }) => {
    const path = folder === "" ? name : `${folder}/${name}`;
    const uri =
      root === undefined
        ? vscode.Uri.from(toUriParts({ resource: listing.name, path, revision }))
        : vscode.Uri.joinPath(root, path);
    return { type, parent, listing, name, path, sizeBytes, uri };
  });
}

/** A local resource may be one file: it is then what is in its folder. */
async function rootOf(path: string): Promise<vscode.Uri> {
  const uri = vscode.Uri.file(path);
  const { type } = await vscode.workspace.fs.stat(uri);
  return (type & vscode.FileType.Directory) === 0 ? vscode.Uri.joinPath(uri, "..") : uri;
}
