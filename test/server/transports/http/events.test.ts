import { EventEmitter, once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { CitewellError } from "../../../../server/errors.ts";
import { createLog } from "../../../../server/lib/log.ts";
import type { AskEvent, AskEventOf } from "../../../../server/protocol/ask.ts";
import { startHttp, type TestServer } from "../../../support/http.ts";

const meta: AskEventOf<"meta"> = {
  type: "meta",
  model: { provider: "builtin", model: "extractive" },
  resources: ["zod"],
  collection: { key: "zod", path: "/data" },
  snapshots: [],
};
const done: AskEventOf<"done"> = { type: "done", text: "a\nb", reasoning: "", tools: [], citations: [] };

const bigDelta: AskEvent = { type: "text.delta", delta: "x".repeat(64 * 1024) };

async function* events(...list: (AskEvent | Error)[]): AsyncGenerator<AskEvent> {
  for (const event of list) {
    if (event instanceof Error) throw event;
    yield event;
  }
}

/** What a client gets for a stream of these events: status, type and body. */
async function check(list: (AskEvent | Error)[], expected: { status: number; type: string; body: string }) {
  await using server = await startHttp({ ask: () => events(...list) });
  const response = await server.send("POST /question/stream", { question: "q" });
  const [type] = (response.headers.get("content-type") ?? "").split(";");
  expect({ status: response.status, type, body: await response.text() }).toEqual(expected);
}

/** One question, whose answer is read by hand. */
async function open(server: TestServer): Promise<IncomingMessage> {
  const request = httpRequest({
    port: server.port,
    host: "127.0.0.1",
    path: "/question/stream",
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  request.end('{"question":"q"}');
  const [response] = await once(request, "response");
  return response;
}

function frame(event: AskEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

const stream = { status: 200, type: "text/event-stream" };

describe("POST /question/stream", () => {
  test("sends each event as its type, one line of JSON and an empty line, in order", async () => {
    await check([meta, { type: "text.delta", delta: "a\nb \u2028 c" }, done], {
      ...stream,
      body:
        'event: meta\ndata: {"type":"meta","model":{"provider":"builtin","model":"extractive"},"resources":["zod"],"collection":{"key":"zod","path":"/data"},"snapshots":[]}\n\n' +
        'event: text.delta\ndata: {"type":"text.delta","delta":"a\\nb \u2028 c"}\n\n' +
        'event: done\ndata: {"type":"done","text":"a\\nb","reasoning":"","tools":[],"citations":[]}\n\n',
    });
  });

  test("forbids caches and proxies to keep or change it", async () => {
    await using server = await startHttp({ ask: () => events(meta, done) });
    const { headers } = await server.send("POST /question/stream", { question: "q" });
    expect(headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(headers.get("x-accel-buffering")).toBe("no");
  });

  test("a failure before the first event is an ordinary response with its status", async () => {
    await check([new CitewellError("ResourceNotFound", 'no resource named "a"', { hint: "did you mean b?" })], {
      status: 404,
      type: "application/json",
      body: '{"error":"no resource named \\"a\\"","tag":"ResourceNotFound","hint":"did you mean b?"}',
    });
  });

  test("input that breaks a rule is an ordinary response, too", async () => {
    await using server = await startHttp();
    const response = await server.send("POST /question/stream", { question: 1 });
    expect([response.status, await response.json()]).toMatchObject([400, { tag: "InvalidRequest" }]);
  });

  test("a failure after the first event is the last event", async () => {
    await check([meta, new CitewellError("ProviderFailed", "the model is gone", { hint: "ask again" })], {
      ...stream,
      body: `${frame(meta)}event: error\ndata: {"type":"error","message":"the model is gone","tag":"ProviderFailed","hint":"ask again"}\n\n`,
    });
  });

  test("an error event of the pipeline's own is the last one", async () => {
    const failure: AskEvent = { type: "error", tag: "ProviderFailed", message: "gone" };
    await check([meta, failure, done], { ...stream, body: frame(meta) + frame(failure) });
  });

  test("nothing follows done, even after an error", async () => {
    await check([meta, done, new Error("too late")], { ...stream, body: frame(meta) + frame(done) });
  });

  test("an answer that stops without its last event gets one", async () => {
    await using server = await startHttp({ ask: () => events(meta) });
    const body = await (await server.send("POST /question/stream", { question: "q" })).text();
    expect(body).toMatch(/^event: meta\n[^]*\n\nevent: error\ndata: .*"tag":"Internal".*\n\n$/);
  });

  test("the pipeline is run to its end, past the last event", async () => {
    let isSaved = false;
    await using server = await startHttp({
      async *ask() {
        yield* events(meta, done);
        isSaved = true;
      },
    });
    await (await server.send("POST /question/stream", { question: "q" })).text();
    await server.close();
    expect(isSaved).toBe(true);
  });
});

test("a stream that is silent carries comments, and loses nothing", async () => {
  const voice = new EventEmitter();
  await using server = await startHttp(
    {
      async *ask() {
        yield meta;
        await once(voice, "speak");
        yield done;
      },
    },
    { keepAliveMs: 5 },
  );
  let body = "";
  for await (const chunk of (await open(server)).setEncoding("utf8")) {
    body += String(chunk);
    if (body.split(": keep-alive\n\n").length > 3) voice.emit("speak");
  }
  expect(body.split(": keep-alive\n\n").length).toBeGreaterThan(3);
  expect(body.replaceAll(": keep-alive\n\n", "")).toBe(frame(meta) + frame(done));
});

test("a client that reads slowly is waited for, and misses nothing", async () => {
  const count = 600;
  let produced = 0;
  await using server = await startHttp({
    async *ask() {
      yield meta;
      for (; produced < count; produced++) yield bigDelta;
      yield done;
    },
  });
  const response = await open(server);
  // Without waiting all would have been produced before this process could have seen the beginning of the answer.
  expect(produced).toBeLessThan(count);
  const body = await readText(response);
  expect(body.length).toBe(frame(meta).length + count * frame(bigDelta).length + frame(done).length);
});

describe("a client that leaves", () => {
  test("while it is waited for ends the question", async () => {
    const pipeline = new EventEmitter();
    const ended = once(pipeline, "ended");
    await using server = await startHttp({
      async *ask() {
        try {
          yield meta;
          while (true) yield bigDelta;
        } finally {
          pipeline.emit("ended");
        }
      },
    });
    (await open(server)).destroy();
    expect(await ended).toEqual([]);
  });

  test.each(["/question", "/question/stream"] as const)("before there is an answer cancels %s", async (path) => {
    const lines: string[] = [];
    const log = createLog("error", (line) => lines.push(line));
    const pipeline = new EventEmitter();
    const untilAborted = async (signal: AbortSignal | undefined): Promise<never> => {
      pipeline.emit("asked");
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      pipeline.emit("cancelled", signal?.reason);
      throw signal?.reason;
    };
    await using server = await startHttp(
      {
        question: (_input, options) => untilAborted(options?.signal),
        async *ask(_input, options) {
          yield await untilAborted(options?.signal);
        },
      },
      { log },
    );
    const asked = once(pipeline, "asked");
    const cancelled = once(pipeline, "cancelled");
    const leaving = new AbortController();
    const answer = server.send(`POST ${path}`, { question: "q" }, { signal: leaving.signal });
    await asked;
    leaving.abort();
    await expect(answer).rejects.toThrow("aborted");
    expect(await cancelled).toMatchObject([{ tag: "Cancelled" }]);
    // To leave is no fault: nothing stands in the log of errors.
    await server.close();
    expect(lines).toEqual([]);
  });
});

describe("closing the server", () => {
  test("cancels running questions, informs the client, and accepts no more", async () => {
    const server = await startHttp({
      async *ask(_input, options) {
        yield meta;
        await new Promise((resolve) => options?.signal?.addEventListener("abort", resolve));
        options?.signal?.throwIfAborted();
      },
    });
    const response = await open(server);
    const body = readText(response);
    await server.close();
    expect(await body).toMatch(/^event: meta\n.*\n\nevent: error\ndata: \{"type":"error",.*"tag":"Cancelled".*\n\n$/);
    await expect(server.send("GET /")).rejects.toThrow("fetch failed");
  });

  test("cuts the connection of a question that cannot be cancelled", async () => {
    const server = await startHttp({
      async *ask() {
        yield meta;
        await new Promise(() => {});
      },
    });
    const body = readText(await open(server));
    await Promise.all([expect(body).rejects.toThrow("aborted"), server.close()]);
  });

  test("twice is closing once", async () => {
    const server = await startHttp();
    await Promise.all([server.close(), server.close()]);
    await expect(server.close()).resolves.toBeUndefined();
  });
});
