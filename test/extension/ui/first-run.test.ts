import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";

const files = `
//- src/retry.ts
/** How often a request is sent again, and how long it waits before. */
export const attempts = 5;
export const delayMs = 100;

/** Waits twice as long after each attempt. */
export function waitBeforeRetry(attempt: number): number {
  return delayMs * 2 ** attempt;
}
//- src/server.ts
import { attempts, waitBeforeRetry } from "./retry.ts";

/** Sends a request again and again until it is answered. */
export async function send(request: () => Promise<Response>): Promise<Response> {
  for (let attempt = 0; attempt < attempts; attempt++) await pause(waitBeforeRetry(attempt));
  return request();
}
//- README.md
# Demo

A request that fails is sent again after a wait.
`;

let editor: Editor;
let globalConfig: string;
beforeAll(async () => {
  editor = await startEditor({ workspace: files, folders: [], config: { resources: [] } });
  globalConfig = path.join(editor.server.citewellHome, "citewell.config.jsonc");
});
afterAll(() => editor?.stop());

const checkHeading = (name: string) => editor.chat.getByRole("heading", { name }).waitFor();
const input = () => editor.page.locator(".quick-input-widget");
const box = () => editor.chat.getByRole("textbox", { name: "Question" });

/** Presses Tab until the focus is there: what cannot be reached by it fails. */
async function tabTo(name: string): Promise<void> {
  const { keyboard } = editor.page;
  for (let count = 0; count < 25; count++) {
    if ((await editor.chat.getByRole("button", { name }).and(editor.chat.locator(":focus")).count()) > 0) return;
    await keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${name}`);
}

/** The lines that the editor marks as cited. */
async function markedLines(): Promise<string[]> {
  await editor.page.locator(".view-overlays [class*='TextEditorDecorationType']").first().waitFor();
  return editor.page.evaluate<string[]>(`(() => {
    const tops = new Set([...document.querySelectorAll(".view-overlays [class*='TextEditorDecorationType']")].map((mark) => Math.round(mark.getBoundingClientRect().top)));
    return [...document.querySelectorAll(".view-line")].filter((line) => tops.has(Math.round(line.getBoundingClientRect().top))).map((line) => line.textContent.replaceAll("\\u00a0", " "));
  })()`);
}

test("with no key and by keyboard alone: from an empty window to a first answer", async () => {
  const { keyboard } = editor.page;
  await editor.runCommand("Citewell: New Chat");
  await checkHeading("Choose what to ask about");
  await editor.screenshot("first-run-no-resources");
  await tabTo("Add resource");
  await keyboard.press("Enter");
  await input().getByRole("textbox").and(editor.page.locator(":focus")).waitFor();
  await keyboard.type(editor.workspace);
  await editor.page.getByRole("option", { name: `Add ${editor.workspace}` }).waitFor();
  await keyboard.press("Enter");
  await input().getByText("Add Resource (2/2)").waitFor();
  await keyboard.press("Control+A");
  await keyboard.type("demo");
  await keyboard.press("Enter");
  await checkHeading("Ask your code");
  await editor.screenshot("first-run-ready");
  await editor.runCommand("Citewell: New Chat");
  await box().and(editor.chat.locator(":focus")).waitFor();
  await keyboard.type("How long is the wait before a retry?");
  await keyboard.press("Enter");
  await editor.chat
    .getByRole("button", { name: /retry\.ts:.* verified: citation of/ })
    .first()
    .waitFor();
  await editor.chat.getByRole("button", { name: "Copy answer" }).waitFor();
  await editor.screenshot("first-run-answer");
});

test("keys lead to questions and citations, and Enter opens the lines", async () => {
  const { keyboard } = editor.page;
  const focused = () => editor.chat.locator(".chip:focus");
  await editor.pressKey("Alt+F8", focused());
  await editor.pressKey("Alt+PageUp", editor.chat.locator(".question-text:focus"));
  await editor.pressKey("Alt+F8", focused());
  await keyboard.press("Enter");
  await editor.page.locator(".tab.active").waitFor();
  await editor.screenshot("first-run-citation");
  expect(await markedLines()).toContain("export function waitBeforeRetry(attempt: number): number {");
});

test("with Ctrl a citation opens to the side", async () => {
  await editor.chat
    .locator(".markdown .chip")
    .first()
    .click({ modifiers: ["Control"] });
  const side = editor.page.locator(".editor-group-container").nth(1);
  await side.locator(".view-line").getByText("export function waitBeforeRetry").waitFor();
  expect(await side.locator(".tab.active").getAttribute("data-resource-name")).toBe("retry.ts");
});

test("a new chat takes the marks away", async () => {
  const tabs = await editor.page.locator(".tab.active").count();
  await editor.runCommand("Citewell: New Chat");
  await checkHeading("Ask your code");
  await editor.page
    .locator(".view-overlays [class*='TextEditorDecorationType']")
    .first()
    .waitFor({ state: "detached" });
  expect(await editor.page.locator(".tab.active").count()).toBe(tabs);
});

test("a model without a key says so, and leads to keys and to other models", async () => {
  await configure({ provider: "openrouter", model: "some/model" });
  await checkHeading("Connect a model");
  await editor.screenshot("welcome-no-key");
  await editor.chat.getByRole("button", { name: "Connect provider" }).click();
  await input().getByText("OpenRouter").first().waitFor();
  await editor.screenshot("welcome-no-key-connect");
  await editor.page.keyboard.press("Escape");
  await editor.chat.getByRole("button", { name: "Choose model" }).click();
  await input().getByText("Extracts").first().waitFor();
  await editor.screenshot("model-picker");
  await editor.page.keyboard.press("Escape");
});

test("a configuration that cannot be read leads to the file; once mended it is read", async () => {
  await writeFile(globalConfig, '{ "resources": [{ "type": "local" }\n');
  await checkHeading("The configuration cannot be read");
  await editor.screenshot("welcome-config-invalid");
  await editor.chat.getByRole("button", { name: "Open configuration" }).click();
  await editor.page.getByRole("tab", { name: /citewell\.config\.jsonc/ }).waitFor();
  await editor.screenshot("welcome-config-opened");
  await configure({});
  await checkHeading("Ask your code");
});

test("without a network and without a copy the failure says so, and leads to other resources", async () => {
  const git = { type: "git", name: "far", url: "https://localhost:9/far", branch: "main" };
  await configure({ allowHosts: ["localhost"] }, [git]);
  await editor.chat.getByRole("button", { name: /Selected for questions/ }).waitFor();
  await box().fill("@far What is there?");
  await box().press("Enter");
  const notice = editor.chat.locator(".strip").filter({ hasText: "No network" }).last();
  await notice.waitFor();
  expect(await notice.getByRole("button").allInnerTexts()).toEqual(["Add resource", "Choose model", "Show log"]);
  await editor.screenshot("welcome-offline");
  await notice.getByRole("button", { name: "Add resource" }).click();
  await input().getByText("Add Resource").first().waitFor();
  await editor.page.keyboard.press("Escape");
});

async function configure(
  more: object,
  resources: object[] = [{ type: "local", name: "demo", path: editor.workspace }],
): Promise<void> {
  await writeFile(globalConfig, JSON.stringify({ ...more, resources }, undefined, 2));
}
