import { writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { startEditor, themes, type Theme } from "./editor.ts";

// Writes themes.json: the styles that VS Code gives a webview in each theme, for standalone pages (webview-page.ts). Run
// again when the kit changes: node scripts/themes.mjs
const ofViews =
  /^--vscode-(badge|banner|button|charts|chat|checkbox|contrast|debugTokenExpression|descriptionForeground|disabledForeground|dropdown|editor-|editorError|editorHoverWidget|editorInfo|editorSuggestWidget|editorWarning|editorWidget|errorForeground|focusBorder|font|foreground|icon|input|keybinding|list|menu|problems|progressBar|quickInput|scrollbar|selection|sideBar|symbolIcon|testing|text|toolbar|widget)/;

await using editor = await startEditor({ workspace: "//- page.md\n# Page\n" });
const { page } = editor;
await page.getByRole("treeitem", { name: "page.md" }).click();
await page.getByRole("code").first().waitFor();
await editor.runCommand("Markdown: Open Preview");
const preview = page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
const collected: Record<string, Record<string, string>> = {};
for (const theme of z.array(z.custom<Theme>()).parse(Object.keys(themes))) {
  await editor.setTheme(theme);
  await preview.locator(`body.${theme}`).waitFor();
  const style = (await preview.locator("html").getAttribute("style")) ?? "";
  const variables = style.split(";").map((line) => line.split(/:(.*)/s).map((part) => part.trim()));
  collected[theme] = Object.fromEntries(
    variables.flatMap(([name = "", value = ""]) => (ofViews.test(name) ? [[name, value]] : [])),
  );
}
await writeFile(path.join(import.meta.dirname, "themes.json"), `${JSON.stringify(collected, null, 1)}\n`);
