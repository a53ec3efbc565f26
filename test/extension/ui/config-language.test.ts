import { afterAll, beforeAll, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";

const config = `{
  // what may be asked of
  "resources": [
    { "type": "local", "name": "sources", "path": "./src" },
  ],
}
`;

let editor: Editor;
beforeAll(async () => {
  editor = await startEditor({
    workspace: `//- citewell.config.jsonc\n${config}//- src/a.ts\nexport {};\n`,
    trusted: true,
  });
});
afterAll(() => editor[Symbol.asyncDispose]());

test("typing a key and choosing its value gives a configuration that is right", async () => {
  const { page } = editor;
  await page.getByText("citewell.config.jsonc").first().dblclick();
  await page.locator(".codelens-decoration", { hasText: "Ask about this resource" }).waitFor();
  expect(await page.locator(".view-line span[class*=mtk]").first().isVisible()).toBe(true);
  const suggestions = page.locator(".suggest-widget.visible");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type('"provi', { delay: 50 });
  await suggestions.getByText("providerTimeoutMs").waitFor();
  await page.keyboard.press("Enter");
  await suggestions.getByText("builtin").waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".view-line", { hasText: '"provider": "builtin",' }).waitFor();
  await editor.screenshot("config-language");
});
