import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";
import { scriptedModel, type ScriptedModel } from "../../support/scripted-model.ts";

const retry = `/** How often, and how long. */
export const attempts = 5;
export const delayMs = 100;

export function wait(attempt: number): number {
  return delayMs * 2 ** attempt;
}
`;
const notes = "The wait doubles [[demo:src/retry.ts#L6]]; it ends [[demo:src/retry.ts#L99]].\n";
const files = `
//- citewell.config.jsonc
{ "resources": [{ "type": "local", "name": "demo", "path": "." }] }
//- notes.md
${notes}//- src/retry.ts
${retry}`;

let model: ScriptedModel;
let editor: Editor;

beforeAll(async () => {
  const question = "Both?";
  model = await scriptedModel(({ body }) =>
    body.messages.some(({ role }) => role === "tool")
      ? { text: ["It waits [[demo:src/retry.ts#L5-L7]], five times [[demo:src/retry.ts#L2]]."] }
      : { toolCalls: [{ name: "read", input: { path: "src/retry.ts" } }] },
  );
  editor = await startEditor({
    workspace: files,
    config: { ...model.config, resources: [] },
    // Damage would be on disk at once.
    settings: { "files.autoSave": "afterDelay", "files.autoSaveDelay": 50 },
  });
  await editor.openChat();
  await box().fill(question);
  await box().press("Enter");
  await chip("retry.ts:5-7").waitFor();
});
// Not after each: a test that failed would leave what it typed to its second try.
beforeEach(() => box().fill(""));
afterAll(async () => {
  await editor?.stop();
  await model?.[Symbol.asyncDispose]();
});

const box = () => editor.chat.getByRole("textbox", { name: "Question" });
const chip = (name: string) => editor.chat.locator(".markdown").getByRole("button", { name: new RegExp(`^${name} `) });
const shown = (locator: Locator) => locator.first().waitFor();
/** The status bar names the number of selected characters where there are some. */
const position = (line: number) =>
  editor.page.getByRole("button", { name: new RegExp(`^Ln ${line}, Col 1(?! \\(\\d+ selected)`) });
const cursorAt = (line: number) => shown(position(line));
const focusedEditor = () => editor.page.locator(".editor-group-container.active .monaco-editor.focused");
const marks = () => editor.page.locator(".cdr[class*='TextEditorDecorationType']");

/** Types a follow-up wherever the focus is, saves everything, and compares what is on disk. */
async function checkTyping({ text = retry } = {}): Promise<void> {
  await editor.page.keyboard.type("And if empty?");
  await editor.runCommand("File: Save All Files");
  const read = (name: string) => readFile(path.join(editor.workspace, name), "utf8");
  expect([await read("src/retry.ts"), await read("notes.md")]).toEqual([text, notes]);
}

test("a click on a citation marks its lines, selects nothing, and what is typed next is the next question", async () => {
  await chip("retry.ts:5-7").click();
  await shown(editor.page.getByRole("tab", { name: /retry\.ts/ }));
  await cursorAt(5);
  await shown(marks());
  await checkTyping();
  expect(await box().inputValue()).toBe("And if empty?");
  await editor.screenshot("citation-click");
});

test("so does a click on a source, and to the side", async () => {
  const source = editor.chat.locator(".sources").getByRole("button", { name: /retry\.ts:2/ });
  await source.click();
  await cursorAt(2);
  await checkTyping();
  expect(await box().inputValue()).toBe("And if empty?");
  await box().fill("");
  await source.click({ modifiers: ["Control"] });
  await expect.poll(() => editor.page.getByRole("tab", { name: /retry\.ts/ }).count()).toBe(2);
  await checkTyping();
  expect(await box().inputValue()).toBe("And if empty?");
});

test("Alt+F8 goes from citation to citation, and the editor follows without the focus", async () => {
  await box().focus();
  await editor.pressKey("Alt+F8", editor.chat.locator(".chip:focus"));
  await editor.pressKey("Alt+F8", position(2));
  await checkTyping();
});

test("Enter and a double click go to the lines, and Alt+F8 goes on from there", async () => {
  await chip("retry.ts:5-7").press("Enter");
  await shown(focusedEditor());
  await cursorAt(5);
  await shown(marks());
  await editor.pressKey("Alt+F8", position(2));
  await checkTyping();
  await chip("retry.ts:5-7").dblclick();
  await shown(focusedEditor());
  await cursorAt(5);
});

test("a citation that is checked again opens without the focus, wherever it was", async () => {
  await editor.runCommand("Citewell: Re-check Citations");
  const { keyboard } = editor.page;
  await shown(editor.page.getByRole("option", { name: /Both\?/ }));
  await keyboard.press("Enter");
  await shown(editor.page.getByRole("option", { name: /src\/retry\.ts:2/ }));
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await cursorAt(2);
  await expect.poll(() => focusedEditor().count()).toBe(0);
  await checkTyping();
});

test("neither a file of the resources tree nor a problem of a verified file takes what is typed", async () => {
  const tree = editor.page.getByRole("tree", { name: "Resources" });
  const file = tree.getByRole("treeitem", { name: "notes.md, file" });
  if (!(await file.isVisible()))
    await editor.act(() => tree.getByRole("treeitem", { name: /^demo/ }).locator(".monaco-icon-label").click(), file);
  await file.click();
  await shown(editor.page.getByRole("tab", { name: /notes\.md/ }));
  await checkTyping();
  await file.dblclick();
  await shown(focusedEditor());
  await editor.runCommand("Citewell: Verify Citations in This File");
  await editor.page.getByRole("button", { name: "Show Problems" }).click();
  await editor.page.getByRole("treeitem", { name: /^Warning: out of range/ }).click();
  await checkTyping();
});

test("code that has changed is compared without a side that can be typed into", async () => {
  const changed = retry.replace("= 5", "= 6");
  await writeFile(path.join(editor.workspace, "src/retry.ts"), changed);
  await chip("retry.ts:2").click();
  await editor.page.getByText("This file has changed since it was cited: compare").click();
  await shown(editor.page.getByRole("tab", { name: /as cited ↔ as it is now/ }));
  await shown(editor.page.getByText("export const attempts = 6;"));
  await editor.screenshot("citation-compare");
  await checkTyping({ text: changed });
});
