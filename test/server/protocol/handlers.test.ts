import { describe, expect, test } from "vitest";
import { forwardOperations, mapOperations } from "../../../server/protocol/handlers.ts";
import { operationNames, operations } from "../../../server/protocol/operations.ts";
import { folds } from "../../../server/protocol/results.ts";

describe("handlers made from the table of operations", () => {
  const streaming = operationNames.filter((name) => "event" in operations[name]);

  test("stream where the operation has events, and reply elsewhere", () => {
    const made = { reply: new Set<string>(), stream: new Set<string>() };
    mapOperations(operationNames, {
      reply: (name) => {
        made.reply.add(name);
        return () => Promise.reject(new Error("not called"));
      },
      stream: (name) => {
        made.stream.add(name);
        return async function* () {};
      },
    });
    expect([...made.stream].sort()).toEqual([...streaming].sort());
    expect(made.reply.size + made.stream.size).toBe(operationNames.length);
  });

  test("are only those that were asked for", () => {
    const handlers = mapOperations(["listThreads"], {
      reply: () => () => Promise.reject(new Error("not called")),
      stream: () => async function* () {},
    });
    expect(Object.keys(handlers)).toEqual(["listThreads"]);
  });

  test("open what they forward to with the first call, and pass its errors on", async () => {
    let opened = 0;
    const handlers = forwardOperations(["listThreads", "ask"], async () => {
      opened++;
      throw new Error("cannot open");
    });
    expect(opened).toBe(0);
    await expect(handlers.listThreads({})).rejects.toThrow("cannot open");
    const events = handlers.ask({ question: "q" })[Symbol.asyncIterator]();
    await expect(events.next()).rejects.toThrow("cannot open");
    expect(opened).toBe(2);
  });

  test("pass input and options of a call on", async () => {
    const calls: unknown[] = [];
    const target = mapOperations(operationNames, {
      reply: () => async (input, options) => {
        calls.push([input, options]);
        return Promise.reject(new Error("as far as it goes"));
      },
      stream: () =>
        async function* (input, options) {
          calls.push([input, options]);
          yield* [];
        },
    });
    const handlers = forwardOperations(["getThread", "ask"], () => Promise.resolve(target));
    const { signal } = new AbortController();
    await expect(handlers.getThread({ id: "t" }, { signal })).rejects.toThrow("as far as it goes");
    for await (const _ of handlers.ask({ question: "q" }, { signal }));
    expect(calls).toEqual([
      [{ id: "t" }, { signal }],
      [{ question: "q" }, { signal }],
    ]);
  });
});

describe("events come to a result", () => {
  test("of an answer, delta by delta", () => {
    const first = folds.ask?.(undefined, { type: "text.delta", delta: "Two " });
    expect(folds.ask?.(first, { type: "text.delta", delta: "seconds." })).toMatchObject({ text: "Two seconds." });
  });

  test("of a sign-in, only when it is done", () => {
    const pending = folds.signIn?.(undefined, { type: "open", url: "https://host/" });
    expect(pending).toBeUndefined();
    expect(folds.signIn?.(undefined, { type: "done", provider: "openai" })).toEqual({
      provider: "openai",
      connected: true,
    });
  });
});
