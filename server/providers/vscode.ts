import { CitewellError } from "../errors.ts";
import type { ProviderDefinition } from "./definition.ts";

/** The editor's models; outside the editor there are none, and nothing stands in for them. */
export const vscode: ProviderDefinition = {
  name: "The editor's models",
  auth: ["none"],
  unavailable,
  async openModel() {
    throw unavailable();
  },
};

function unavailable(): CitewellError {
  return new CitewellError(
    "ProviderNotConnected",
    "the provider vscode is the editor's own models: no editor is here",
    {
      hint: "ask in VS Code, or choose another provider: citewell connect",
    },
  );
}
