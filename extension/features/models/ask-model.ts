import * as vscode from "vscode";
import type { ErrorBody } from "../../../server/protocol/error.ts";
import type { ModelInfo } from "../../../server/protocol/provider.ts";
import type { ModelList } from "../../../server/protocol/sign-in.ts";
import type { Citewell } from "../../context.ts";
import { toServerError } from "../../server-error.ts";
import { waysOut } from "../../ways-out.ts";
import { type Answered, answerOf, askText, type Place, type Step } from "../resources/steps.ts";
import { askConnection } from "./ask-provider.ts";
import { askServerKey } from "./ask-server.ts";
import type { Draft } from "./draft.ts";

interface ModelItem extends vscode.QuickPickItem {
  /** `type`: an id is typed; `again`: the models are listed again; `connect`: the same, with another key. */
  chosen: { model: string } | "type" | "again" | "connect";
}

interface Picked {
  chosen: ModelItem["chosen"];
  /** What was searched for. */
  searched: string;
}

/** Which of the provider's models: what it serves now, with prices where they are known; any other id can be typed. */
export function askModel(citewell: Citewell): Step<Draft> {
  return async (draft, place) => {
    for (;;) {
      const picked = await pickModel(draft, place, citewell);
      if (picked.type !== "next") return picked;
      const { chosen, searched } = picked.draft;
      if (chosen === "connect") {
        const ask = draft.server === undefined ? askConnection : askServerKey;
        const connected = await ask(citewell)(draft, place);
        if (connected.type === "cancelled") return connected;
      } else if (chosen === "type") return typeModel(draft, place, searched);
      else if (chosen !== "again") return { type: "next", draft: { ...draft, model: chosen.model } };
    }
  };
}

async function pickModel(draft: Draft, place: Place, { server }: Citewell): Promise<Answered<Picked>> {
  const cancellation = new vscode.CancellationTokenSource();
  const pick = vscode.window.createQuickPick<ModelItem>();
  Object.assign(pick, { ...place, placeholder: vscode.l10n.t("Which model?"), matchOnDescription: true, busy: true });
  pick.buttons = [vscode.QuickInputButtons.Back];
  const { provider = "" } = draft;
  const address = draft.server === undefined ? {} : { baseURL: draft.server.baseURL };
  const listed = server.request("listModels", { provider, ...address }, { token: cancellation.token });
  void fillIn(listed, pick, provider);
  const picked = await answerOf<Picked>(pick, (answer) =>
    pick.onDidAccept(() => {
      const [item] = pick.activeItems;
      const searched = pick.value.trim();
      if (item !== undefined) answer({ type: "next", draft: { chosen: item.chosen, searched } });
    }),
  );
  cancellation.cancel();
  cancellation.dispose();
  return picked;
}

async function typeModel(draft: Draft, place: Place, searched: string): Promise<Answered<Draft>> {
  const typed = await askText({
    ...place,
    prompt: vscode.l10n.t("The model's id, as the provider calls it."),
    // A search text that matches no model is most likely an id.
    value: searched,
    validate: (text) => (text === "" ? vscode.l10n.t("An id is needed.") : undefined),
  });
  return typed.type === "next" ? { type: "next", draft: { ...draft, model: typed.draft } } : typed;
}

/** It may answer although it lists nothing: an id can be typed in any case. */
async function fillIn(listed: Promise<ModelList>, pick: vscode.QuickPick<ModelItem>, provider: string): Promise<void> {
  const other: ModelItem = {
    label: vscode.l10n.t("$(edit) Another model…"),
    alwaysShow: true,
    chosen: "type",
  };
  pick.items = [other];
  const { models, problem } = await listed.catch((error: unknown) => ({ models: {}, problem: bodyOf(error) }));
  const isEmpty = Object.keys(models).length === 0;
  pick.items = [...Object.entries(models).map(toItem), ...(isEmpty ? recoveries(problem?.tag) : []), other];
  if (isEmpty) pick.placeholder = problem?.error ?? nothingListed(provider);
  pick.busy = false;
}

function bodyOf(error: unknown): ErrorBody {
  const { message, tag } = toServerError(error);
  return { error: message, tag };
}

/** What may help where no model is listed; the button of the title goes back to the address. */
function recoveries(tag: string | undefined): ModelItem[] {
  const isRefused = tag !== undefined && waysOut(tag).includes("connectProvider");
  return [
    ...(isRefused ? [{ label: vscode.l10n.t("$(key) Connect…"), alwaysShow: true, chosen: "connect" as const }] : []),
    { label: vscode.l10n.t("$(refresh) List the Models Again"), alwaysShow: true, chosen: "again" },
  ];
}

function toItem([id, info]: [string, ModelInfo]): ModelItem {
  const description = info.name === undefined ? "" : id;
  return { label: info.name ?? id, description, detail: detailOf(info), chosen: { model: id } };
}

function detailOf({ contextTokens, pricing }: ModelInfo): string {
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
