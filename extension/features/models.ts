import * as vscode from "vscode";
import type { Citewell } from "../context.ts";
import { showError } from "../server-error.ts";

/** Commands to choose a model and to sign in. */
export function registerModels(citewell: Citewell): vscode.Disposable {
  const load = () => import("./models/actions.ts");
  return vscode.Disposable.from(
    vscode.commands.registerCommand("citewell.chooseModel", async () => {
      await load()
        .then(({ chooseModel }) => chooseModel(citewell))
        .catch(showError);
    }),
    vscode.commands.registerCommand("citewell.connectProvider", async (provider: unknown) => {
      const named = typeof provider === "string" ? provider : undefined;
      await load()
        .then(({ connectProvider }) => connectProvider(citewell, named))
        .catch(showError);
    }),
    vscode.commands.registerCommand("citewell.disconnectProvider", async () => {
      await load()
        .then(({ disconnectProvider }) => disconnectProvider(citewell))
        .catch(showError);
    }),
  );
}
