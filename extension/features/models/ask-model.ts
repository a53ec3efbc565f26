import * as vscode from "vscode";
import type { ModelInfo } from "../../../server/protocol/provider.ts";
import type { ModelList } from "../../../server/protocol/sign-in.ts";
import type { Citewell } from "../../context.ts";
import { toServerError } from "../../server-error.ts";
import { answerOf, askText, type Step } from "../resources/steps.ts";
import type { Draft } from "./draft.ts";

interface ModelItem extends vscode.QuickPickItem {
  /** Undefined: to be typed. */
  model?: string;
}

/** Which of the provider's models: what it serves now, with prices where they are known; any other id can be typed. */
export function askModel({ server }: Citewell): Step<Draft> {
  return async (draft, place) => {
    const cancellation = new vscode.CancellationTokenSource();
    const pick = vscode.window.createQuickPick<ModelItem>();
    const other: ModelItem = { label: vscode.l10n.t("$(edit) Another model…"), alwaysShow: true };
    Object.assign(pick, { ...place, placeholder: vscode.l10n.t("Which model?"), matchOnDescription: true, busy: true });
    pick.buttons = [vscode.QuickInputButtons.Back];
    const { provider = "" } = draft;
    const address = draft.server === undefined ? {} : { baseURL: draft.server.baseURL };
    const listed = server.request("listModels", { provider, ...address }, { token: cancellation.token });
    void fillIn(listed, pick, { provider, other });
    let searched = "";
    const answered = await answerOf<ModelItem>(pick, (answer) =>
      pick.onDidAccept(() => {
        const [item] = pick.activeItems;
        searched = pick.value.trim();
        if (item !== undefined) answer({ type: "next", draft: item });
      }),
    );
    cancellation.cancel();
    cancellation.dispose();
    if (answered.type !== "next") return answered;
    const { model } = answered.draft;
    if (model !== undefined) return { type: "next", draft: { ...draft, model } };
    const typed = await askText({
      ...place,
      prompt: vscode.l10n.t("The model's id, as the provider calls it."),
      // A search text that matches no model is most likely an id.
      value: searched,
      validate: (text) => (text === "" ? vscode.l10n.t("An id is needed.") : undefined),
    });
    return typed.type === "next" ? { type: "next", draft: { ...draft, model: typed.draft } } : typed;
  };
}

/** It may answer although it lists nothing: an id can be typed in any case. */
async function fillIn(
  listed: Promise<ModelList>,
  pick: vscode.QuickPick<ModelItem>,
  { provider, other }: { provider: string; other: ModelItem },
): Promise<void> {
  pick.items = [other];
  try {
    const { models, problem } = await listed;
    pick.items = [...Object.entries(models).map(toItem), other];
    if (Object.keys(models).length === 0) pick.placeholder = problem?.error ?? nothingListed(provider);
  } catch (error) {
    pick.placeholder = toServerError(error).message;
  } finally {
    pick.busy = false;
  }
}

function toItem([id, info]: [string, ModelInfo]): ModelItem {
  return { label: info.name ?? id, description: info.name === undefined ? "" : id, detail: detailOf(info), model: id };
}

export function detailOf({ contextTokens, pricing }: ModelInfo): string {
  const room =
    contextTokens === undefined
      ? undefined
      : vscode.l10n.t("{0} tokens of context", contextTokens.toLocaleString(vscode.env.language));
  const price =
    pricing &&
    vscode.l10n.t(
      "US$ {0} in, US$ {1} out per million tokens",
      pricing.ratesUsdPerMTokens.input,
      pricing.ratesUsdPerMTokens.output,
    );
  return [price, room].filter((text) => text !== undefined).join(" · ");
}

function nothingListed(provider: string): string {
  return provider === "vscode"
    ? vscode.l10n.t("This editor has no models yet: sign in to one of its providers")
    : vscode.l10n.t("No model is listed: type its id");
}
