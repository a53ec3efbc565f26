import { describe, expect, test } from "vitest";
import { type AgentEvent, runAgent } from "../../../server/agent/agent.ts";
import { createLedger } from "../../../server/citations/citations.ts";
import { CitewellError } from "../../../server/errors.ts";
import { silentLog } from "../../../server/lib/log.ts";
import type { EditorModelPart, EditorModelRequest, EditorModels } from "../../../server/protocol/editor-model.ts";
import { createProviders } from "../../../server/providers/providers.ts";
import { createRetrieval } from "../../../server/retrieval/retrieval.ts";
import { environmentCredentials } from "../../support/credentials.ts";
import { fixture } from "../../support/fixture.ts";

type Reply = readonly EditorModelPart[] | CitewellError | "hang";

/** An editor with one scripted model. */
function fakeEditor(script: readonly Reply[]) {
  const requests: EditorModelRequest[] = [];
  const stopped: unknown[] = [];
  const editorModels: EditorModels = {
    async list() {
      return [{ id: "fake/one", vendor: "fake", family: "one", name: "One", maxInputTokens: 64_000 }];
    },
    async respond(request, { onPart, signal }) {
      const reply = script[requests.length];
      requests.push(structuredClone(request));
      if (reply instanceof CitewellError) throw reply;
      if (reply === "hang" || reply === undefined) {
        onPart({ type: "text", text: "It " });
        await new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => {
            stopped.push(signal.reason);
            reject(signal.reason);
          });
        });
        return {};
      }
      reply.forEach(onPart);
      return { inputTokens: 10, outputTokens: 2 };
    },
  };
  return { requests, stopped, editorModels };
}

function providersOf(editorModels?: EditorModels) {
  const credentials = environmentCredentials();
  return createProviders({ fetch, credentials, options: () => ({}), editorModels, log: silentLog });
}

interface AskOptions {
  maxSteps?: number;
  onEvent?: (event: AgentEvent, stop: AbortController) => void;
}

/** One line per event, a failure last. */
async function ask(editorModels: EditorModels, { maxSteps = 10, onEvent }: AskOptions = {}): Promise<string[]> {
  const stop = new AbortController();
  const lines: string[] = [];
  try {
    const run = runAgent({
      question: "what is a?",
      snapshots: [fixture("//- a.ts\nexport const a = 1;\n")],
      retrieval: createRetrieval(),
      ledger: createLedger(),
      model: await providersOf(editorModels).languageModel({ provider: "vscode", model: "fake/one" }),
      limits: { maxSteps, providerTimeoutMs: 20_000 },
      signal: stop.signal,
      log: silentLog,
    });
    for await (const event of run) {
      lines.push(lineOf(event));
      onEvent?.(event, stop);
    }
  } catch (error) {
    lines.push(error instanceof CitewellError ? `${error.tag}: ${error.message}` : String(error));
  }
  return lines;
}

function lineOf(event: AgentEvent): string {
  switch (event.type) {
    case "tool.updated":
      return `${event.tool} ${event.state.status}`;
    case "finish":
      return `finish ${event.usage.inputTokens} ${event.usage.outputTokens}`;
    case "reasoning.delta":
    case "text.delta":
      return event.delta;
  }
}

const read: EditorModelPart = { type: "tool-call", callId: "1", name: "read", input: { path: "a.ts" } };

describe("a question", () => {
  test("is answered by an editor model that calls tools and reads their results", async () => {
    const editor = fakeEditor([
      [{ type: "text", text: "I look." }, read],
      [
        { type: "text", text: "It is " },
        { type: "text", text: "1." },
      ],
    ]);
    expect(await ask(editor.editorModels)).toEqual([
      "I look.",
      "read pending",
      "read running",
      "read completed",
      "\n\nIt is ",
      "1.",
      "finish 20 4",
    ]);
    const [first, second] = editor.requests;
    expect(first?.model).toBe("fake/one");
    expect(first?.tools.map(({ name }) => name)).toEqual([
      "search",
      "definition",
      "references",
      "grep",
      "glob",
      "list",
      "outline",
      "read",
    ]);
    expect(first?.tools[0]?.inputSchema).toMatchObject({ type: "object", required: ["query"] });
    expect(first?.messages.map(({ role }) => role)).toEqual(["user", "user"]);
    expect(first?.messages[1]?.content).toEqual([{ type: "text", text: "what is a?" }]);
    expect(second?.messages.slice(2)).toEqual([
      { role: "assistant", content: [{ type: "text", text: "I look." }, read] },
      {
        role: "user",
        content: [{ type: "tool-result", callId: "1", text: expect.stringContaining("export const a = 1;") }],
      },
    ]);
  });

  test("in its last step gets no tools and earlier results as text", async () => {
    const editor = fakeEditor([[read], [{ type: "text", text: "1." }]]);
    await ask(editor.editorModels, { maxSteps: 2 });
    const last = editor.requests[1];
    expect(last?.tools).toEqual([]);
    expect(last?.messages.slice(2)).toEqual([
      { role: "assistant", content: [{ type: "text", text: 'I call read with {"path":"a.ts"}.' }] },
      { role: "user", content: [{ type: "text", text: expect.stringContaining("export const a = 1;") }] },
    ]);
  });

  test("that is cancelled stops the model", async () => {
    const editor = fakeEditor(["hang"]);
    const lines = await ask(editor.editorModels, { onEvent: (_event, stop) => stop.abort() });
    expect(lines).toEqual(["It ", "Cancelled: the question was cancelled"]);
    expect(editor.stopped).toHaveLength(1);
  });

  test.each(["ModelNotFound", "ProviderRefused", "ProviderRateLimited", "ProviderNotConnected"] as const)(
    "fails with the editor's error: %s",
    async (tag) => {
      const editor = fakeEditor([new CitewellError(tag, "the editor says no")]);
      expect(await ask(editor.editorModels)).toEqual([`${tag}: the editor says no`]);
    },
  );
});

describe("the provider vscode", () => {
  test("is available only inside the editor", async () => {
    expect(await providersOf(fakeEditor([]).editorModels).isConnected("vscode")).toBe(true);
    const outside = providersOf();
    expect(await outside.isConnected("vscode")).toBe(false);
    await expect(outside.languageModel({ provider: "vscode", model: "fake/one" })).rejects.toMatchObject({
      tag: "ProviderNotConnected",
      message: "the provider vscode is available only inside the editor",
    });
  });

  test("lists the editor's models", async () => {
    const providers = providersOf(fakeEditor([]).editorModels);
    expect(await providers.listModels("vscode")).toEqual({ "fake/one": { name: "One", contextTokens: 64_000 } });
    expect(await providers.checkModel({ provider: "vscode", model: "fake/one" })).toEqual({ type: "served" });
    const check = await providers.checkModel({ provider: "vscode", model: "fake/ona" });
    expect(check).toEqual({ type: "not-served", nearest: ["fake/one"] });
  });
});
