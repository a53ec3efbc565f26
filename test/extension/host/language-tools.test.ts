import assert from "node:assert/strict";
import * as vscode from "vscode";

suite("the tools of the editor's agent", () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";

  test("are declared, and answer", async () => {
    const names = vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith("citewell_"));
    const expected = ["ask", "listResources", "read", "search", "verify"].map((name) => `citewell_${name}`);
    assert.deepEqual(names.sort(), expected);
    const input = { query: "delayMs", resources: [folder] };
    const result = await vscode.lm.invokeTool("citewell_search", { input, toolInvocationToken: undefined });
    const [part] = result.content;
    assert.ok(part instanceof vscode.LanguageModelTextPart);
    assert.match(part.value, /export function delayMs/);
  });

  test("keep within their budget, and say what to do when they fail", async () => {
    const budget = { tokenBudget: 40, countTokens: async (text: string) => text.length };
    const { content } = await vscode.lm.invokeTool("citewell_read", {
      input: { resource: folder, path: "src/retry.ts" },
      toolInvocationToken: undefined,
      tokenizationOptions: budget,
    });
    const [part] = content;
    assert.ok(part instanceof vscode.LanguageModelTextPart && part.value.length <= 40);
    const failing = { input: { resource: "nobody", path: "a" }, toolInvocationToken: undefined };
    await assert.rejects(async () => vscode.lm.invokeTool("citewell_read", failing), /nobody/);
  });
});
