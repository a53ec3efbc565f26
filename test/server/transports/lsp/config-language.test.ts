import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CancellationTokenSource, LSPErrorCodes, type PublishDiagnosticsParams } from "vscode-languageserver/node";
import * as z from "zod";
import { type Folder, temporaryFolder } from "../../../support/folder.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { type LspProcess, startLsp } from "../../../support/lsp.ts";
import { marked } from "../../../support/marked.ts";

const saved = `{
  "resources": [
    { "type": "local", "name": "demo", "path": "./demo" },
  ],
}
`;

const Actions = z.array(z.object({ command: z.object({ arguments: z.array(z.unknown()) }).optional() }));

let folder: Folder;
let server: GitServer;
let client: LspProcess;
let uri: string;
let version = 0;
const published: PublishDiagnosticsParams[] = [];
let onPublished = (): void => {};

beforeAll(async () => {
  folder = await temporaryFolder("//- demo/src/a.ts\nexport {};\n");
  await folder.write(`//- citewell.config.jsonc\n${saved}`);
  await folder.write('//- .home/citewell.config.jsonc\n{ "allowHosts": ["localhost"], "resources": [] }\n');
  server = await startGitServer();
  client = await startLsp({ folder: folder.path, env: { GIT_SSL_CAINFO: server.caFile } });
  client.connection.onNotification("textDocument/publishDiagnostics", (params: PublishDiagnosticsParams) => {
    published.push(params);
    onPublished();
  });
  uri = pathToFileURL(path.join(folder.path, "citewell.config.jsonc")).href;
  const textDocument = { uri, languageId: "citewell-config", version, text: saved };
  await client.connection.sendNotification("textDocument/didOpen", { textDocument });
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Makes it the text of the document, as typing would. */
async function type(text: string): Promise<void> {
  const textDocument = { uri, version: ++version };
  await client.connection.sendNotification("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
}

/** What is told of the document as it is now. */
async function diagnosed(): Promise<PublishDiagnosticsParams> {
  for (;;) {
    const found = published.findLast((params) => params.uri === uri && params.version === version);
    if (found !== undefined) return found;
    await new Promise<void>((resolve) => {
      onPublished = resolve;
    });
  }
}

/** A request at the `|` of a text that is typed for it. */
async function ask(method: string, source: string): Promise<unknown> {
  const { text, offset } = marked(source);
  await type(text);
  const lines = text.slice(0, offset).split("\n");
  const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  const range = { start: position, end: position };
  const context = { diagnostics: [] };
  const reply = await client.call(method, { textDocument: { uri }, position, range, context });
  return "result" in reply ? reply.result : reply;
}

describe("the configuration file in an editor", () => {
  test("a saved one has nothing to be said of it", async () => {
    await type(saved);
    expect(await diagnosed()).toEqual({ uri, version, diagnostics: [] });
  });

  test("faults come with the version that has them", async () => {
    await type('{\n  "maxSteps": 0,\n  "modle": "a"\n}');
    expect((await diagnosed()).diagnostics).toMatchObject([
      {
        range: { start: { line: 1, character: 14 }, end: { line: 1, character: 15 } },
        severity: 1,
        code: "invalid",
        source: "citewell",
        message: "maxSteps: 0: must be at least 1",
      },
      { severity: 2, code: "unknown-key", tags: [1] },
    ]);
  });

  test("completion replaces the text in the quotes", async () => {
    const items = await ask("textDocument/completion", '{ "provider": "bui|" }');
    expect(items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          label: "builtin",
          filterText: '"builtin"',
          textEdit: {
            range: { start: { line: 0, character: 14 }, end: { line: 0, character: 19 } },
            newText: '"builtin"',
          },
        }),
      ]),
    );
  });

  test("folders of the disk and of a resource are offered", async () => {
    const onDisk = await ask("textDocument/completion", '{ "dataDirectory": "./de|" }');
    expect(onDisk).toMatchObject([{ label: "demo", filterText: '"./demo"' }]);
  });

  test("hover explains a key", async () => {
    expect(await ask("textDocument/hover", '{ "max|Steps": 3 }')).toEqual({
      contents: {
        kind: "markdown",
        value: "**maxSteps**\n\nThe maximum number of model calls per question. Default: 40.\n\nFrom 1 to 1000.",
      },
      range: { start: { line: 0, character: 2 }, end: { line: 0, character: 12 } },
    });
  });

  test("quick fixes are edits of the document", async () => {
    const actions = await ask("textDocument/codeAction", '{ "mo|dle": "a" }');
    expect(actions).toMatchObject([
      {
        title: 'Rename to "model"',
        kind: "quickfix",
        isPreferred: true,
        diagnostics: [{ code: "unknown-key" }],
        edit: { changes: { [uri]: [{ newText: '"model"' }] } },
      },
      { title: "Remove the key" },
      { title: "Add the address of the schema", kind: "refactor" },
    ]);
  });

  test("a resource that is in force can be asked about", async () => {
    const lenses = await ask("textDocument/codeLens", `|${saved}`);
    expect(lenses).toMatchObject([
      { command: { title: "Ask about this resource", command: "citewell.askAboutResource", arguments: ["demo"] } },
      { command: { title: "ready", command: "" } },
    ]);
  });

  test("while the saved file is broken, providers are offered all the same", async () => {
    await folder.write('//- citewell.config.jsonc\n{ "maxSteps": 0 }\n');
    const items = await ask("textDocument/completion", '{ "maxSteps": 0, "provider": "|" }');
    await folder.write(`//- citewell.config.jsonc\n${saved}`);
    expect(items).toEqual(expect.arrayContaining([expect.objectContaining({ label: "builtin" })]));
  });

  test("the outline has resources by name", async () => {
    const symbols = await ask("textDocument/documentSymbol", `|${saved}`);
    expect(symbols).toMatchObject([{ name: "resources", children: [{ name: "demo", detail: "./demo" }] }]);
  });

  test("formatting keeps comments", async () => {
    await type('{\n// why\n"model":"a"}');
    const options = { tabSize: 2, insertSpaces: true };
    const reply = await client.call("textDocument/formatting", { textDocument: { uri }, options });
    expect(reply).toMatchObject({ result: expect.arrayContaining([expect.objectContaining({ newText: " " })]) });
  });

  test("a key is kept where keys belong, and leaves the file; no command carries it", async () => {
    const key = "sk-0123456789-not-a-real-key";
    const actions = await ask(
      "textDocument/codeAction",
      `{ "providerOptions": { "openai": { "name": "o", "apiKey": "${key.slice(0, 4)}|${key.slice(4)}" } } }`,
    );
    const [place] = Actions.parse(actions).flatMap(({ command }) => command?.arguments ?? []);
    expect(place).toEqual({ uri, provider: "openai", path: ["providerOptions", "openai", "apiKey"] });
    const applied = new Promise<unknown>((resolve) => {
      client.connection.onRequest("workspace/applyEdit", (params: unknown) => {
        resolve(params);
        return { applied: true };
      });
    });
    const reply = await client.call("workspace/executeCommand", { command: "_citewell.storeKey", arguments: [place] });
    expect(reply).toEqual({ result: true });
    expect(await applied).toMatchObject({
      edit: { documentChanges: [{ textDocument: { uri, version }, edits: [{ newText: "" }] }] },
    });
    expect(await client.call("citewell/listProviders")).toMatchObject({
      result: { connected: expect.arrayContaining(["openai"]) },
    });
  });

  test("requests branches from the host, and stops once the request is cancelled", async () => {
    await server.commit("repo", { "a.ts": "" }, { branch: "main" });
    await server.commit("repo", { "b.ts": "" }, { branch: "dev" });
    const resource = (name: string) =>
      `{ "resources": [{ "type": "git", "name": "r", "url": "${server.url(name)}", "branch": "|" }] }`;
    const items = await ask("textDocument/completion", resource("repo"));
    expect(items).toMatchObject([
      { label: "main", detail: "default branch" },
      { label: "dev", detail: "branch" },
    ]);

    const cancellation = new CancellationTokenSource();
    server.intercept(() => {
      cancellation.cancel();
      return new Promise<boolean>(() => {});
    });
    const { text, offset } = marked(resource("slow"));
    await type(text);
    const position = { line: 0, character: offset };
    const reply = await client.call("textDocument/completion", { textDocument: { uri }, position }, cancellation.token);
    expect(reply).toMatchObject({ code: LSPErrorCodes.RequestCancelled, body: { tag: "Cancelled" } });
  });

  test("closing it takes back what was said of it", async () => {
    await client.connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
    const taken = new Promise<void>((resolve) => {
      onPublished = () => (published.at(-1)?.version === undefined ? resolve() : undefined);
    });
    await taken;
    expect(published.at(-1)).toEqual({ uri, diagnostics: [] });
  });
});
