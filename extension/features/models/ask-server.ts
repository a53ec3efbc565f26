import * as vscode from "vscode";
import { ProviderOptions } from "../../../server/protocol/config.ts";
import type { Citewell } from "../../context.ts";
import { askText, type Answered, type Step } from "../resources/steps.ts";
import { keyFault } from "./connect.ts";
import type { Draft } from "./draft.ts";

/** Asks for the address of a compatible server that was not found by itself. */
export const askServer: Step<Draft> = async (draft, place) => {
  const answered = await askText({
    ...place,
    prompt: vscode.l10n.t("The server's address, where its API starts: often with /v1 at the end."),
    placeholder: "http://127.0.0.1:11434/v1",
    value: draft.server?.baseURL,
    validate: (text) => {
      const fault = faultOf({ baseURL: text });
      return fault === undefined ? undefined : vscode.l10n.t("The address {0}.", fault);
    },
  });
  return withAnswer(answered, (baseURL) => ({ ...draft, server: { baseURL, name: draft.server?.name ?? "" } }));
};

export const askServerName: Step<Draft> = async (draft, place) => {
  const answered = await askText({
    ...place,
    prompt: vscode.l10n.t("A name for the server."),
    value: draft.server?.name || "local",
    validate: (text) => {
      const fault = faultOf({ name: text });
      return fault === undefined ? undefined : vscode.l10n.t("The name {0}.", fault);
    },
  });
  return withAnswer(answered, (name) => ({ ...draft, server: { baseURL: draft.server?.baseURL ?? "", name } }));
};

/** The key of that server, where it needs one. It is stored at once, so that the server lists its models. */
export function askServerKey({ server }: Citewell): Step<Draft> {
  return async (draft, place) => {
    const answered = await askText({
      ...place,
      prompt: vscode.l10n.t("The server's key. Leave it empty if it needs none."),
      isSecret: true,
      validate: keyFault,
    });
    if (answered.type !== "next" || draft.server === undefined) return withAnswer(answered, () => draft);
    const { baseURL } = draft.server;
    const key = answered.draft;
    if (key !== "") await server.request("connectProvider", { provider: "openai-compat", key, baseURL });
    return { type: "next", draft };
  };
}

function withAnswer(answered: Answered<string>, toDraft: (text: string) => Draft): Answered<Draft> {
  return answered.type === "next" ? { type: "next", draft: toDraft(answered.draft) } : answered;
}

function faultOf(options: { baseURL?: string; name?: string }): string | undefined {
  return ProviderOptions.safeParse(options).error?.issues[0]?.message;
}
