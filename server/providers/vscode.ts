import { CitewellError } from "../errors.ts";
import type { ModelInfo } from "../protocol/provider.ts";
import type { ProviderDefinition } from "./definition.ts";

/** The models of the editor that started us. Unavailable elsewhere, without a fallback. */
export const vscode: ProviderDefinition = {
  name: "The editor's models",
  auth: ["none"],
  unavailable: ({ editorModels }) => (editorModels === undefined ? noEditor() : undefined),
  async listModels({ editorModels }, { signal }) {
    const models = (await editorModels?.list({ signal })) ?? [];
    return Object.fromEntries(models.map(({ id, name, maxInputTokens }) => [id, describe(name, maxInputTokens)]));
  },
  async openModel(model, { editorModels }) {
    if (editorModels === undefined) throw noEditor();
    const { createEditorModel } = await import("./editor-model.ts");
    return createEditorModel(model, editorModels);
  },
};

function describe(name: string, contextTokens: number): ModelInfo {
  return contextTokens > 0 ? { name, contextTokens } : { name };
}

function noEditor(): CitewellError {
  return new CitewellError("ProviderNotConnected", "the provider vscode is available only inside the editor", {
    hint: "ask in VS Code, or choose another provider: citewell connect",
  });
}
