import * as vscode from "vscode";
import { childEnvironment } from "../child-environment.ts";
import { workingFolder } from "../working-folder.ts";
import type { Citewell } from "../context.ts";

/** `citewell mcp` for the editor's agents. The editor starts the process, when it wants to; absent where it cannot. */
export function registerMcp(citewell: Citewell): vscode.Disposable {
  if (!("lm" in vscode) || !("registerMcpServerDefinitionProvider" in vscode.lm))
    return new vscode.Disposable(() => {});
  const changed = new vscode.EventEmitter<void>();
  // Which configuration counts depends on the folder, and on whether it is trusted.
  const subscriptions = [
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
  ];
  const provider: vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> = {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: () => [defineMcpServer(citewell)],
    resolveMcpServerDefinition: (definition) => resolveMcpServer(definition, citewell),
  };
  const registration = vscode.lm.registerMcpServerDefinitionProvider("citewell.mcp", provider);
  return vscode.Disposable.from(registration, changed, ...subscriptions);
}

/** How it is started, all but where: that and the proxy are looked up when the editor starts it. */
export function defineMcpServer({
  extension,
  version,
}: Pick<Citewell, "extension" | "version">): vscode.McpStdioServerDefinition {
  const file = vscode.Uri.joinPath(extension.extensionUri, "dist", "citewell.mjs").fsPath;
  // In a desktop editor the executable is Electron, which runs as Node only with this variable.
  const env = { ELECTRON_RUN_AS_NODE: "1" };
  return new vscode.McpStdioServerDefinition("Citewell", process.execPath, [file, "mcp"], env, version);
}

/** Just before the start, as what it depends on may change. */
export async function resolveMcpServer(
  definition: vscode.McpStdioServerDefinition,
  { extension }: Pick<Citewell, "extension">,
): Promise<vscode.McpStdioServerDefinition> {
  definition.cwd = vscode.Uri.file(await workingFolder(extension));
  definition.env = { ...definition.env, ...childEnvironment() };
  return definition;
}
