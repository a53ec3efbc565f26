import * as vscode from "vscode";
import type { Server } from "../../context.ts";
import { toServerError } from "../../server-error.ts";
import { fileOf, scheme, type Texts } from "./texts.ts";
import { isCommitDocument } from "./uris.ts";

/** Resources at their revisions, read-only: what is there never changes, so nothing is watched. */
export function registerFileSystem({ server, texts }: { server: Server; texts: Texts }): vscode.Disposable {
  const isReadonly = new vscode.MarkdownString(
    vscode.l10n.t(
      "This file is shown as it was in the cited revision of its resource, with secrets masked. It cannot be changed here.",
    ),
  );
  return vscode.workspace.registerFileSystemProvider(scheme, createFileSystem({ server, texts }), {
    isReadonly,
    isCaseSensitive: true,
  });
}

function createFileSystem({ server, texts }: { server: Server; texts: Texts }): vscode.FileSystemProvider {
  const contentOf = async (uri: vscode.Uri) => {
    const file = fileOf(uri);
    if (file === undefined || (file.path === "" && !isCommitDocument(file)))
      throw vscode.FileSystemError.FileNotFound(uri);
    return Buffer.from((await texts.read(file)).text);
  };

  const listingOf = async (uri: vscode.Uri) => {
    const folder = fileOf(uri);
    if (folder === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    const { entries } = await server.request("listFiles", { ...folder, path: folder.path.replace(/\/$/, "") });
    return entries;
  };

  return {
    onDidChangeFile: new vscode.EventEmitter<vscode.FileChangeEvent[]>().event,
    watch: () => new vscode.Disposable(() => {}),
    async stat(uri) {
      try {
        return { type: vscode.FileType.File, size: (await contentOf(uri)).length, ...unchanging };
      } catch (reason) {
        const isFolder = await listingOf(uri).then(
          () => true,
          () => false,
        );
        if (isFolder) return { type: vscode.FileType.Directory, size: 0, ...unchanging };
        throw toFileSystemError(reason);
      }
    },
    async readFile(uri) {
      return contentOf(uri).catch((error: unknown) => {
        throw toFileSystemError(error);
      });
    },
    async readDirectory(uri) {
      const entries = await listingOf(uri).catch((error: unknown) => {
        throw toFileSystemError(error);
      });
      return entries.map(({ name, type }) => [
        name,
        type === "file" ? vscode.FileType.File : vscode.FileType.Directory,
      ]);
    },
    writeFile: refuse,
    createDirectory: refuse,
    rename: refuse,
    delete: refuse,
  };
}

const unchanging = { ctime: 0, mtime: 0, permissions: vscode.FilePermission.Readonly };

/** Not `FileNotFound`: of that an editor says no more than that there is no file. */
function toFileSystemError(error: unknown): vscode.FileSystemError {
  if (error instanceof vscode.FileSystemError) return error;
  const { message, hint } = toServerError(error);
  return vscode.FileSystemError.Unavailable(hint === undefined ? message : `${message} (${hint})`);
}

function refuse(uri: vscode.Uri): never {
  throw vscode.FileSystemError.NoPermissions(uri);
}
