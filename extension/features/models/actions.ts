import * as vscode from "vscode";
import type { SetModel } from "../../../server/protocol/config.ts";
import type { ProviderInfo } from "../../../server/protocol/provider.ts";
import type { Citewell } from "../../context.ts";
import { editorHint } from "../../editor-hint.ts";
import { sentence } from "../../sentence.ts";
import { askSteps, type Step } from "../resources/steps.ts";
import { askServer, askServerKey, askServerName } from "./ask-server.ts";
import { askModel } from "./ask-model.ts";
import { askConnection, askProvider } from "./ask-provider.ts";
import type { Draft } from "./draft.ts";

/** Asks for a provider and one of its models, connects where that is missing, and keeps the choice. */
export async function chooseModel(citewell: Citewell): Promise<void> {
  const chosen = await askSteps<Draft>(
    {},
    { title: vscode.l10n.t("Choose Model"), stepsOf: (draft) => stepsOf(draft, citewell, { connects: false }) },
  );
  if (chosen !== undefined) await keepChoice(chosen, citewell);
}

/**
 * Stores a key or signs in. A server on this computer, or at an address that is typed, is connected as `chooseModel` does
 * it. Without a name the user chooses.
 */
export async function connectProvider(citewell: Citewell, named: string | undefined): Promise<void> {
  const { all } = await citewell.server.request("listProviders", {});
  const provider = all.find(({ id }) => id === named);
  const isServer = named === "openai-compat";
  const start: Draft =
    provider === undefined
      ? {}
      : isServer
        ? { provider: provider.id, isNewServer: true }
        : { provider: provider.id, needsConnection: true };
  const isChosen = provider !== undefined;
  const chosen = await askSteps<Draft>(start, {
    title: vscode.l10n.t("Connect Provider"),
    stepsOf: (draft) => stepsOf(draft, citewell, { connects: true }).slice(isChosen ? 1 : 0),
  });
  if (chosen === undefined) return;
  if (chosen.model !== undefined) return keepChoice(chosen, citewell);
  const name = all.find(({ id }) => id === chosen.provider)?.name ?? "";
  const use = vscode.l10n.t("Choose Model…");
  const answer = await vscode.window.showInformationMessage(vscode.l10n.t("{0} is connected.", name), use);
  if (answer === use) await chooseModel(citewell);
}

async function keepChoice({ provider, model, server: place }: Draft, { server, changes }: Citewell): Promise<void> {
  if (provider === undefined || model === undefined) return;
  const choice: SetModel = {
    provider,
    model,
    ...(place === undefined ? {} : { providerOptions: { baseURL: place.baseURL, name: place.name } }),
  };
  const { hint } = await server.request("setModel", choice);
  changes.fire("model");
  if (hint !== undefined)
    await vscode.window.showWarningMessage(vscode.l10n.t("The model was chosen. {0}", sentence(editorHint(hint))));
}

function stepsOf(draft: Draft, citewell: Citewell, { connects }: { connects: boolean }): Step<Draft>[] {
  const { provider, model, isNewServer = false, needsConnection } = draft;
  const stepCount = (next: Draft) => stepsOf(next, citewell, { connects }).length;
  const isAtServer = isNewServer || draft.server !== undefined;
  const isBuiltIn = provider === "builtin" && model !== undefined;
  const needsModel = connects ? isAtServer : !isBuiltIn;
  return [
    askProvider(citewell, { connects, stepCount }),
    ...(needsConnection === true ? [askConnection(citewell)] : []),
    ...(isNewServer ? [askServer, askServerName, ...(connects ? [askServerKey(citewell)] : [])] : []),
    ...(needsModel ? [askModel(citewell)] : []),
  ];
}

/** Forgets a key or a sign-in. */
export async function disconnectProvider({ server, changes }: Citewell): Promise<void> {
  const { all, connected } = await server.request("listProviders", {});
  const candidates = all.filter(({ id, auth }) => connected.includes(id) && auth.some((method) => method !== "none"));
  if (candidates.length === 0) {
    await vscode.window.showInformationMessage(vscode.l10n.t("No provider is connected with a key or a sign-in."));
    return;
  }
  const provider = await pickProvider(candidates);
  if (provider === undefined) return;
  const { removed, variable } = await server.request("disconnectProvider", { provider: provider.id });
  changes.fire("model");
  await vscode.window.showInformationMessage(
    variable !== undefined
      ? vscode.l10n.t("{0} stays connected: the environment variable {1} is set.", provider.name, variable)
      : removed
        ? vscode.l10n.t("{0} is disconnected.", provider.name)
        : vscode.l10n.t("Nothing is stored for {0}.", provider.name),
  );
}

async function pickProvider(providers: readonly ProviderInfo[]): Promise<ProviderInfo | undefined> {
  const items = providers.map((provider) => ({ label: provider.name, provider }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Disconnect Provider"),
    placeHolder: vscode.l10n.t("Which provider should be disconnected?"),
  });
  return chosen?.provider;
}
