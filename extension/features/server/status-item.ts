import * as vscode from "vscode";
import type { Citewell } from "../../context.ts";

/** The resources and the model, in the status bar. The server is not started to find them out. */
interface Known {
  model: string;
  resourceCount: number;
}

/** One item, on the right. Hidden while nothing goes on and there is nothing to ask. */
export function createStatusItem(citewell: Citewell): vscode.Disposable {
  const { server, changes, log } = citewell;
  const item = vscode.window.createStatusBarItem("citewell.status", vscode.StatusBarAlignment.Right, 90);
  item.name = "Citewell";
  item.command = "citewell.showActions";
  let known: Known | undefined;

  function show(): void {
    const look = lookOf(citewell, known);
    if (look === undefined) return item.hide();
    item.text = look.text;
    item.tooltip = look.tooltip;
    item.accessibilityInformation = { label: look.label, role: "button" };
    item.backgroundColor = look.isError ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
    item.show();
  }

  async function learn(): Promise<void> {
    if (server.state !== "running") return;
    try {
      const { provider, model, resourceCount } = await server.request("getConfig", {});
      known = { model: `${provider}/${model}`, resourceCount };
    } catch (error) {
      log.warn(`status: ${String(error)}`);
      known = undefined;
    }
    show();
  }

  show();
  return vscode.Disposable.from(
    item,
    vscode.commands.registerCommand("citewell.showActions", () => offerActions(citewell)),
    server.onDidChangeState(() => {
      show();
      void learn();
    }),
    server.onDidChangeAnswering(show),
    changes.onDidChangeResources(() => void learn()),
    changes.onDidChangeModel(() => void learn()),
  );
}

interface Look {
  text: string;
  tooltip: string;
  /** The whole in words, for screen readers. */
  label: string;
  isError?: boolean;
}

function lookOf({ server }: Citewell, known: Known | undefined): Look | undefined {
  if (server.state === "failed") {
    const label = vscode.l10n.t("Citewell: the server has failed");
    return { text: "$(error) Citewell", tooltip: label, label, isError: true };
  }
  if (server.state === "starting") {
    const label = vscode.l10n.t("Citewell: the server is starting");
    return { text: "$(loading~spin) Citewell", tooltip: label, label };
  }
  if (server.isAnswering) {
    const label = vscode.l10n.t("Citewell is answering");
    return { text: "$(sync~spin) Citewell", tooltip: label, label };
  }
  if (known === undefined || known.resourceCount === 0) return undefined;
  const label = vscode.l10n.t("Citewell asks {0}; resources: {1}", known.model, known.resourceCount);
  return { text: "$(quote) Citewell", tooltip: label, label };
}

interface Action extends vscode.QuickPickItem {
  command: string;
}

/** What one may want when one looks at the item, the likeliest first. */
async function offerActions({ server }: Citewell): Promise<void> {
  const chosen = await vscode.window.showQuickPick(actionsIn(server), { title: "Citewell" });
  if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command);
}

function actionsIn({ state, isAnswering }: Citewell["server"]): Action[] {
  const restart = { label: vscode.l10n.t("$(refresh) Restart Server"), command: "citewell.restartServer" };
  const log = { label: vscode.l10n.t("$(output) Show Server Log"), command: "citewell.showServerLog" };
  const diagnostics = { label: vscode.l10n.t("$(clippy) Copy Diagnostics"), command: "citewell.copyDiagnostics" };
  if (state === "failed") return [restart, log, diagnostics];
  return [
    ...(isAnswering ? [{ label: vscode.l10n.t("$(debug-stop) Stop Answer"), command: "citewell.stop" }] : []),
    { label: vscode.l10n.t("$(comment) Ask…"), command: "citewell.ask" },
    { label: vscode.l10n.t("$(hubot) Choose Model…"), command: "citewell.chooseModel" },
    { label: vscode.l10n.t("$(add) Add Resource…"), command: "citewell.addResource" },
    { label: vscode.l10n.t("$(gear) Open Configuration"), command: "citewell.openConfig" },
    log,
    restart,
    diagnostics,
  ];
}
