// A vendor of language models, as another extension brings them to the editor. What it does is told by the question; it
// writes down what it was asked, and when it was stopped, beside the workspace.
const { appendFileSync } = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

function activate({ subscriptions }) {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const note = (entry) => appendFileSync(path.join(folder, "..", "vendor.jsonl"), `${JSON.stringify(entry)}\n`);
  const provider = {
    provideLanguageModelChatInformation: () => [
      {
        id: "one",
        name: "Scripted One",
        family: "one",
        version: "1",
        maxInputTokens: 50_000,
        maxOutputTokens: 5_000,
        capabilities: { toolCalling: true },
      },
    ],
    provideTokenCount: async (_model, text) => (typeof text === "string" ? text.length : 1),
    async provideLanguageModelChatResponse(_model, messages, { tools = [] }, progress, token) {
      const parts = messages.flatMap(({ content }) => content);
      const text = parts.map((part) => part.value ?? "").join("\n");
      note({ tools: tools.map(({ name }) => name) });
      if (text.includes("Forever")) {
        progress.report(new vscode.LanguageModelTextPart("It begins"));
        await new Promise((resolve) => token.onCancellationRequested(resolve));
        note({ stopped: true });
        return;
      }
      if (text.includes("Refused")) throw vscode.LanguageModelError.Blocked("not today");
      const hasRead = parts.some((part) => part instanceof vscode.LanguageModelToolResultPart);
      progress.report(
        hasRead
          ? new vscode.LanguageModelTextPart("It doubles [[demo:src/retry.ts#L1-L2]].")
          : new vscode.LanguageModelToolCallPart("call-1", "read", { path: "src/retry.ts" }),
      );
    },
  };
  subscriptions.push(vscode.lm.registerLanguageModelChatProvider("scripted", provider));
}

module.exports = { activate };
