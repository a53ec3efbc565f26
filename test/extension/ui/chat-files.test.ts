import type { FrameLocator, Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";
import { scriptedModel, type ScriptedModel } from "../../support/scripted-model.ts";

const files = `
//- citewell.config.jsonc
{ "resources": [{ "type": "local", "name": "demo", "path": "." }] }
//- src/retry.ts
export const attempts = 5;

export function retryRequest(attempt: number): number {
  return delayOf(attempt);
}
//- src/delay.ts
export function delayOf(attempt: number): number {
  return 100 * 2 ** attempt;
}
//- src/client.ts
import { retryRequest } from "./retry.ts";

export const send = () => retryRequest(attempts);
//- dist/retry.js
export const attempts = 5;
`;

let model: ScriptedModel;
let editor: Editor;

beforeAll(async () => {
  model = await scriptedModel(({ body }) =>
    body.messages.at(-1)?.role === "tool"
      ? { text: "It retries [[demo:src/retry.ts#L3-L5]]." }
      : { toolCalls: [{ name: "read", input: { path: "src/retry.ts" } }] },
  );
  editor = await startEditor({
    workspace: files,
    config: { ...model.config, resources: [] },
    settings: { "search.exclude": { "**/dist": true } },
  });
  await editor.openChat();
});
afterAll(async () => {
  await editor?.stop();
  await model?.[Symbol.asyncDispose]();
});

const box = (chat: FrameLocator = editor.chat) => chat.getByRole("textbox", { name: "Question" });
const shown = (locator: Locator) => locator.first().waitFor();
const sent = () => JSON.stringify(model.requests.at(-1)?.body.messages);
const chipOf = (label: string) => editor.chat.getByRole("button", { name: `Remove ${label}`, exact: true });

test("# lists the files of the project, but none that the editor hides; the chosen one goes along with the question", async () => {
  await box().fill("");
  await box().pressSequentially("What is #retr");
  await shown(editor.chat.getByRole("option", { name: "retry.ts src" }));
  expect(await editor.chat.getByRole("option").count()).toBe(1);
  await box().press("Enter");
  await shown(chipOf("retry.ts"));
  expect(await box().inputValue()).toBe("What is src/retry.ts ");
  await editor.screenshot("chat-files");
  await box().press("Enter");
  await shown(editor.chat.getByRole("button", { name: /retry\.ts:3-5 verified/ }));
  await expect.poll(sent).toContain("What is src/retry.ts\\n\\nAttached from `src/retry.ts` (retry.ts):");
  expect(sent()).toContain("return delayOf(attempt);");
  await chipOf("retry.ts").waitFor({ state: "detached" });
});

test("a file that is named with # by hand goes along as well", async () => {
  // While an answer runs, Enter sends nothing.
  await editor.chat.getByRole("button", { name: "Send" }).waitFor();
  await box().fill("And #delay.ts, please?");
  await box().press("Enter");
  await shown(editor.chat.getByRole("heading", { name: "And #delay.ts, please?" }));
  await expect.poll(sent).toContain("And #delay.ts, please?\\n\\nAttached from `src/delay.ts` (delay.ts):");
});

test("what one may ask next is suggested, and a click asks it", async () => {
  await editor.runCommand("Citewell: New Chat");
  await editor.chat.getByRole("heading", { name: "Ask your code" }).waitFor();
  // The focus comes last, and would take the key that sends.
  await editor.chat.locator("textarea:focus").waitFor();
  await box().fill("What retries?");
  await box().press("Enter");
  const followUps = editor.chat.getByRole("region", { name: "Follow-up questions" });
  await shown(followUps);
  await editor.screenshot("chat-follow-ups");
  await followUps.getByRole("button", { name: "Who calls `retryRequest`?" }).click();
  await shown(editor.chat.getByRole("heading", { name: "Who calls `retryRequest`?" }));
  await shown(followUps);
  expect(await followUps.getByRole("button", { name: "Who calls `retryRequest`?" }).count()).toBe(0);
});

test("Alt+Q adds the definition at the cursor, and pressed again its file", async () => {
  await editor.chat
    .locator(".markdown")
    .getByRole("button", { name: /^retry\.ts:3-5 / })
    .first()
    .press("Enter");
  await shown(editor.page.locator(".editor-group-container.active .monaco-editor.focused"));
  await editor.page.locator(".view-line").getByText("delayOf").click({ button: "right" });
  const item = editor.page.locator(".monaco-menu .action-item").filter({ hasText: "Add to Citewell Question" });
  await shown(item.filter({ hasText: "Alt+Q" }));
  await editor.page.keyboard.press("Escape");
  await shown(editor.page.locator(".editor-group-container.active .monaco-editor.focused"));
  await editor.pressKey("Alt+Q", chipOf("retry.ts:3-5"));
  await editor.chat.locator("textarea:focus").waitFor();
  await editor.pressKey("Alt+Q", chipOf("retry.ts"));
  await chipOf("retry.ts:3-5").click();
  await chipOf("retry.ts:3-5").waitFor({ state: "detached" });
  await chipOf("retry.ts").click();
  await chipOf("retry.ts").waitFor({ state: "detached" });
  expect(await editor.page.locator(".view-line").getByText("return delayOf(attempt);").count()).toBe(1);
});

test("the chat opens in an editor tab; citations open beside it, and it is there again after a reload", async () => {
  // One page at a time: the view is hidden, and the tab of an earlier try is closed.
  await editor.runCommand("View: Close All Editors");
  await editor.runCommand("View: Show Explorer");
  await editor.chat.locator("body").waitFor({ state: "detached" });
  await editor.runCommand("Citewell: Open Chat in Editor");
  const tab = editor.page.getByRole("tab", { name: "Citewell Chat", exact: true });
  await shown(tab);
  await shown(editor.chat.getByRole("button", { name: /retry\.ts:3-5 verified/ }));
  await editor.screenshot("chat-in-tab");
  await editor.chat
    .locator(".markdown")
    .getByRole("button", { name: /^retry\.ts:3-5 / })
    .first()
    .click();
  await expect.poll(() => editor.page.locator(".editor-group-container").count()).toBe(2);
  await shown(editor.page.locator(".view-line").getByText("return delayOf(attempt);"));
  expect(await tab.getAttribute("aria-selected")).toBe("true");
  // The editor's own command waits until the open tabs are stored.
  const loaded = editor.page.waitForEvent("load");
  await editor.runCommand("Developer: Reload Window");
  await loaded;
  await shown(tab);
  await shown(editor.chat.getByRole("button", { name: /retry\.ts:3-5 verified/ }));
});
