import { afterAll, beforeAll, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";

let editor: Editor;
beforeAll(async () => {
  editor = await startEditor({ workspace: "//- a.ts\nexport const a = 1;\n" });
});
afterAll(() => editor?.stop());

test("the view opens, with the chat in it", async () => {
  await editor.openChat();
  await editor.chat.getByRole("textbox").waitFor();
  expect(await editor.page.locator(".notifications-toasts .notification-toast").count()).toBe(0);
});
