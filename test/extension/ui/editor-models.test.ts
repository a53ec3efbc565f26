import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";

const files = `
//- citewell.config.jsonc
{ "resources": [{ "type": "local", "name": "demo", "path": "." }] }
//- src/retry.ts
/** Waits twice as long after each attempt. */
export const wait = (attempt: number) => 100 * 2 ** attempt;
`;

let editor: Editor;
beforeAll(async () => {
  // Another extension brings the model, as those of vendors do.
  const vendor = path.resolve(import.meta.dirname, "../../support/editor/model-vendor");
  editor = await startEditor({ workspace: files, config: { resources: [] }, extensions: [vendor] });
  await editor.openChat();
});
afterAll(() => editor?.stop());

const input = () => editor.page.locator(".quick-input-widget");

async function ask(question: string): Promise<void> {
  const box = editor.chat.getByRole("textbox", { name: "Question" });
  // While an answer runs, Enter sends nothing.
  await editor.chat.getByRole("button", { name: "Send" }).waitFor();
  await box.fill(question);
  await box.press("Enter");
}

/** What the vendor was asked to do so far. */
async function noted(): Promise<string> {
  return readFile(path.join(editor.workspace, "..", "vendor.jsonl"), "utf8");
}

test("a model of the editor is listed, chosen, and answers with tools and citations", async () => {
  await editor.runCommand("Citewell: Choose Model…");
  await input().getByText("The editor's models").first().click();
  await input().getByText("Scripted One").first().waitFor();
  await editor.screenshot("editor-models-list");
  await input().getByText("Scripted One").first().click();
  await editor.chat.getByRole("button", { name: /Scripted One|scripted\/one/ }).waitFor();
  await ask("How long does it wait?");
  await editor.chat.getByText("It doubles").last().waitFor();
  await editor.chat
    .getByRole("button", { name: /retry\.ts:.* verified: citation of/ })
    .first()
    .waitFor();
  await editor.screenshot("editor-models-answer");
  expect(await noted()).toMatch(/"tools":\["search"/);
});

test("stopping the answer stops the editor's model", async () => {
  await ask("Forever?");
  await editor.chat.getByText("It begins").last().waitFor();
  await editor.chat.getByRole("button", { name: /^Stop/ }).click();
  await expect.poll(noted).toContain('"stopped":true');
});

test("the chat explains why the editor's model did not answer", async () => {
  await editor.runCommand("Citewell: New Chat");
  await editor.chat.getByRole("heading", { name: "Ask your code" }).waitFor();
  // The focus comes last, and would take the key that sends.
  await editor.chat.locator("textarea:focus").waitFor();
  await ask("Refused?");
  const told = editor.chat.getByText(/vscode\/scripted\/one.*not today/).first();
  await expect.poll(() => told.textContent()).toMatch(/editor blocks/);
  await editor.screenshot("editor-models-refused");
});
