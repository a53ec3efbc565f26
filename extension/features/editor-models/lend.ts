import * as vscode from "vscode";
import {
  type EditorMessage,
  type EditorModel,
  type EditorModelPart,
  EditorModelRequest,
  type EditorModelUsage,
} from "../../../server/protocol/editor-model.ts";
import { ServerError } from "../../server-error.ts";
import { toModelError } from "./failure.ts";
import { fitMessages } from "./fit.ts";

/** The editor's models by `vendor/id`: an id alone is unique only within its vendor. */
export async function listEditorModels(): Promise<{ models: EditorModel[] }> {
  const models = await vscode.lm.selectChatModels();
  return {
    models: models.map(({ vendor, id, family, name, maxInputTokens }) => {
      const room = Number.isFinite(maxInputTokens) ? Math.max(0, Math.floor(maxInputTokens)) : 0;
      return { id: `${vendor}/${id}`, vendor, family, name, maxInputTokens: room };
    }),
  };
}

/**
 * Asks a model of the editor, and passes on what it says as it comes. Tools are only declared: the server calls them.
 * @throws ServerError (ModelNotFound, ProviderRefused, ProviderRateLimited, ProviderFailed)
 */
export async function respondWithEditorModel(
  params: unknown,
  { lent, token, sendEvent }: RespondOptions,
): Promise<EditorModelUsage> {
  const { model: key, messages, tools } = EditorModelRequest.parse(params);
  const model = lent.get(key) ?? (await findModel(key));
  try {
    const count = async (text: string) => model.countTokens(text, token);
    const fitted = await fitMessages(messages, { tools, limit: model.maxInputTokens, count });
    if (!fitted.hasRoom) throw noRoom(key, { tokens: fitted.tokens, limit: model.maxInputTokens });
    const response = await model.sendRequest(
      fitted.messages.map(toChatMessage),
      {
        justification: vscode.l10n.t("Citewell answers your question with it, from the resources that you chose."),
        ...(tools.length === 0 ? {} : { tools }),
      },
      token,
    );
    let said = "";
    for await (const part of response.stream) {
      const event = toPart(part);
      if (event === undefined) continue;
      said += event.type === "text" ? event.text : JSON.stringify(event.input);
      await sendEvent(event);
    }
    return { inputTokens: fitted.tokens, outputTokens: said === "" ? 0 : await count(said) };
  } catch (error) {
    throw toModelError(error, key);
  }
}

interface RespondOptions {
  /** The key is the name that the request uses. */
  lent: ReadonlyMap<string, vscode.LanguageModelChat>;
  token: vscode.CancellationToken;
  sendEvent(event: EditorModelPart): Promise<void>;
}

/** People may have written the id or the family alone. */
async function findModel(key: string): Promise<vscode.LanguageModelChat> {
  const models = await vscode.lm.selectChatModels();
  const found =
    models.find(({ vendor, id }) => `${vendor}/${id}` === key) ??
    models.find(({ id, family }) => id === key || family === key);
  if (found !== undefined) return found;
  throw new ServerError({
    tag: "ModelNotFound",
    error: `the editor has no model ${JSON.stringify(key)}`,
    hint:
      models.length === 0
        ? "sign in to a provider of models in the editor, or choose another provider"
        : "choose another one: Citewell: Choose Model…",
  });
}

function toChatMessage({ role, content }: EditorMessage): vscode.LanguageModelChatMessage {
  const parts = content.map((part) => {
    switch (part.type) {
      case "text":
        return new vscode.LanguageModelTextPart(part.text);
      case "tool-call":
        return new vscode.LanguageModelToolCallPart(part.callId, part.name, part.input);
      case "tool-result":
        return new vscode.LanguageModelToolResultPart(part.callId, [new vscode.LanguageModelTextPart(part.text)]);
    }
  });
  const { User, Assistant } = vscode.LanguageModelChatMessageRole;
  return new vscode.LanguageModelChatMessage(role === "user" ? User : Assistant, parts);
}

/** What later editors may send besides is passed over. */
function toPart(part: unknown): EditorModelPart | undefined {
  if (part instanceof vscode.LanguageModelTextPart) return { type: "text", text: part.value };
  if (!(part instanceof vscode.LanguageModelToolCallPart)) return undefined;
  return { type: "tool-call", callId: part.callId, name: part.name, input: { ...part.input } };
}

function noRoom(model: string, { tokens, limit }: { tokens: number; limit: number }): ServerError {
  return new ServerError({
    tag: "ProviderFailed",
    error: `the question takes ${tokens} tokens, and vscode/${model} has room for ${limit}`,
    hint: "choose a model with more room, or ask something shorter",
  });
}
