import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Editor, startEditor } from "../test/support/editor/editor.ts";
import { scriptedModel, type ScriptedStep } from "../test/support/scripted-model.ts";

const root = path.resolve(import.meta.dirname, "..");
const vsix = path.join(os.tmpdir(), `citewell-screenshots-${process.pid}.vsix`);
process.env["CITEWELL_VSIX"] ??= vsix;
process.env["SCREENSHOTS"] = path.join(root, "docs/images");

const workspaceFolder = "home/citewell";
const question = "How does Citewell wait when a provider says Retry-After?";
const source = "server/providers/retry.ts";

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
  await using editor = await startEditor({ workspace: workspace(), workspaceFolder, config });
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
    .getByText(String(lastLine("export function retryAfterMs")))
    .waitFor();
  await page.mouse.move(900, 700);
  await editor.screenshot("citation");
  await editor.setTheme("vscode-light");
  await editor.screenshot("chat-light");
  await editor.setTheme("vscode-dark");
  await page.getByRole("button", { name: "Resources Section" }).click();
  await page.getByRole("button", { name: "Chat Section" }).click();
  await page.getByRole("treeitem", { name: "citewell" }).first().click();
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

/** A part of this repository as workspace, and an installed package. */
function workspace(): string {
  const own = execFileSync("git", ["ls-files", "server", "README.md", "package.json"], { cwd: root, encoding: "utf8" });
  const packages = ["picomatch"].flatMap((name) => [
    `node_modules/${name}/package.json`,
    `node_modules/${name}/README.md`,
  ]);
  const files = [...own.trim().split("\n"), ...packages];
  return files
    .map((file) => `//- ${file}\n${readFileSync(path.join(root, file), "utf8").replaceAll(/^\/\/- /gm, "// - ")}`)
    .join("");
}

function script(): ScriptedStep[] {
  return [
    {
      reasoning:
        "The header is read where an answer of the provider is judged. I look for it first, then read the file whole.",
      toolCalls: [
        { name: "search", input: { query: "Retry-After header of a provider's answer", resource: "citewell" } },
        { name: "grep", input: { pattern: "retryAfterMs", resource: "citewell" } },
      ],
    },
    { toolCalls: [{ name: "read", input: { path: source, resource: "citewell" } }] },
    {
      text: [
        "Citewell waits **as long as the provider asks**, within bounds:\n\n",
        `1. \`retryAfterMs\` reads the header: seconds, a date, or OpenAI's finer \`retry-after-ms\` ${cite("export function retryAfterMs")}.\n`,
        `2. Without one, the delay doubles with each attempt ${cite("export async function withRetries")}.\n\n`,
        "The wait ends at once when the question is cancelled.",
      ],
      usage: { input: 5210, output: 148 },
    },
  ];
}

/** A citation marker for the declaration that starts with this text. */
function cite(start: string): string {
  return `[[citewell:${source}#L${firstLine(start)}-L${lastLine(start)}]]`;
}

function firstLine(start: string): number {
  return 1 + sourceLines().findIndex((line) => line.startsWith(start));
}

function lastLine(start: string): number {
  return 1 + sourceLines().findIndex((line, index) => index >= firstLine(start) && line.startsWith("}"));
}

function sourceLines(): string[] {
  return readFileSync(path.join(root, source), "utf8").split("\n");
}
