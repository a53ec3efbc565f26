import { describe, expect, test } from "vitest";
import { CancellationTokenSource } from "vscode-languageserver/node";
import { CitewellError } from "../../../../server/errors.ts";
import type { Log } from "../../../../server/lib/log.ts";
import { type AskEvent, emptyAnswer } from "../../../../server/protocol/ask.ts";
import { operationNames, operations } from "../../../../server/protocol/operations.ts";
import { clientLog } from "../../../../server/transports/lsp/log.ts";
import type { EditorLimits } from "../../../../server/transports/lsp/settings.ts";
import { serveInMemory } from "../../../support/lsp.ts";

const { model, resources, collection, snapshots } = emptyAnswer;
const meta: AskEvent = { type: "meta", model, resources, collection, snapshots };
const delta = (text: string): AskEvent => ({ type: "text.delta", delta: text });
const question = { question: "Why?" };

describe("events", () => {
  test("come in their order, before a reply that is empty", async () => {
    const sent = [meta, ...Array.from({ length: 200 }, (_, index) => delta(`${index} `))];
    const client = await serveInMemory({
      async *ask() {
        yield* sent;
      },
    });
    expect(await client.stream("citewell/ask", question)).toEqual({ result: null, events: sent });
  });

  test("of two questions at once each go to their own", async () => {
    const client = await serveInMemory({
      async *ask({ question: text }) {
        yield meta;
        for (let index = 0; index < 20; index += 1) {
          await Promise.resolve();
          yield delta(text);
        }
      },
    });
    const [one, two] = await Promise.all([
      client.stream("citewell/ask", { question: "one" }),
      client.stream("citewell/ask", { question: "two" }),
    ]);
    expect(one.events).toEqual([meta, ...Array.from({ length: 20 }, () => delta("one"))]);
    expect(two.events).toEqual([meta, ...Array.from({ length: 20 }, () => delta("two"))]);
  });

  test("are folded where no token asks for them", async () => {
    const client = await serveInMemory({
      async *ask() {
        yield meta;
        yield delta("Because ");
        yield delta("of it.");
      },
    });
    expect(await client.call("citewell/ask", question)).toMatchObject({ result: { text: "Because of it." } });
  });

  test("are asked for no faster than they can be sent", async () => {
    let yielded = 0;
    const client = await serveInMemory({
      async *ask() {
        for (; yielded < 10_000; yielded += 1) yield delta("x".repeat(1000));
      },
    });
    // What the client's side is stopped at is kept by streams and not by us; far less than all of it.
    const stalled = new Promise<number>((resolve) => {
      const stream = client.stream("citewell/ask", question, { onEvent: () => resolve(yielded) });
      void stream.then(() => resolve(yielded));
    });
    expect(await stalled).toBeLessThan(1000);
  });
});

describe("cancelling", () => {
  test("aborts the operation's signal, and the reply says so after what had come", async () => {
    const source = new CancellationTokenSource();
    let reason: unknown;
    const client = await serveInMemory({
      async *ask(_request, { signal } = {}) {
        yield delta("Because");
        await new Promise((resolve) => signal?.addEventListener("abort", resolve));
        reason = signal?.reason;
        signal?.throwIfAborted();
      },
    });
    const reply = await client.stream("citewell/ask", question, {
      token: source.token,
      onEvent: () => source.cancel(),
    });
    expect(reply).toEqual({
      code: -32800,
      message: "the request was cancelled",
      body: { error: "the request was cancelled", tag: "Cancelled" },
      events: [delta("Because")],
    });
    expect(reason).toMatchObject({ tag: "Cancelled" });
  });

  test("needs nothing of an operation that does not listen", async () => {
    const source = new CancellationTokenSource();
    const client = await serveInMemory({
      listResources: () => {
        source.cancel();
        return new Promise<never>(() => {});
      },
    });
    const reply = await client.call("citewell/listResources", {}, source.token);
    expect(reply).toMatchObject({ code: -32800, body: { tag: "Cancelled" } });
  });
});

describe("failures", () => {
  const failing = (error: unknown) =>
    serveInMemory({
      async listThreads() {
        throw error;
      },
    });

  test("carry the error object", async () => {
    const client = await failing(new CitewellError("ProviderNotConnected", "no key", { hint: "citewell connect" }));
    expect(await client.call("citewell/listThreads")).toEqual({
      code: -32803,
      message: "no key",
      body: { error: "no key", tag: "ProviderNotConnected", hint: "citewell connect" },
    });
  });

  test("in the middle come after the events that were sent", async () => {
    const client = await serveInMemory({
      async *ask() {
        yield delta("Because");
        throw new CitewellError("ProviderFailed", "the line is dead");
      },
    });
    expect(await client.stream("citewell/ask", question)).toMatchObject({
      code: -32803,
      body: { tag: "ProviderFailed" },
      events: [delta("Because")],
    });
  });

  test.each([
    ["a field at fault", { question: "" }, 'question: "": a question must not be empty'],
    ["nothing", undefined, "question: missing: must be a string"],
    ["a list", [1, 2], "the request: a list of 2: must be an object"],
    ["a token of no kind", { question: "x", partialResultToken: {} }, "partialResultToken"],
  ])("of the request itself name the fault: %s", async (_name, params, text) => {
    const client = await serveInMemory();
    const reply = await client.connection.sendRequest("citewell/ask", params).catch((error: unknown) => error);
    expect(reply).toMatchObject({
      code: -32602,
      data: { tag: "InvalidRequest", error: expect.stringContaining(text) },
    });
  });

  test("that are not ours are Internal, with the details in the log only", async () => {
    const errors: unknown[] = [];
    const log: Log = { debug() {}, info() {}, warn() {}, error: (...entry) => errors.push(entry) };
    const fault = new Error("undefined is not a function");
    const listThreads = async () => {
      throw fault;
    };
    const client = await serveInMemory({ listThreads }, { log });
    expect(await client.call("citewell/listThreads")).toMatchObject({ code: -32603, body: { tag: "Internal" } });
    expect(errors).toEqual([["request-failed", { operation: "listThreads", error: fault }]]);
  });

  test("an unknown request is refused by the protocol", async () => {
    const client = await serveInMemory();
    expect(await client.call("citewell/nothing")).toMatchObject({ code: -32601 });
  });
});

describe("the life of a connection", () => {
  test("every operation with a name on this wire is answered, under the name of the operation", async () => {
    const client = await serveInMemory();
    for (const name of operationNames) {
      const operation = operations[name];
      if (!("lsp" in operation)) continue;
      expect(operation.lsp).toBe(`citewell/${name}`);
      expect(await client.call(operation.lsp)).not.toMatchObject({ code: -32601 });
    }
  });

  test("after shutdown nothing is begun, and what runs is cancelled", async () => {
    let begun = (): void => {};
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const client = await serveInMemory({
      listThreads() {
        begun();
        return new Promise<never>(() => {});
      },
    });
    const reply = client.call("citewell/listThreads");
    await running;
    expect(await client.call("shutdown", null)).toEqual({ result: null });
    expect(await reply).toMatchObject({ code: -32800 });
    expect(await client.call("citewell/listThreads")).toMatchObject({ code: -32600 });
    await client.connection.sendNotification("exit");
    expect(await client.ended).toBe(0);
  });

  test("exit without shutdown is a fault", async () => {
    const client = await serveInMemory();
    await client.connection.sendNotification("exit");
    expect(await client.ended).toBe(1);
  });

  test("it ends from our side, too", async () => {
    const stopping = new AbortController();
    const client = await serveInMemory({}, { signal: stopping.signal });
    stopping.abort(new Error("enough"));
    await expect(client.ended).rejects.toThrow("enough");
  });
});

describe("settings", () => {
  test("those that bound a question are passed on; what is not ours is not looked at", async () => {
    const seen: EditorLimits[] = [];
    const client = await serveInMemory(
      {},
      { settings: { maxSteps: 3, showTools: false, other: 1 }, onLimits: (limits) => seen.push(limits) },
    );
    await client.connection.sendNotification("workspace/didChangeConfiguration", { settings: { maxCostUsd: 0.5 } });
    await client.connection.sendNotification("workspace/didChangeConfiguration", { settings: null });
    await client.call("citewell/nothing");
    expect(seen).toEqual([{ maxSteps: 3 }, { maxCostUsd: 0.5 }, {}]);
  });

  test("an invalid setting is reported once, and the others apply", async () => {
    const seen: EditorLimits[] = [];
    const settings = { maxSteps: -1, maxTokens: 5000 };
    const client = await serveInMemory({}, { settings, onLimits: (limits) => seen.push(limits) });
    await client.connection.sendNotification("workspace/didChangeConfiguration", { settings });
    await client.call("citewell/nothing");
    expect(seen).toEqual([{ maxTokens: 5000 }, { maxTokens: 5000 }]);
    expect(client.shown).toEqual([
      { type: 2, message: "citewell.maxSteps: -1: must be at least 1; the setting is ignored" },
    ]);
  });
});

test("log lines go to the client with their level, and nowhere once it has gone", () => {
  const lines: string[] = [];
  const at = (level: string) => (text: string) => {
    lines.push(`${level}: ${text}`);
    if (level === "error") throw new Error("Connection is disposed.");
  };
  const console = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const log = clientLog({ console });
  log.debug("tick");
  log.info("snapshot-opened", { resource: "demo", ms: 3 });
  log.warn("network", { warning: "two words" });
  log.error("lost");
  expect(lines).toEqual([
    "debug: tick",
    "info: snapshot-opened resource=demo ms=3",
    'warn: network warning="two words"',
    "error: lost",
  ]);
});
