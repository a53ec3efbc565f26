import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { startEditor, themes, type Theme } from "./editor.ts";

// Writes themes.json: the styles of each theme of VS Code that the built stylesheet of the chat uses, for standalone pages
// (webview-page.ts). Run again when the kit or the stylesheet changes: node scripts/themes.mjs
const stylesheet = await readFile(path.join(import.meta.dirname, "../../../dist/webview.css"), "utf8");
// The side bar is behind the chat.
const used = new Set(["--vscode-sideBar-background", ...(stylesheet.match(/--vscode-[\w-]+/g) ?? [])]);

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
    variables.flatMap(([name = "", value = ""]) => (used.has(name) ? [[name, value]] : [])),
  );
}
await writeFile(path.join(import.meta.dirname, "themes.json"), `${JSON.stringify(collected, null, 1)}\n`);
