import * as vscode from "vscode";
import type { ModelRef } from "../../server/protocol/ask.ts";
import type { Citewell } from "../context.ts";

/** Lends the editor's models to the server: the provider `vscode`. */
export interface EditorModelsFeature extends vscode.Disposable {
  /** Lends for one request of the editor's chat the very model that was chosen there. `ref` names it in a question. */
  lend(model: vscode.LanguageModelChat): vscode.Disposable & { ref: ModelRef };
}

/** Asks nothing of the editor by itself: it would ask the person for consent. The server asks when a question does. */
export function registerEditorModels({ server, changes }: Citewell): EditorModelsFeature {
  const lent = new Map<string, vscode.LanguageModelChat>();
  const registrations = hasModels()
    ? [
        server.answer("citewell/editorModels/list", async () => (await load()).listEditorModels()),
        server.answer("citewell/editorModels/respond", async (params, { token, sendEvent }) =>
          (await load()).respondWithEditorModel(params, { lent, token, sendEvent }),
        ),
        vscode.lm.onDidChangeChatModels(() => changes.fire("model")),
      ]
    : [];
  return {
    lend(model) {
      const key = `${model.vendor}/${model.id}`;
      lent.set(key, model);
      return {
        ref: { provider: "vscode", model: key },
        dispose() {
          if (lent.get(key) === model) lent.delete(key);
        },
      };
    },
    dispose: () => registrations.forEach((registration) => registration.dispose()),
  };
}

const load = () => import("./editor-models/lend.ts");

/** Forks of the editor may lack it. */
function hasModels(): boolean {
  return "lm" in vscode && "selectChatModels" in vscode.lm;
}
