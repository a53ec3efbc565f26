import axe from "axe-core";
import type { Frame } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Editor, startEditor, type Theme, themes } from "../../support/editor/editor.ts";
import { scriptedModel, type ScriptedModel, type ScriptedReply } from "../../support/scripted-model.ts";

const files = `
//- citewell.config.jsonc
{ "resources": [{ "type": "local", "name": "demo", "path": "." }] }
//- src/retry.ts
export const delayMs = 100;
`;

const hostile = `
# Hostile

<script>window.wasRun = true</script><img src="https://evil.test/image.png" onerror="window.wasRun = true">
<iframe src="https://evil.test/frame"></iframe> <b onclick="window.wasRun = true">bold</b>

![pixel](https://evil.test/pixel.png) ![data](data:image/svg+xml,<svg/>)

[new file](command:workbench.action.files.newUntitledFile) [script](javascript:window.wasRun=true) [disk](file:///etc/passwd)
[editor](vscode://citewell.citewell/add?url=https://evil.test/a) [page](https://good.test/page) <https://good.test/auto>

\`\`\`html
<img src="https://evil.test/code.png">
\`\`\`

Right to left: \u202Egnp.exe\u202C and invisible: a\u200Bb\u2066c\u2069.

${"endless".repeat(3000)}
`;

const section = (index: number) =>
  `## Part ${index}\n\nA paragraph with **bold** words, number ${index}.\n\n1. one\n2. two\n\n\`\`\`js\nconst part = ${index};\n\`\`\`\n`;
const longAnswer = Array.from({ length: 200 }, (_, index) => section(index).match(/.{1,4}|\n/gs) ?? []).flat();

let model: ScriptedModel;
let editor: Editor;
const requested: string[] = [];
const never = new Promise<void>(() => {});

beforeAll(async () => {
  model = await scriptedModel(({ body }): ScriptedReply => {
    const question = JSON.stringify(body.messages.findLast(({ role }) => role === "user")?.content);
    if (question.includes("Everything")) return { text: [...longAnswer, "The end."] };
    if (question.includes("Endless")) return { text: longAnswer, later: { after: never, text: "" } };
    return { text: [hostile, "The last line [[demo:src/retry.ts#L1]]."] };
  });
  editor = await startEditor({ workspace: files, config: { ...model.config, resources: [] } });
  await editor.openChat();
  editor.page.context().on("request", (request) => requested.push(request.url()));
});
afterAll(async () => {
  await editor?.stop();
  await model?.[Symbol.asyncDispose]();
});

const lastTurn = () => editor.chat.locator("li.turn").last();

async function ask(question: string): Promise<void> {
  const box = editor.chat.getByRole("textbox", { name: "Question" });
  // While an answer runs, Enter sends nothing.
  await editor.chat.getByRole("button", { name: "Send" }).waitFor();
  await box.fill(question);
  await box.press("Enter");
}

async function chatFrame(): Promise<Frame> {
  const body = await editor.chat.locator("body").elementHandle();
  const frame = await body?.ownerFrame();
  if (frame == null) throw new Error("the chat has no frame");
  return frame;
}

test("a hostile answer is text: it runs nothing and fetches nothing", async () => {
  await ask("Show me the worst");
  await lastTurn().getByText("The last line").waitFor();
  await lastTurn()
    .getByRole("button", { name: /retry\.ts:1 / })
    .first()
    .waitFor();
  await editor.screenshot("hostile-answer");
  const turn = lastTurn();
  expect(await turn.locator("img, script, iframe, object, b, [onclick], [onerror], [style]").count()).toBe(0);
  for (const text of ["<script>window.wasRun = true</script>", "<iframe src=", "<b onclick="]) {
    await turn.getByText(text).first().waitFor();
  }
  const addresses = await turn
    .locator("a")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  expect(addresses.filter((address) => !address.startsWith("https://"))).toEqual([]);
  const frame = await chatFrame();
  expect(await frame.evaluate("window.wasRun")).toBeUndefined();
  expect(await turn.innerText()).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B]/u);
  expect(
    await frame.evaluate("document.querySelector('.log').scrollWidth - document.querySelector('.log').clientWidth"),
  ).toBe(0);
  expect(requested.filter((url) => url.includes("evil.test"))).toEqual([]);
});

test("a link asks before it leaves the editor, once", async () => {
  await lastTurn().getByRole("link", { name: "page" }).click();
  const dialog = editor.page.getByRole("dialog");
  await dialog.getByText("https://good.test/page").waitFor();
  await editor.screenshot("link-dialog");
  await editor.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(requested.filter((url) => url.includes("good.test"))).toEqual([]);
});

describe("axe finds nothing in the real view", () => {
  test.each(Object.keys(themes).filter((name): name is Theme => name in themes))("in %s", async (theme) => {
    await editor.setTheme(theme);
    const frame = await chatFrame();
    await frame.waitForSelector(`body.${theme}`);
    await editor.screenshot(`theme-${theme}`);
    // The side bar's colour lies behind the frame.
    await frame.evaluate("document.body.style.background = 'var(--vscode-sideBar-background)'");
    await frame.evaluate(axe.source);
    const violations = await frame.evaluate<string[]>(
      "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`)))",
    );
    expect(violations).toEqual([]);
  });
});

test("2,000 lines keep the reader's position, and stop on request", async () => {
  await editor.setTheme("vscode-dark");
  await ask("Endless?");
  await lastTurn().getByRole("heading", { name: "Part 199" }).waitFor();
  const log = editor.chat.locator(".log");
  await log.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
  await editor.chat.getByRole("button", { name: "Jump to latest" }).waitFor();
  const before = await log.evaluate((element) => element.scrollTop);
  await editor.chat.getByRole("button", { name: "Stop" }).click();
  await lastTurn().getByText("Stopped. The answer is partial; its citations were checked.").waitFor();
  expect(await log.evaluate((element) => element.scrollTop)).toBe(before);
  await ask("Everything?");
  await lastTurn().getByText("The end.").waitFor();
  expect(
    await lastTurn()
      .getByRole("heading", { level: 2 })
      .or(lastTurn().getByRole("heading", { name: /^Part \d+$/ }))
      .count(),
  ).toBeGreaterThan(199);
});

test("in a narrow side bar and at twice the size nothing is cut off", async () => {
  await editor.runCommand("Citewell: New Chat");
  await editor.chat.getByRole("heading", { name: "Ask your code" }).waitFor();
  // The focus comes last, and would take the key that sends.
  await editor.chat.locator("textarea:focus").waitFor();
  await ask("Show me the worst");
  await lastTurn().getByText("The last line").waitFor();
  const { page } = editor;
  // What 200 % leaves of a window of 1280 by 800.
  await page.setViewportSize({ width: 640, height: 400 });
  const side = await page.locator(".part.sidebar").boundingBox();
  const edge = (side?.x ?? 0) + (side?.width ?? 0);
  await page.mouse.move(edge, 200);
  await page.mouse.down();
  await page.mouse.move(edge - 110, 200, { steps: 5 });
  await page.mouse.up();
  await editor.screenshot("narrow");
  const overflow = await (
    await chatFrame()
  ).evaluate(
    "Math.max(...[...document.querySelectorAll('.log, .foot')].map((part) => part.scrollWidth - part.clientWidth))",
  );
  expect(overflow).toBe(0);
  await editor.chat.getByRole("textbox", { name: "Question" }).waitFor();
});
