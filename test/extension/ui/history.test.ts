import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";
import { threadTurn } from "../../support/thread-turn.ts";

let editor: Editor;
beforeAll(async () => {
  editor = await startEditor({ workspace: "//- retry.ts\n/** Waits before a retry. */\nexport const wait = 100;\n" });
  const turn = threadTurn({
    question: "How does the spider wait?",
    resources: ["scrapy"],
    projects: ["/projects/scrapy"],
    askedAt: new Date().toISOString(),
  });
  const folder = path.join(editor.server.citewellHome, "data/threads");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "00000000000a.jsonl"), `${JSON.stringify(turn)}\n`);
  await editor.openChat();
});
afterAll(() => editor?.stop());

const box = () => editor.chat.getByRole("textbox", { name: "Question" });

async function ask(question: string): Promise<void> {
  await box().fill(question);
  await box().press("Enter");
}

test("the view opens, with the chat in it", async () => {
  await editor.chat.getByRole("textbox").waitFor();
  expect(await editor.page.locator(".notifications-toasts .notification-toast").count()).toBe(0);
});

test("this project's conversations come first, those of others are below a heading", async () => {
  await ask("How long is the wait before a retry?");
  await editor.chat.getByRole("button", { name: "Copy answer" }).last().waitFor();
  await editor.runCommand("Citewell: Search History…");
  const rows = editor.page.getByRole("option");
  await rows.filter({ hasText: "How does the spider wait?" }).waitFor();
  const labels = await rows.evaluateAll((options) => options.map((option) => option.ariaLabel ?? ""));
  expect(labels.map((label) => label.split(/[,?]/)[0])).toEqual([
    "How long is the wait before a retry",
    "How does the spider wait",
  ]);
  expect(await editor.page.locator(".quick-input-list").getByText("Other projects").count()).toBe(1);
  await editor.screenshot("history-elsewhere");
});

test("a conversation of another project shows its resources, and is not answered from this one", async () => {
  await editor.runCommand("Citewell: Search History…");
  await editor.page.getByRole("option", { name: /How does the spider wait\?/ }).click();
  await editor.chat.getByRole("button", { name: /^Selected for questions: scrapy/ }).waitFor();
  await ask("And per spider?");
  const card = editor.chat.getByRole("region", { name: "The question could not be answered" }).last();
  await card.getByText("this conversation is about scrapy, which is not known here").waitFor();
  await editor.screenshot("history-not-here");
  expect(await editor.chat.locator(".chip").count()).toBe(0);
});
