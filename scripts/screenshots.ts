import { rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Editor, startEditor } from "../test/support/editor/editor.ts";
import { scriptedModel } from "../test/support/scripted-model.ts";
import { firstLine, question, script, workspace } from "./screenshot-story.ts";

const root = path.resolve(import.meta.dirname, "..");
const vsix = path.join(os.tmpdir(), `citewell-screenshots-${process.pid}.vsix`);
process.env["CITEWELL_VSIX"] ??= vsix;
process.env["SCREENSHOTS"] = path.join(root, "docs/images");

const workspaceFolder = "home/citewell";
/** The packages that the sources import are not installed there. */
const settings = { "typescript.validate.enable": false, "js/ts.validate.enabled": false };

await using model = await scriptedModel(script(), { models: ["local-model"] });
const config = {
  ...model.config,
  resources: [
    { type: "local", name: "citewell", path: "../citewell" },
    { type: "npm", name: "picomatch", package: "picomatch" },
  ],
};

{
  await using editor = await startEditor({ workspace: workspace(), workspaceFolder, config: { resources: [] } });
  await openWide(editor);
  await editor.chat.getByRole("heading").first().waitFor();
  await editor.screenshot("welcome");
}
{
  await using editor = await startEditor({ workspace: workspace(), workspaceFolder, config, settings });
  const { page, chat } = editor;
  await openWide(editor);
  await chat.getByRole("textbox").fill(question);
  await chat.getByRole("textbox").press("Enter");
  const chip = chat.locator(".chip").first();
  await chip.waitFor();
  await chat.getByText("tokens in").waitFor();
  await editor.screenshot("chat-dark");
  await chip.click();
  await page
    .locator(".line-numbers.active-line-number")
    .getByText(String(firstLine("export function retryAfterMs")))
    .waitFor();
  await page.locator(".view-overlays [class*=TextEditorDecorationType]").first().waitFor();
  await page.mouse.move(900, 700);
  await editor.screenshot("citation");
  await editor.setTheme("vscode-light");
  await editor.screenshot("chat-light");
  await editor.setTheme("vscode-dark");
  await page.getByRole("button", { name: "Resources Section" }).click();
  await page.getByRole("button", { name: "Chat Section" }).click();
  await page.getByRole("treeitem", { name: "citewell" }).first().click();
  await page.getByRole("treeitem", { name: "server" }).first().waitFor();
  await editor.screenshot("resources");
}
rmSync(vsix, { force: true });

async function openWide({ page, openChat }: Editor): Promise<void> {
  await openChat();
  const side = await page.locator(".part.sidebar").boundingBox();
  const edge = (side?.x ?? 0) + (side?.width ?? 0);
  await page.mouse.move(edge, 400);
  await page.mouse.down();
  await page.mouse.move(620, 400, { steps: 4 });
  await page.mouse.up();
  // Gives the chat the full height.
  await page.getByRole("button", { name: "Resources Section" }).click();
  await page.mouse.move(900, 700);
}
