import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";
import {
  scriptedModel,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedRequest,
} from "../../support/scripted-model.ts";

const files = `
//- citewell.config.jsonc
{ "resources": [{ "type": "local", "name": "demo", "path": "." }] }
//- src/retry.ts
/** How often, and how long. */
export const attempts = 5;
export const delayMs = 100;

export function wait(attempt: number): number {
  return delayMs * 2 ** attempt;
}
`;

let model: ScriptedModel;
let editor: Editor;
/** Lets the answer to "Slowly?" go on. */
const later = withResolvers();
/** What is asked "Forever after?" comes to an end. */
let isMended = false;

beforeAll(async () => {
  model = await scriptedModel(reply);
  editor = await startEditor({ workspace: files, config: { ...model.config, resources: [] } });
  await editor.openChat();
});
afterAll(async () => {
  await editor?.stop();
  await model?.[Symbol.asyncDispose]();
});

/** What the model does, told by the last question. */
function reply({ body }: ScriptedRequest): ScriptedReply {
  const lastQuestion = body.messages.findLastIndex(({ role }) => role === "user");
  const question = JSON.stringify(body.messages[lastQuestion]?.content);
  const hasTools = body.messages.slice(lastQuestion).some(({ role }) => role === "tool");
  if (question.includes("How long")) {
    return hasTools
      ? { text: ["It waits **100 ms**, ", "then twice as long [[demo:src/retry.ts#L5-L7]]."] }
      : { reasoning: ["Where is ", "the delay?"], toolCalls: fiveTools };
  }
  if (question.includes("Forever after") && isMended) return { text: "It ends." };
  if (question.includes("Forever")) return { text: ["It begins"], hang: true };
  if (question.includes("Broken")) return { text: ["It begins"], closeAfter: 1 };
  if (question.includes("Slowly"))
    return { text: ["First part. "], later: { after: later.promise, text: "Second part." } };
  return { text: "You asked something else." };
}

const fiveTools = [
  { name: "search", input: { query: "delay" } },
  { name: "grep", input: { pattern: "delayMs" } },
  { name: "glob", input: { pattern: "**/*.ts" } },
  { name: "list", input: {} },
  { name: "read", input: { path: "src/retry.ts" } },
];

async function ask(question: string): Promise<void> {
  const box = editor.chat.getByRole("textbox", { name: "Question" });
  // While an answer runs, Enter sends nothing.
  await editor.chat.getByRole("button", { name: "Send" }).waitFor();
  await box.fill(question);
  await box.press("Enter");
}

const turnCount = () => editor.chat.locator("li.turn").count();
const lastTurn = () => editor.chat.locator("li.turn").last();
const inTurn = (text: string) => lastTurn().getByText(text);
const checkShown = (locator: Locator) => locator.first().waitFor();

test("a question is answered, with reasoning, five tools and a citation that was checked", async () => {
  await ask("How long does it wait?");
  await checkShown(inTurn("100 ms"));
  await checkShown(inTurn("Reasoning"));
  await checkShown(inTurn("5 steps"));
  await checkShown(lastTurn().getByRole("button", { name: /retry\.ts:5-7 verified: citation of/ }));
  await editor.screenshot("chat-answer");
});

test("a citation opens the cited lines, with nothing selected", async () => {
  const citation = lastTurn().getByRole("button", { name: /: citation of/ });
  await citation.first().click();
  await checkShown(editor.page.getByRole("tab", { name: /retry\.ts/ }));
  await checkShown(editor.page.locator(".view-line").getByText("delayMs * 2 ** attempt"));
  await checkShown(editor.page.getByRole("button", { name: /^Ln 5, Col 1(?! \(\d+ selected\))/ }));
  await editor.screenshot("chat-citation");
});

test("the cited lines of an editor go along with a question", async () => {
  await editor.runCommand("Citewell: Ask About Selection");
  await checkShown(editor.chat.getByRole("button", { name: "Remove retry.ts:5-7" }));
  await ask("What is this?");
  await checkShown(inTurn("You asked something else."));
  const sent = JSON.stringify(model.requests.at(-1)?.body.messages);
  expect(sent).toContain("What is this?\\n\\nAttached from `src/retry.ts` (retry.ts:5-7):");
  expect(sent).toContain("return delayMs * 2 ** attempt;");
});

test("stopping keeps what had arrived", async () => {
  await ask("Forever?");
  await checkShown(inTurn("It begins"));
  await editor.chat.getByRole("button", { name: "Stop" }).click();
  await checkShown(inTurn("Stopped. The answer is partial; its citations were checked."));
  expect(await lastTurn().textContent()).toContain("It begins");
});

test("an error in the middle is shown below the partial answer, with a next step", async () => {
  await ask("Broken?");
  const card = lastTurn().getByRole("region", { name: "The question could not be answered" });
  await checkShown(card.getByRole("button", { name: "Ask again" }));
  expect(await lastTurn().textContent()).toContain("It begins");
  await editor.screenshot("chat-error");
});

test("an answer goes on while the view is hidden, and is there when it comes back", async () => {
  await ask("Slowly?");
  await checkShown(inTurn("First part."));
  const explorer = editor.page.getByRole("tab", { name: /^Explorer/ });
  await explorer.first().click();
  await editor.chat.locator("body").waitFor({ state: "detached" });
  later.resolve();
  await editor.page.getByRole("tab", { name: "Citewell" }).click();
  await checkShown(inTurn("First part. Second part."));
});

test("a server that ends in the middle leaves the partial answer, and the next start answers again", async () => {
  isMended = false;
  await ask("Forever after?");
  await checkShown(inTurn("It begins"));
  const turns = await turnCount();
  await editor.runCommand("Citewell: Restart Server");
  const card = lastTurn().getByRole("region", { name: "The question could not be answered" });
  await checkShown(card);
  isMended = true;
  await card.getByRole("button", { name: "Ask again" }).click();
  await checkShown(inTurn("It ends."));
  // It is kept once it is complete.
  await checkShown(lastTurn().getByRole("button", { name: "Copy answer" }));
  expect(await turnCount()).toBe(turns);
});

test("the history lists the conversation", async () => {
  await openHistory();
  await checkShown(threadRow());
});

test("the conversation is there again after a reload", async () => {
  await editor.openChat();
  await checkShown(inTurn("It ends."));
  const turns = await turnCount();
  await editor.reload();
  await editor.openChat();
  await openHistory();
  await checkShown(inTurn("It ends."));
  expect(await turnCount()).toBe(turns);
  await checkShown(editor.chat.getByText("Stopped. The answer is partial; its citations were checked."));
  await checkShown(editor.chat.getByText("retry.ts:5-7", { exact: true }));
  await editor.screenshot("chat-reloaded");
});

test("a new chat is empty, and an old one is found by any of its questions", async () => {
  await editor.runCommand("Citewell: New Chat");
  await checkShown(editor.chat.getByText("Ask your code"));
  // The focus comes last, and would close the palette.
  await checkShown(editor.chat.locator("textarea:focus"));
  await editor.runCommand("Citewell: Search History…");
  await editor.page.getByPlaceholder("Search titles and questions").fill("Slowly");
  await editor.page.getByRole("option", { name: /How long does it wait\?/ }).click();
  await checkShown(inTurn("It ends."));
});

test("an export is a Markdown document that was not saved", async () => {
  await editor.chat.getByRole("button", { name: "Export conversation" }).click();
  await checkShown(editor.page.getByRole("tab", { name: /^# How long does it wait\?/ }));
  await checkShown(editor.page.locator(".view-line").getByText("**Sources**"));
  await editor.screenshot("chat-export");
});

test("a conversation that is deleted is gone from the history and from the chat", async () => {
  await threadRow().hover();
  await threadRow().getByRole("button", { name: "Delete Conversation" }).click();
  await editor.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await threadRow().waitFor({ state: "detached" });
  await checkShown(editor.chat.getByText("Ask your code"));
});

/** It is folded at first, and perhaps after a reload. */
async function openHistory(): Promise<void> {
  const header = editor.page.getByRole("button", { name: "History Section" });
  if ((await header.getAttribute("aria-expanded")) === "false") await header.click();
}
const threadRow = () => editor.page.getByRole("treeitem", { name: /How long does it wait\?/ });

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
