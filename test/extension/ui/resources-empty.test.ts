import { afterAll, beforeAll, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";

let editor: Editor;

beforeAll(async () => {
  editor = await startEditor({
    folders: [],
    config: { resources: [] },
    settings: { "workbench.colorTheme": "Light Modern", "security.workspace.trust.emptyWindow": false },
    trusted: false,
  });
  await editor.page.getByRole("tab", { name: "Citewell" }).click();
});
afterAll(() => editor?.stop());

async function checkWelcome(text: string, actions: string[]): Promise<void> {
  const view = editor.page
    .locator(".pane")
    .filter({ has: editor.page.getByRole("button", { name: /Resources Section/ }) });
  await view.getByText(text).waitFor();
  const buttons = view.locator(".welcome-view-content .monaco-button");
  expect(await buttons.allInnerTexts()).toEqual(actions);
}

test("a window that is not trusted says what it does without, and leads on", async () => {
  await checkWelcome("are not read until you trust it", ["Add Resource…", "Manage Workspace Trust"]);
  await editor.screenshot("resources-untrusted");
});

test("no folder is offered there", async () => {
  await editor.runCommand("Citewell: Add Resource…");
  const options = editor.page.locator(".quick-input-list").getByRole("option");
  await options.first().waitFor();
  const labels = await options.evaluateAll((found) => found.map((option) => option.getAttribute("aria-label") ?? ""));
  const all = [
    "Git repository",
    "npm package",
    "Python package",
    "Rust crate",
    "JVM package",
    "Go module",
    "Ruby gem",
    "PHP package",
    ".NET package",
  ];
  // Rows that would have to be scrolled into view are not in the page.
  expect(labels.map((label) => label.split(",")[0])).toEqual(all.slice(0, labels.length));
  await editor.page.keyboard.type(".NET");
  await options.filter({ hasText: ".NET package" }).waitFor();
  await editor.page.keyboard.press("Escape");
});

test("the chat says so, too, and leads to the window's trust", async () => {
  const { chat, page } = editor;
  await chat.getByRole("heading", { name: "This workspace is not trusted" }).waitFor();
  await editor.screenshot("welcome-untrusted");
  await chat.getByRole("button", { name: "Manage trust" }).click();
  await page.locator(".workspace-trust-editor").waitFor();
  expect(await page.locator(".workspace-trust-editor").count()).toBe(1);
});
