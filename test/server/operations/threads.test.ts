import path from "node:path";
import { rm, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type Answer, type AskRequest, emptyAnswer, foldAnswer } from "../../../server/protocol/ask.ts";
import { localApp, parseEvents } from "../../support/connect.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { startHttp } from "../../support/http.ts";
import { type ScriptedReply, scriptedModel, type ScriptedStep } from "../../support/scripted-model.ts";

const source = "//- demo/a.ts\n// First.\nexport const delayMs = 100;\nexport const limit = 3;\n";
const reads: ScriptedReply = { toolCalls: [{ name: "read", input: { path: "a.ts" } }] };

test("without a thread nothing is stored", async () => {
  await using world = await threadWorld(["Fine."]);
  const answer = await world.ask({ question: "Why?" });
  expect(answer.thread).toBeUndefined();
  expect(await world.app.listThreads({})).toEqual({ threads: [] });
});

test("`new` starts a thread; its id comes with the first and the last event, and in the whole answer", async () => {
  await using world = await threadWorld(["Fine.", "Fine."]);
  const ids = new Set<string | undefined>();
  for await (const event of world.app.ask({ question: "Why?", thread: "new" })) {
    if (event.type === "meta" || event.type === "done") ids.add(event.thread);
  }
  const { threads } = await world.app.listThreads({});
  expect([...ids]).toEqual(threads.map(({ id }) => id));
  const reply = await world.app.question({ question: "Why?", thread: "new" });
  expect(reply.thread).toMatch(/^[0-9a-f]{12}$/);
  expect([...ids]).not.toContain(reply.thread);
});

test("over HTTP, too: streamed, and as the whole answer of /question", async () => {
  await using world = await threadWorld(["Fine.", "Fine."]);
  const { app } = world;
  await using server = await startHttp(app);
  const ask = (route: string) => server.send(`POST /${route}`, { question: "Why?", thread: "new" });
  const events = parseEvents(await (await ask("question/stream")).text());
  const done = events.at(-1);
  const reply: unknown = await (await ask("question")).json();
  const { threads } = await app.listThreads({});
  expect(reply).toMatchObject({ answer: "Fine.", thread: threads[0]?.id });
  expect(done).toMatchObject({ type: "done", thread: threads[1]?.id });
});

test("a follow-up sends the model the turns before, with checked links as markers again", async () => {
  await using world = await threadWorld([reads, "It is 100 [[demo:a.ts#L2]], see [x](https://x.test).", "Still."]);
  const { thread, text } = await world.ask({ question: "How long?", thread: "new" });
  expect(text).toContain("[a.ts:2](file:");
  const next = await world.ask({ question: "Sure?", thread });
  expect(next.thread).toBe(thread);
  const messages = world.model.requests.at(-1)?.body.messages ?? [];
  expect(messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
    ["user", "How long?"],
    ["assistant", "It is 100 [[demo:a.ts#L2]], see [x](https://x.test)."],
    ["user", "Sure?"],
  ]);
});

test("a rephrased question replaces the last turns: the model does not see them, and they are removed", async () => {
  await using world = await threadWorld(["One.", "Two.", "Three.", "Else."]);
  const { thread = "" } = await world.ask({ question: "First?", thread: "new" });
  await world.ask({ question: "Second?", thread });
  await world.ask({ question: "Third?", thread });
  const second = (await world.app.getThread({ id: thread })).turns[1]?.askedAt;
  await world.ask({ question: "Second, in other words?", thread, replacesSince: second });
  const messages = world.model.requests.at(-1)?.body.messages ?? [];
  expect(messages.slice(1).map(({ content }) => content)).toEqual(["First?", "One.", "Second, in other words?"]);
  const { turns } = await world.app.getThread({ id: thread });
  expect(turns.map(({ question }) => question)).toEqual(["First?", "Second, in other words?"]);
});

test("all turns can be replaced; what fails before it begins replaces none", async () => {
  await using world = await threadWorld(["One.", "Else."]);
  const { thread = "" } = await world.ask({ question: "First?", thread: "new" });
  const replacesSince = "2000-01-01T00:00:00.000Z";
  const failing = world.ask({ question: "Again?", thread, replacesSince, resources: ["unknown"] });
  await expect(failing).rejects.toMatchObject({ tag: "ResourceNotFound" });
  expect((await world.app.getThread({ id: thread })).turns).toHaveLength(1);
  await world.ask({ question: "First, in other words?", thread, replacesSince });
  expect(await world.app.getThread({ id: thread })).toMatchObject({
    title: "First, in other words?",
    turns: [{ text: "Else." }],
  });
});

test("a turn keeps the question, the answer, its revision, and what it cites with its lines", async () => {
  await using world = await threadWorld([reads, "It is 100 [[demo:a.ts#L2-L3]], not [[demo:a.ts#L9]]."]);
  const { thread = "", citations } = await world.ask({ question: "How long?", resources: ["demo"], thread: "new" });
  const { turns } = await world.app.getThread({ id: thread });
  expect(turns).toMatchObject([
    {
      question: "How long?",
      references: ["demo"],
      resources: ["demo"],
      text: expect.stringContaining("It is 100 [a.ts:2-3](file:"),
      citations,
      snapshots: [{ resource: "demo", revision: citations[0]?.revision }],
      cited: [{ citation: "c1", lines: ["export const delayMs = 100;", "export const limit = 3;"] }],
    },
  ]);
  expect(turns[0]).not.toHaveProperty("ended");
});

test("what is cited stays readable when the resource has changed, with secrets masked", async () => {
  await using world = await threadWorld([reads, "There [[demo:a.ts#L1]]."]);
  const key = `ghp_${"a1B2".repeat(9)}`;
  await world.write(`//- demo/a.ts\nconst key = "${key}";\n`);
  const { thread = "" } = await world.ask({ question: "Where?", thread: "new" });
  await world.write("//- demo/a.ts\nother\n");
  const { turns } = await world.app.getThread({ id: thread });
  expect(turns[0]?.cited[0]?.lines).toEqual(['const key = "‹masked GitHub token›";']);
});

test("references open from anywhere: a relative path becomes absolute", async () => {
  await using world = await threadWorld(["Fine."]);
  const { thread = "" } = await world.ask({ question: "Why?", resources: ["./demo"], thread: "new" });
  const { turns } = await world.app.getThread({ id: thread });
  expect(turns[0]?.references).toEqual([path.join(world.folder, "demo")]);
});

describe("an answer that ends early is kept, and marked", () => {
  test("cancelled by its signal", async () => {
    await using world = await threadWorld([{ text: "The delay ", hang: true }, "More."]);
    const cancelling = new AbortController();
    let answer: Answer = emptyAnswer;
    const asking = (async () => {
      for await (const event of world.app.ask({ question: "How?", thread: "new" }, { signal: cancelling.signal })) {
        answer = foldAnswer(answer, event);
        if (event.type === "text.delta") cancelling.abort();
      }
    })();
    await expect(asking).rejects.toMatchObject({ tag: "Cancelled" });
    const { turns } = await world.app.getThread({ id: answer.thread ?? "" });
    expect(turns).toMatchObject([{ question: "How?", text: "The delay ", ended: "cancelled" }]);

    await world.ask({ question: "Go on", thread: answer.thread });
    expect(JSON.stringify(world.model.requests.at(-1)?.body.messages)).toContain("(This answer is not complete.)");
  });

  test("left by who asked", async () => {
    await using world = await threadWorld([{ text: "The delay ", hang: true }]);
    for await (const event of world.app.ask({ question: "How?", thread: "new" }))
      if (event.type === "text.delta") break;
    const { threads } = await world.app.listThreads({});
    const { turns } = await world.app.getThread({ id: threads[0]?.id ?? "" });
    expect(turns).toMatchObject([{ text: "The delay ", ended: "cancelled" }]);
  });

  test("broken off by the model; one without text is no history", async () => {
    await using world = await threadWorld([{ text: "x", closeAfter: 0 }, "Fine."]);
    let id = "";
    const asking = (async () => {
      for await (const event of world.app.ask({ question: "How?", thread: "new" })) {
        if (event.type === "meta") id = event.thread ?? "";
      }
    })();
    await expect(asking).rejects.toMatchObject({ tag: "ProviderFailed" });
    expect((await world.app.getThread({ id })).turns).toMatchObject([{ text: "", ended: "failed" }]);
    await world.ask({ question: "Again?", thread: id });
    expect(world.model.requests.at(-1)?.body.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  });
});

test.each(["000000000000", "../../x"])("a thread that does not exist is ThreadNotFound: %s", async (thread) => {
  await using world = await threadWorld(["Fine."]);
  await expect(world.ask({ question: "Why?", thread })).rejects.toMatchObject({ tag: "ThreadNotFound" });
  expect(world.model.requests).toEqual([]);
});

test("a question is answered although its thread cannot be kept", async () => {
  await using world = await threadWorld(["Fine."]);
  await world.write("//- .home/data/threads\nin the way\n");
  const done = [];
  for await (const event of world.app.ask({ question: "Why?", thread: "new" }))
    if (event.type === "done") done.push(event);
  expect(done).toMatchObject([{ text: "Fine." }]);
  expect(done[0]?.thread).toBeUndefined();
});

test("two questions of one thread at once are both kept", async () => {
  await using world = await threadWorld(() => "Fine.");
  const { thread } = await world.ask({ question: "0", thread: "new" });
  await Promise.all(["1", "2", "3"].map((question) => world.ask({ question, thread })));
  const { turns } = await world.app.getThread({ id: thread ?? "" });
  expect(turns.map(({ question }) => question).toSorted()).toEqual(["0", "1", "2", "3"]);
});

test("a long conversation goes along as far as there is room, the newest turns first", async () => {
  await using world = await threadWorld(() => "x".repeat(25_000));
  const { thread } = await world.ask({ question: "first", thread: "new" });
  for (const question of ["second", "third", "fourth"]) await world.ask({ question, thread });
  const questions = world.model.requests.at(-1)?.body.messages.filter(({ role }) => role === "user");
  expect(questions?.map(({ content }) => content)).toEqual(["second", "third", "fourth"]);
});

describe("a re-check, without the model", () => {
  const check = (change: string, setup: { files: string | undefined; removed?: string; expected: object }) =>
    test(change, async () => {
      await using world = await threadWorld([reads, "It is 100 [[demo:a.ts#L2]], not [[demo:a.ts#L9]]."]);
      const { thread = "" } = await world.ask({ question: "How long?", thread: "new" });
      if (setup.removed !== undefined) await rm(path.join(world.folder, setup.removed), { recursive: true });
      if (setup.files !== undefined) await world.write(setup.files);
      const { citations } = await world.app.recheckThread({ id: thread });
      expect(citations).toMatchObject([{ turn: 1, citation: { id: "c1" }, ...setup.expected }]);
      expect(world.model.requests).toHaveLength(2);
    });

  check("the same lines in the same place are unchanged, whatever else changed", {
    files: "//- demo/a.ts\n// Other.\nexport const delayMs = 100;\n",
    expected: { state: "unchanged", now: { path: "a.ts", startLine: 2, endLine: 2 } },
  });
  check("lines further down have moved", {
    files: "//- demo/a.ts\n//\n//\n//\nexport const delayMs = 100;\n",
    expected: { state: "moved", now: { path: "a.ts", startLine: 4, endLine: 4 } },
  });
  check("of several places the nearest counts", {
    files: "//- demo/a.ts\nexport const delayMs = 100;\n//\n//\nexport const delayMs = 100;\n",
    expected: { state: "moved", now: { startLine: 1 } },
  });
  check("other lines in their place have changed", {
    files: "//- demo/a.ts\n// First.\nexport const delayMs = 200;\n",
    expected: { state: "changed" },
  });
  check("a file that was emptied has changed", { files: "//- demo/a.ts\n", expected: { state: "changed" } });
  check("a file that was moved, whole", {
    removed: "demo/a.ts",
    files: "//- demo/src/a.ts\nexport const delayMs = 100;\n",
    expected: { state: "moved", now: { path: "src/a.ts", startLine: 1, endLine: 1 } },
  });
  check("a file that is gone", { removed: "demo/a.ts", files: undefined, expected: { state: "gone" } });
  check("a resource that cannot be opened", {
    removed: "demo",
    files: undefined,
    expected: { state: "unknown", reason: expect.stringContaining("demo") },
  });

  test("a resource that is no longer configured is read from where it was", async () => {
    await using world = await threadWorld([reads, "It is 100 [[demo:a.ts#L2]]."]);
    const { thread = "" } = await world.ask({ question: "How long?", thread: "new" });
    await world.app.removeResource({ name: "demo" });
    const { citations } = await world.app.recheckThread({ id: thread });
    expect(citations).toMatchObject([{ state: "unchanged" }]);
  });

  test("a file that became binary is unknown", async () => {
    await using world = await threadWorld([reads, "It is 100 [[demo:a.ts#L2]]."]);
    const { thread = "" } = await world.ask({ question: "How long?", thread: "new" });
    await writeFile(path.join(world.folder, "demo/a.ts"), Buffer.from([0, 1, 2]));
    const { citations } = await world.app.recheckThread({ id: thread });
    expect(citations).toMatchObject([{ state: "unknown" }]);
  });

  test("of a thread that does not exist is ThreadNotFound", async () => {
    await using world = await threadWorld([]);
    await expect(world.app.recheckThread({ id: "x" })).rejects.toMatchObject({ tag: "ThreadNotFound" });
  });
});

test("a deleted thread is gone", async () => {
  await using world = await threadWorld(["Fine."]);
  const { thread = "" } = await world.ask({ question: "Why?", thread: "new" });
  expect(await world.app.deleteThread({ id: thread })).toEqual({ success: true, id: thread });
  await expect(world.app.getThread({ id: thread })).rejects.toMatchObject({ tag: "ThreadNotFound" });
});

async function threadWorld(script: readonly ScriptedStep[] | Parameters<typeof scriptedModel>[0]) {
  const folder = await temporaryFolder(source);
  const model = await scriptedModel(script);
  const app = localApp(folder.path);
  const resources = [{ type: "local", name: "demo", path: path.join(folder.path, "demo") }];
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, resources })}`);
  return {
    folder: folder.path,
    app,
    model,
    write: (files: string) => folder.write(files),
    async ask(request: AskRequest) {
      let answer = emptyAnswer;
      for await (const event of app.ask(request)) answer = foldAnswer(answer, event);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
