import * as vscode from "vscode";
import { childEnvironment } from "../child-environment.ts";
import { workingFolder } from "../client.ts";
import type { Citewell } from "../context.ts";

/** `citewell mcp` for the editor's agents. The editor starts the process, when it wants to; absent where it cannot. */
export function registerMcp({ extension, version }: Citewell): vscode.Disposable {
  if (!("lm" in vscode) || !("registerMcpServerDefinitionProvider" in vscode.lm))
    return new vscode.Disposable(() => {});
  const changed = new vscode.EventEmitter<void>();
  const file = vscode.Uri.joinPath(extension.extensionUri, "dist", "citewell.mjs").fsPath;
  // Which configuration counts depends on the folder, and on whether it is trusted.
  const subscriptions = [
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
  ];
  const provider: vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> = {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: () => [
      // Under a desktop editor the executable is Electron, which is Node only when told so.
      new vscode.McpStdioServerDefinition(
        "Citewell",
        process.execPath,
        [file, "mcp"],
        { ELECTRON_RUN_AS_NODE: "1" },
        version,
      ),
    ],
    async resolveMcpServerDefinition(definition) {
      definition.cwd = vscode.Uri.file(await workingFolder(extension));
      definition.env = { ...definition.env, ...childEnvironment() };
      return definition;
    },
  };
  const registration = vscode.lm.registerMcpServerDefinitionProvider("citewell.mcp", provider);
  return vscode.Disposable.from(registration, changed, ...subscriptions);
}
