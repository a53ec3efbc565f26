import { fileURLToPath } from "node:url";
import type { ClientCapabilities, ServerCapabilities, WorkspaceFolder } from "vscode-languageserver";
import type { Connection } from "./connection.ts";

/** The folders that the editor has open, as it adds and removes them. Those that are on no disk are ignored. */
export interface OpenFolders {
  capabilities: ServerCapabilities;
  /** The folders of `initialize`. */
  begin(folders: readonly WorkspaceFolder[], client: ClientCapabilities): void;
  /** After `initialized`, which is when a client accepts registrations. */
  follow(): void;
}

export function followFolders(connection: Connection, onChange: (paths: readonly string[]) => void): OpenFolders {
  let open: readonly WorkspaceFolder[] = [];
  let isSupported = false;
  const report = () => onChange(open.flatMap(({ uri }) => (uri.startsWith("file:") ? [fileURLToPath(uri)] : [])));
  return {
    capabilities: { workspace: { workspaceFolders: { supported: true, changeNotifications: true } } },
    begin(folders, { workspace }) {
      open = folders;
      isSupported = workspace?.workspaceFolders === true;
      report();
    },
    follow() {
      if (!isSupported) return;
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        const gone = new Set(removed.map(({ uri }) => uri));
        open = [...open.filter(({ uri }) => !gone.has(uri)), ...added];
        report();
      });
    },
  };
}
