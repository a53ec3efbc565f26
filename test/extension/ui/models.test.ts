import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";
import { type ModelServer, modelServer } from "../../support/model-server.ts";

const files = `
//- citewell.config.jsonc
{ "resources": [{ "type": "local", "name": "demo", "path": "." }] }
//- src/retry.ts
/** Waits twice as long after each attempt. */
export const wait = (attempt: number) => 100 * 2 ** attempt;
`;

const rightKey = "sk-the-right-key-0123456789";
const wrongKey = "sk-a-wrong-key-9876543210";

let model: ModelServer;
let editor: Editor;
/** What every request gets. */
let refusal: { status: number; body: unknown } | undefined;

beforeAll(async () => {
  model = await modelServer({
    models: ["acme/large", "acme/small"],
    override: ({ headers }) => {
      if (refusal !== undefined) return refusal;
      if (headers.authorization !== `Bearer ${wrongKey}`) return undefined;
      return { status: 401, body: { error: { message: "no such key" } } };
    },
  });
  const providerOptions = { openrouter: { baseURL: `${model.url}/v1` } };
  editor = await startEditor({ workspace: files, config: { providerOptions, resources: [] } });
  await editor.openChat();
});
afterAll(async () => {
  await editor?.stop();
  await model?.[Symbol.asyncDispose]();
});

const input = () => editor.page.locator(".quick-input-widget");
const modelButton = (name: RegExp) => editor.chat.getByRole("button", { name });
const toasts = () => editor.page.locator(".notification-toast");

const askedWith = () => model.requests.findLast(({ method }) => method === "POST")?.headers.authorization;

async function openPicker(command: string, title: string): Promise<void> {
  await editor.runCommand(command);
  await input().getByText(title).first().waitFor();
}

async function ask(question: string): Promise<void> {
  const box = editor.chat.getByRole("textbox", { name: "Question" });
  // While an answer runs, Enter sends nothing.
  await editor.chat.getByRole("button", { name: "Send" }).waitFor();
  await box.fill(question);
  await box.press("Enter");
}

test("a provider with a key is chosen by keyboard: the key is masked, a model that is not listed is typed", async () => {
  await openPicker("Citewell: Choose Model…", "Choose Model");
  await input().getByText("Extracts").first().waitFor();
  await editor.screenshot("models-providers");
  await editor.pick("OpenRouter");
  await input().getByText("Connect OpenRouter").waitFor();
  await editor.screenshot("models-key");
  expect(await input().locator("input:focus").getAttribute("type")).toBe("password");
  await editor.page.keyboard.type(rightKey);
  await editor.page.keyboard.press("Enter");
  await input().getByText("per million tokens").first().waitFor();
  await editor.screenshot("models-list");
  // Not in the list that we know: what was looked for is taken as the id.
  await editor.pick("acme/large", "Another model…");
  await input().getByText("The model's id").waitFor();
  await editor.page.keyboard.press("Enter");
  await modelButton(/large/).waitFor();
  await editor.screenshot("models-chosen");
  await ask("Who answers?");
  await editor.chat.getByText("hello").waitFor();
  expect(askedWith()).toBe(`Bearer ${rightKey}`);
});

test("what was chosen is there after the window was loaded again", async () => {
  await editor.reload();
  await editor.openChat();
  await modelButton(/large/).waitFor();
  expect(await modelButton(/acme\/large/).count()).toBe(1);
});

test("a key that the provider refuses: one message that says so, with ways out", async () => {
  await openPicker("Citewell: Connect Provider…", "Connect Provider");
  await input().getByText("Connect Provider (1/2)").waitFor();
  await editor.screenshot("models-connect");
  await editor.pick("OpenRouter");
  await input().getByText("Connect OpenRouter").waitFor();
  await editor.page.keyboard.type(wrongKey);
  await editor.page.keyboard.press("Enter");
  await toasts()
    .filter({ hasText: "OpenRouter is connected." })
    .getByRole("button", { name: "Choose Model…" })
    .waitFor();
  await editor.screenshot("models-connected");
  await ask("And now?");
  await editor.chat
    .getByText(/refused the key \(HTTP 401\)/)
    .first()
    .waitFor();
  await editor.chat
    .getByText(/^Connect again: “Citewell: Connect Provider…”; .* by “Citewell: Choose Model…”\.$/)
    .first()
    .waitFor();
  await editor.screenshot("models-wrong-key-asked");
  expect(await editor.chat.getByRole("button", { name: "Connect provider" }).count()).toBe(1);
});

test("a server whose address is typed is asked, and needs no key", async () => {
  await openPicker("Citewell: Choose Model…", "Choose Model");
  await editor.pick("Another compatible");
  await input()
    .getByText(/The server's address/)
    .waitFor();
  await editor.screenshot("models-address");
  await editor.page.keyboard.type("localhost");
  await editor.page.keyboard.press("Enter");
  await editor.screenshot("models-address-wrong");
  await editor.page.keyboard.press("Control+A");
  await editor.page.keyboard.type(`${model.url}/v1`);
  await editor.page.keyboard.press("Enter");
  await input()
    .getByText(/A name for the server/)
    .waitFor();
  await editor.page.keyboard.press("Enter");
  await input().getByText("acme/small").first().waitFor();
  await editor.screenshot("models-server-list");
  await editor.pick("acme/small");
  await modelButton(/small/).waitFor();
  await ask("Who answers now?");
  await editor.chat.getByText("hello").last().waitFor();
  await expect.poll(askedWith).toBeUndefined();
});

test("a server with a key is connected in the same steps, and the key is asked for", async () => {
  await openPicker("Citewell: Connect Provider…", "Connect Provider");
  await input().getByText("Which provider should be connected?").or(input().getByRole("textbox")).first().waitFor();
  await editor.pick("Another compatible");
  await input().getByText("Connect Provider (2/5)").waitFor();
  await input()
    .getByText(/The server's address/)
    .waitFor();
  await editor.page.keyboard.type(`${model.url}/v1`);
  await editor.page.keyboard.press("Enter");
  await input().getByText("Connect Provider (3/5)").waitFor();
  await editor.page.keyboard.press("Enter");
  await input()
    .getByText(/The server's key/)
    .waitFor();
  await editor.screenshot("models-server-key");
  expect(await input().locator("input:focus").getAttribute("type")).toBe("password");
  await editor.page.keyboard.type(rightKey);
  await editor.page.keyboard.press("Enter");
  await input().getByText("Connect Provider (5/5)").waitFor();
  await editor.pick("acme/large");
  await modelButton(/large/).waitFor();
  await ask("Who answers with the key?");
  await expect.poll(askedWith).toBe(`Bearer ${rightKey}`);
});

test("a server that lists no models is asked again, with another key where it refused this one", async () => {
  refusal = { status: 401, body: { error: { message: "no such key" } } };
  await openPicker("Citewell: Choose Model…", "Choose Model");
  await editor.pick("Another compatible");
  await input()
    .getByText(/The server's address/)
    .waitFor();
  await editor.page.keyboard.type(`${model.url}/v1`);
  await editor.page.keyboard.press("Enter");
  await input()
    .getByText(/A name for the server/)
    .waitFor();
  await editor.page.keyboard.press("Enter");
  await input().getByText("Connect…").waitFor();
  await editor.screenshot("models-list-refused");
  await editor.pick("Connect…");
  await input()
    .getByText(/The server's key/)
    .waitFor();
  refusal = { status: 404, body: { error: { message: "not here" } } };
  await editor.page.keyboard.type(rightKey);
  await editor.page.keyboard.press("Enter");
  await input().getByText("List the Models Again").waitFor();
  expect(await input().getByText("Connect…").count()).toBe(0);
  refusal = undefined;
  await editor.pick("List the Models Again");
  await input().getByText("acme/small").first().waitFor();
  expect(await input().getByText("List the Models Again").count()).toBe(0);
  await editor.page.keyboard.press("Escape");
});

test("a provider is disconnected, and says so", async () => {
  await openPicker("Citewell: Disconnect Provider…", "Disconnect Provider");
  await editor.screenshot("models-disconnect");
  await editor.pick("OpenRouter");
  await toasts().filter({ hasText: "OpenRouter is disconnected." }).waitFor();
  expect(await toasts().filter({ hasText: "is disconnected" }).count()).toBe(1);
  await editor.screenshot("models-disconnected");
  await openPicker("Citewell: Disconnect Provider…", "Disconnect Provider");
  await editor.pick("OpenAI-compatible");
  await toasts().filter({ hasText: "OpenAI-compatible server is disconnected." }).waitFor();
});

test("the status bar's list leads to the models, too; extracts need nothing", async () => {
  await editor.page.getByRole("button", { name: /^Citewell asks/ }).click();
  await input().getByText("Restart Server").waitFor();
  await editor.screenshot("status-actions");
  await editor.pick("Choose Model");
  await input().getByText("Choose Model").first().waitFor();
  await editor.pick("Built-in");
  await modelButton(/[Ee]xtract/).waitFor();
  expect(await modelButton(/acme/).count()).toBe(0);
  await editor.screenshot("models-builtin-chosen");
});

test("no key is in settings, state, logs or the conversation", async () => {
  const written = await readdir(editor.server.folder, { recursive: true, withFileTypes: true });
  const places = written
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("extensions"))
    .map((entry) => path.join(entry.parentPath, entry.name));
  expect(places.some((file) => /Citewell.*\.log$/.test(file))).toBe(true);
  const texts = await Promise.all(places.map(async (file) => ({ file, text: await readFile(file, "latin1") })));
  expect(
    texts.filter(({ text }) => text.includes(rightKey) || text.includes(wrongKey)).map(({ file }) => file),
  ).toEqual([]);
  expect(await editor.chat.locator("html").innerHTML()).not.toContain(rightKey);
});
