import os from "node:os";
import * as vscode from "vscode";
import type { Citewell } from "../../context.ts";
import { withoutHome } from "./without-home.ts";

/** What a report of a fault needs, to the clipboard: no keys, no questions, no path below the home folder. */
export async function copyDiagnostics(citewell: Citewell): Promise<void> {
  const text = withoutHome(await describe(citewell), os.homedir());
  await vscode.env.clipboard.writeText(text);
  void vscode.window.showInformationMessage(
    vscode.l10n.t("Diagnostics were copied. They hold versions, the platform and the settings in force, no keys."),
  );
}

async function describe({ server, version }: Citewell): Promise<string> {
  const facts = {
    citewell: version,
    editor: `${vscode.env.appName} ${vscode.version} (${vscode.env.uiKind === vscode.UIKind.Web ? "web" : "desktop"})`,
    remote: vscode.env.remoteName ?? "none",
    platform: `${process.platform} ${process.arch} ${os.release()}`,
    node: process.version,
    trusted: vscode.workspace.isTrusted,
    folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.scheme),
    server: server.state,
    configuration: await configuration(server),
  };
  return `${JSON.stringify(facts, undefined, 2)}\n`;
}

/** A server that is not running is not started for this: it may be what the report is about. */
async function configuration(server: Citewell["server"]): Promise<unknown> {
  if (server.state !== "running") return "not asked";
  try {
    return await server.request("getConfig", {});
  } catch (error) {
    return String(error);
  }
}
