import * as vscode from "vscode";
import type { SetModel } from "../../../server/protocol/config.ts";
import type { ProviderInfo } from "../../../server/protocol/provider.ts";
import type { Citewell } from "../../context.ts";
import { editorHint } from "../../editor-hint.ts";
import { sentence } from "../../sentence.ts";
import { askSteps, type Step } from "../resources/steps.ts";
import { askServer, askServerName } from "./ask-server.ts";
import { askModel } from "./ask-model.ts";
import { askProvider, detailOf } from "./ask-provider.ts";
import { connect } from "./connect.ts";
import type { Draft } from "./draft.ts";

/** Asks for a provider and one of its models, connects where that is missing, and keeps the choice. */
export async function chooseModel(citewell: Citewell): Promise<void> {
  const { server, changes } = citewell;
  const chosen = await askSteps<Draft>(
    {},
    { title: vscode.l10n.t("Choose Model"), stepsOf: (draft) => stepsOf(draft, citewell) },
  );
  if (chosen?.provider === undefined || chosen.model === undefined) return;
  const choice: SetModel = {
    provider: chosen.provider,
    model: chosen.model,
    ...(chosen.server === undefined
      ? {}
      : { providerOptions: { baseURL: chosen.server.baseURL, name: chosen.server.name } }),
  };
  const { hint } = await server.request("setModel", choice);
  changes.fire("model");
  if (hint !== undefined)
    await vscode.window.showWarningMessage(vscode.l10n.t("The model was chosen. {0}", sentence(editorHint(hint))));
}

function stepsOf(draft: Draft, citewell: Citewell): Step<Draft>[] {
  const isNewServer = draft.provider === "openai-compat" && draft.isNewServer === true;
  const isBuiltIn = draft.provider === "builtin" && draft.model !== undefined;
  return [
    askProvider(citewell),
    ...(isNewServer ? [askServer, askServerName] : []),
    ...(isBuiltIn ? [] : [askModel(citewell)]),
  ];
}

/** Stores a key or signs in. Without a name the person chooses; who needs neither is not in the list. */
export async function connectProvider(citewell: Citewell, named: string | undefined): Promise<void> {
  const { all, connected } = await citewell.server.request("listProviders", {});
  const candidates = all.filter(({ auth }) => auth.some((method) => method !== "none"));
  const provider =
    all.find(({ id }) => id === named) ??
    (await pickProvider(candidates, { title: vscode.l10n.t("Connect Provider"), connected }));
  if (provider === undefined || !(await connect(provider, citewell))) return;
  const use = vscode.l10n.t("Choose Model…");
  const chosen = await vscode.window.showInformationMessage(vscode.l10n.t("{0} is connected.", provider.name), use);
  if (chosen === use) await chooseModel(citewell);
}

/** Forgets a key or a sign-in. */
export async function disconnectProvider({ server, changes }: Citewell): Promise<void> {
  const { all, connected } = await server.request("listProviders", {});
  const candidates = all.filter(({ id, auth }) => connected.includes(id) && auth.some((method) => method !== "none"));
  if (candidates.length === 0) {
    await vscode.window.showInformationMessage(vscode.l10n.t("No provider is connected with a key or a sign-in."));
    return;
  }
  const provider = await pickProvider(candidates, { title: vscode.l10n.t("Disconnect Provider") });
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

async function pickProvider(
  providers: readonly ProviderInfo[],
  { title, connected }: { title: string; connected?: readonly string[] },
): Promise<ProviderInfo | undefined> {
  const items = providers.map((provider) => ({
    label: provider.name,
    // Only who is to be connected wants to know how.
    ...(connected !== undefined && {
      description: connected.includes(provider.id) ? vscode.l10n.t("connected") : "",
      detail: detailOf(provider),
    }),
    provider,
  }));
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.provider;
}
