import assert from "node:assert/strict";
import * as vscode from "vscode";

suite("the tools of the editor's agent", () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";

  test("are declared, and answer", async () => {
    const names = vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith("citewell_"));
    const expected = ["ask", "history", "listResources", "read", "search", "upgrade", "verify"].map(
      (name) => `citewell_${name}`,
    );
    assert.deepEqual(names.sort(), expected);
    const input = { query: "delayMs", resources: [folder] };
    const result = await vscode.lm.invokeTool("citewell_search", { input, toolInvocationToken: undefined });
    const [part] = result.content;
    assert.ok(part instanceof vscode.LanguageModelTextPart);
    assert.match(part.value, /export function delayMs/);
  });

  test("each answers in words that a model reads", async () => {
    const answers = async (name: string, input: object) => {
      const { content } = await vscode.lm.invokeTool(`citewell_${name}`, { input, toolInvocationToken: undefined });
      return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
    };
    assert.match(await answers("ask", { question: "delayMs attempt", resources: [folder] }), /src\/retry\.ts:/);
    assert.match(await answers("read", { resource: folder, path: "src/retry.ts", startLine: 2 }), /100 \* 2/);
    const text = "It waits `src/retry.ts:2-4`, see `src/retry.ts:90`.";
    const verified = await answers("verify", { text, resources: [folder] });
    assert.match(verified, /verified/);
    assert.match(verified, /src\/retry\.ts:90.*only|out of range/is);
    assert.notEqual(await answers("listResources", {}), "");
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

  test("refuse an argument that they do not have by name, and take null for one left out", async () => {
    const invoke = (input: object) =>
      vscode.lm.invokeTool("citewell_search", { input, toolInvocationToken: undefined });
    const misnamed = { query: "delayMs", resource: folder, limit: 1 };
    await assert.rejects(
      async () => invoke(misnamed),
      /citewell_search has no argument `resource`; did you mean `resources`\?\ncitewell_search takes query, /,
    );
    const { content } = await invoke({ query: "delayMs", resources: [folder], glob: null, kinds: null });
    const [part] = content;
    assert.ok(part instanceof vscode.LanguageModelTextPart);
    assert.match(part.value, /export function delayMs/);
  });
});
