import * as vscode from "vscode";
import type { Citewell } from "../context.ts";
import { copyDiagnostics } from "./server/diagnostics.ts";
import { createStatusItem } from "./server/status-item.ts";
import { showError } from "../server-error.ts";

/** The server's commands, its status, and the message when it stays down. */
export function registerServer(citewell: Citewell): vscode.Disposable {
  const { server, log } = citewell;
  return vscode.Disposable.from(
    vscode.commands.registerCommand("citewell.showLog", () => log.show()),
    vscode.commands.registerCommand("citewell.showServerLog", () => server.log.show()),
    vscode.commands.registerCommand("citewell.restartServer", () => restart(citewell)),
    vscode.commands.registerCommand("citewell.copyDiagnostics", () => copyDiagnostics(citewell)),
    vscode.commands.registerCommand("citewell.clearData", () => clearData(citewell)),
    createStatusItem(citewell),
    server.onDidChangeState((state) => {
      void vscode.commands.executeCommand("setContext", "citewell.serverState", state);
      if (state === "failed") void reportFailure();
    }),
    // Until then it was kept away from the project's configuration: see `workingFolder`.
    vscode.workspace.onDidGrantWorkspaceTrust(async () => {
      if (server.state !== "stopped") await restart(citewell);
    }),
    startForConfiguration(citewell),
  );
}

async function restart({ server, changes }: Citewell): Promise<void> {
  try {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Citewell: restarting the server") },
      () => server.restart(),
    );
    changes.fire("resources");
    changes.fire("model");
    changes.fire("threads");
  } catch (error) {
    await showError(error);
  }
}

/** Deletes only what can be downloaded again; the History view deletes conversations one by one. */
async function clearData({ server, selection, changes }: Citewell): Promise<void> {
  const confirm = vscode.l10n.t("Delete Data");
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t("Delete the downloaded copies of all resources and this workspace's chat?"),
    {
      modal: true,
      detail: vscode.l10n.t(
        "Resources are downloaded again when you ask about them. Your configuration, keys, saved conversations and local folders stay.",
      ),
    },
    confirm,
  );
  if (chosen !== confirm) return;
  try {
    const { cleared } = await server.request("clear", {});
    await selection.set([]);
    await vscode.commands.executeCommand("citewell.newChat");
    changes.fire("resources");
    void vscode.window.showInformationMessage(vscode.l10n.t("Downloaded copies deleted: {0}.", cleared));
  } catch (error) {
    await showError(error);
  }
}

/** Once for each time that it is given up; the requests that die with it say nothing more. */
async function reportFailure(): Promise<void> {
  const restartServer = vscode.l10n.t("Restart Server");
  const showLog = vscode.l10n.t("Show Log");
  const chosen = await vscode.window.showErrorMessage(
    vscode.l10n.t("The Citewell server keeps failing and was not started again. Its log has the reason."),
    restartServer,
    showLog,
  );
  if (chosen === restartServer) await vscode.commands.executeCommand("citewell.restartServer");
  if (chosen === showLog) await vscode.commands.executeCommand("citewell.showServerLog");
}

/** The language of the configuration file has its features from the server: it starts when one is opened. */
function startForConfiguration({ server, log }: Citewell): vscode.Disposable {
  const startFor = ({ languageId }: Pick<vscode.TextDocument, "languageId">) => {
    if (languageId !== "citewell-config" || server.state !== "stopped") return;
    server.start().catch((error: unknown) => log.error(`the server did not start: ${String(error)}`));
  };
  vscode.workspace.textDocuments.forEach(startFor);
  return vscode.workspace.onDidOpenTextDocument(startFor);
}
