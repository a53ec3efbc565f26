import { CitewellError } from "../errors.ts";
import type { ModelInfo } from "../protocol/provider.ts";
import type { ProviderDefinition } from "./definition.ts";

/** The editor's models, lent by the editor that started us; elsewhere there are none, and nothing stands in for them. */
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
  return new CitewellError(
    "ProviderNotConnected",
    "the provider vscode is the editor's own models: no editor is here",
    {
      hint: "ask in VS Code, or choose another provider: citewell connect",
    },
  );
}
