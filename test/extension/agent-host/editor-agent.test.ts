import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { createServer } from "../../../extension/client.ts";
import type { Citewell } from "../../../extension/context.ts";
import { registerEditorModels } from "../../../extension/features/editor-models.ts";
import { prepareTool } from "../../../extension/features/language-tools/run.ts";
import { defineMcpServer, resolveMcpServer } from "../../../extension/features/mcp.ts";
import { answerRequest } from "../../../extension/features/participant/answer.ts";
import { followupsFor } from "../../../extension/features/participant/followups.ts";
import type { PublishedToolName } from "../../../server/protocol/published-tools.ts";

type Reply = (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] | Error | "hang";

suite("the editor's agent", () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  let own: ReturnType<typeof ownCitewell>;
  suiteSetup(() => {
    own = ownCitewell();
  });
  suiteTeardown(() => own.dispose());

  test("@citewell answers with the model of the chat, cites places, and goes on in its thread", async () => {
    const model = fakeModel([
      [new vscode.LanguageModelToolCallPart("1", "read", { path: "src/retry.ts" })],
      [new vscode.LanguageModelTextPart("It doubles [[src/retry.ts#L2-L4]].")],
    ]);
    const stream = fakeStream();
    const result = await own.ask({ prompt: `how long does it wait?`, model: model.chat, of: folder }, stream);
    assert.equal(result?.errorDetails, undefined);
    assert.match(stream.text(), /^It doubles ⚓src\/retry\.ts:2-4\./);
    assert.equal(stream.references.length, 1);
    assert.equal(typeof result?.metadata?.["thread"], "string");
    assert.deepEqual(result?.metadata?.["states"], ["verified"]);
    assert.equal(model.requests[0]?.options.tools?.[0]?.name, "search");
    assert.equal(followupsFor(result ?? {}).length, 2);
  });

  test("@citewell explains in the chat why the model did not answer", async () => {
    const model = fakeModel([vscode.LanguageModelError.NoPermissions("no")]);
    const result = await own.ask({ prompt: "why?", model: model.chat, of: folder }, fakeStream());
    assert.match(result?.errorDetails?.message ?? "", /Citewell may not use vscode\/fake\/one/);
    assert.equal(result?.metadata?.["tag"], "ProviderRefused");
  });

  test("stopping the answer stops the model", async () => {
    const model = fakeModel(["hang"]);
    const cancellation = new vscode.CancellationTokenSource();
    const asked = own.ask({ prompt: "why?", model: model.chat, of: folder }, fakeStream(), cancellation.token);
    await model.asked;
    cancellation.cancel();
    assert.equal(await asked, undefined);
    await model.stopped;
  });

  test("/find shows passages and asks no model", async () => {
    const stream = fakeStream();
    const model = fakeModel([]);
    await own.ask({ prompt: "delayMs attempt", model: model.chat, of: folder, command: "find" }, stream);
    assert.match(stream.text(), /⚓src\/retry\.ts:/);
    assert.deepEqual(model.requests, []);
  });

  test("/find that finds nothing says how much was searched, and which file may be meant", async () => {
    const stream = fakeStream();
    await own.ask({ prompt: "retyr", model: fakeModel([]).chat, of: folder, command: "find" }, stream);
    const name = path.basename(folder);
    assert.equal(stream.text(), `Nothing was found in 1 file.\n\nFiles of a similar name:\n- ${name}:src/retry.ts\n`);
  });

  test("a tool asks before it fetches what is not on this computer, and only then", async () => {
    const asked = async (input: Record<string, unknown>) => (await own.prepare("search", input)).confirmationMessages;
    const far = { query: "retry", resources: ["https://example.com/owner/far"] };
    assert.match(JSON.stringify(await asked(far)), /https:\/\/example\.com\/owner\/far/);
    assert.equal(await asked({ query: "retry", resources: [folder] }), undefined);
  });

  test("the MCP server that is declared starts, and offers its tools", async () => {
    const { command, args, env, cwd } = await own.mcpServer();
    assert.equal(cwd?.fsPath, folder);
    const given = Object.entries({ ...process.env, ...env }).filter(([, value]) => value !== null);
    const server = spawn(command, args, {
      cwd: cwd?.fsPath,
      env: Object.fromEntries(given.map(([name, value]) => [name, value?.toString()])),
      stdio: ["pipe", "pipe", "ignore"],
    });
    const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const clientInfo = { name: "editor", version: "1" };
    send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
    const replies: string[] = [];
    for await (const line of createInterface(server.stdout)) {
      replies.push(line);
      if (line.includes('"id":1')) {
        send({ method: "notifications/initialized" });
        send({ id: 2, method: "tools/list" });
      }
      if (line.includes('"id":2')) server.stdin.end();
    }
    assert.match(replies.join("\n"), /"serverInfo":\{[^}]*"name":"citewell"/);
    for (const name of ["ask", "search", "listResources"])
      assert.ok(replies.join("\n").includes(`"name":"${name}"`), name);
  });
});

/** What features stand on, with a server process of its own. */
function ownCitewell() {
  const extension = vscode.extensions.getExtension("citewell.citewell");
  assert.ok(extension);
  const { extensionUri } = extension;
  const log = vscode.window.createOutputChannel("Citewell Test", { log: true });
  const globalStorageUri = vscode.Uri.joinPath(extensionUri, ".vscode-test", "own-storage");
  const server = createServer({ extension: { extensionUri, globalStorageUri }, log });
  const nothing = new vscode.EventEmitter<void>().event;
  const state = { get: () => undefined, keys: () => [], update: async () => {}, setKeysForSync() {} };
  let names: readonly string[] = [];
  const citewell: Citewell = {
    extension: { extensionUri, globalStorageUri, globalState: state, workspaceState: state },
    version: "0.0.0",
    log,
    server,
    changes: { onDidChangeResources: nothing, onDidChangeModel: nothing, onDidChangeThreads: nothing, fire() {} },
    selection: {
      get names() {
        return names;
      },
      onDidChange: nothing,
      async set() {},
    },
  };
  const editorModels = registerEditorModels(citewell);
  return {
    ask(
      request: { prompt: string; model: vscode.LanguageModelChat; of: string; command?: string },
      stream: vscode.ChatResponseStream,
      token = new vscode.CancellationTokenSource().token,
    ) {
      names = [request.of];
      const { prompt, model, command } = request;
      const asked = { prompt, model, command, references: [] };
      return answerRequest(asked, { context: { history: [] }, stream, token, citewell, editorModels });
    },
    prepare: (name: PublishedToolName, input: Record<string, unknown>) =>
      prepareTool(name, input, { citewell, token: new vscode.CancellationTokenSource().token }),
    mcpServer: () => resolveMcpServer(defineMcpServer(citewell), citewell),
    async dispose() {
      editorModels.dispose();
      await server.stop();
      server.dispose();
      log.dispose();
    },
  };
}

/** A model of the chat that answers what the script says. */
function fakeModel(script: readonly Reply[]) {
  const requests: { messages: vscode.LanguageModelChatMessage[]; options: vscode.LanguageModelChatRequestOptions }[] =
    [];
  let tellAsked = () => {};
  let tellStopped = () => {};
  const asked = new Promise<void>((resolve) => (tellAsked = resolve));
  const stopped = new Promise<void>((resolve) => (tellStopped = resolve));
  const chat: vscode.LanguageModelChat = {
    id: "one",
    vendor: "fake",
    family: "one",
    name: "One",
    version: "1",
    maxInputTokens: 100_000,
    countTokens: async (text) => (typeof text === "string" ? text.length : 1),
    async sendRequest(messages, options = {}, token) {
      const reply = script[requests.length];
      requests.push({ messages, options });
      tellAsked();
      if (reply instanceof Error) throw reply;
      if (reply === "hang") {
        await new Promise<void>((resolve) => token?.onCancellationRequested(() => resolve()));
        tellStopped();
        throw new vscode.CancellationError();
      }
      return { stream: each(reply ?? []), text: each([]) };
    },
  };
  return { chat, requests, asked, stopped };
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

/** Writes down what would be shown. */
function fakeStream() {
  const shown: string[] = [];
  const references: unknown[] = [];
  const place = (value: vscode.Uri | vscode.Location) =>
    value instanceof vscode.Location ? value.uri.path.split("/").slice(2).join("/") : value.path;
  return {
    references,
    text: () => shown.join(""),
    markdown: (text: string | vscode.MarkdownString) => void shown.push(typeof text === "string" ? text : text.value),
    anchor: (value: vscode.Uri | vscode.Location, title = "") => void shown.push(`⚓${title || place(value)}`),
    button() {},
    filetree() {},
    progress() {},
    reference: (value: vscode.Uri | vscode.Location) => void references.push(value),
    push() {},
  };
}
