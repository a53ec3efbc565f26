import { expect, test } from "vitest";
import type { Attachment } from "../../../extension/webview/messages.ts";
import { toTurn } from "../../../extension/features/chat/conversation.ts";
import { createSession, type Session } from "../../../extension/features/chat/session.ts";
import { traceJson } from "../../../extension/features/chat/trace.ts";
import type { AskEvent, AskRequest } from "../../../server/protocol/ask.ts";
import type { Thread } from "../../../server/protocol/threads.ts";
import { threadTurn } from "../../support/thread-turn.ts";

const thread = "0123456789ab";
const meta: AskEvent = {
  type: "meta",
  model: { provider: "builtin", model: "extractive" },
  resources: ["demo"],
  collection: { key: "demo", path: "" },
  snapshots: [],
  thread,
};
const text = (delta: string): AskEvent => ({ type: "text.delta", delta });
const done: AskEvent = { type: "done", text: "Because.", reasoning: "", tools: [], citations: [], thread };
const kept: Thread = { id: thread, title: "Why?", createdAt: "", updatedAt: "", turns: [threadTurn()] };

/** One question as the server has it; the test says what becomes of it. */
interface Question {
  request: AskRequest;
  send(...events: AskEvent[]): void;
  end(...events: AskEvent[]): Promise<void>;
  fail(tag: string): Promise<void>;
}

interface Stage {
  session: Session;
  /** As soon as it has arrived. */
  question(index: number): Promise<Question>;
  arrived(): number;
  memory: Map<string, unknown>;
  /** How often the history was told to look again. */
  settled(): number;
}

function stage({ stored, selected = [] }: { stored?: string; selected?: readonly string[] } = {}): Stage {
  const questions: Question[] = [];
  const memory = new Map<string, unknown>(stored === undefined ? [] : [["citewell.chat.thread", stored]]);
  let settled = 0;
  const session = createSession({
    selection: { names: selected, onDidChange: () => ({ dispose() {} }), set: async () => {} },
    log: silentLog,
    askServer: (request, { token, onEvent }) =>
      new Promise((resolve, reject) => {
        const reply = async (action: () => void) => {
          action();
          await turnOfTheLoop();
        };
        const fail = (tag: string) => reply(() => reject(Object.assign(new Error(`failed: ${tag}`), { tag })));
        token.onCancellationRequested(() => fail("Cancelled"));
        questions.push({
          request,
          fail,
          send: (...events) => events.forEach(onEvent),
          end: (...events) => reply(() => resolve(events.forEach(onEvent))),
        });
      }),
    readThread: async (id) => {
      if (id === thread) return kept;
      throw Object.assign(new Error("no thread"), { tag: "ThreadNotFound" });
    },
    memory: {
      get: (key: string, fallback?: unknown) => memory.get(key) ?? fallback,
      update: async (key, value) => void memory.set(key, value),
    },
    newCancellation,
    mentionable: async () => ({ names: ["demo", "other"], exists: () => false }),
    onChange() {},
    onEvent() {},
    onSettled: () => settled++,
  });
  return {
    session,
    memory,
    settled: () => settled,
    arrived: () => questions.length,
    async question(index) {
      for (;;) {
        const question = questions[index];
        if (question !== undefined) return question;
        await turnOfTheLoop();
      }
    },
  };
}

const turnsOf = ({ conversation }: Session) =>
  conversation.turns.map(toTurn).map(({ question, status, answer }) => [question, status, answer.text]);

test("a question begins a thread, and the next goes on with it", async () => {
  const { session, question, memory, settled } = stage();
  session.ask("Why?", {});
  const first = await question(0);
  expect(first.request).toEqual({ question: "Why?", thread: "new", progress: true });
  await first.end(meta, done);
  expect(memory.get("citewell.chat.thread")).toBe(thread);
  session.ask("And then?", {});
  expect((await question(1)).request).toEqual({ question: "And then?", thread, progress: true });
  expect(turnsOf(session)).toEqual([
    ["Why?", "done", "Because."],
    ["And then?", "running", ""],
  ]);
  expect(settled()).toBe(1);
});

test("what a question mentions is asked by those after it, too", async () => {
  const { session, question } = stage();
  session.ask("@demo why?", {});
  const first = await question(0);
  expect(first.request).toMatchObject({ question: "why?", resources: ["demo"] });
  await first.end(meta, done);
  session.ask("And then?", {});
  expect((await question(1)).request).toMatchObject({ question: "And then?", resources: ["demo"] });
  expect(turnsOf(session)[0]?.[0]).toBe("@demo why?");
});

test("what is ticked is asked of", async () => {
  const { session, question } = stage({ selected: ["other"] });
  session.ask("Why?", {});
  expect((await question(0)).request.resources).toEqual(["other"]);
});

test("an attachment goes along, and is not part of the question that is shown", async () => {
  const attachment: Attachment = { label: "a.ts:1", path: "a.ts", text: "x" };
  const { session, question } = stage();
  session.ask("Why?", { attachment });
  expect((await question(0)).request.question).toBe("Why?\n\nAttached from `a.ts` (a.ts:1):\n\n```ts\nx\n```");
  expect(session.conversation.turns.map(toTurn)).toMatchObject([{ question: "Why?", attachment: { label: "a.ts:1" } }]);
});

test("stopping ends the turn at once, with what had arrived", async () => {
  const { session, question } = stage();
  session.ask("Why?", {});
  const first = await question(0);
  first.send(meta, text("Bec"));
  session.stop();
  first.send(text("ause"));
  expect(turnsOf(session)).toEqual([["Why?", "cancelled", "Bec"]]);
});

test("the next question waits until the server has let go of the one before", async () => {
  const { session, question } = stage();
  session.ask("Why?", {});
  (await question(0)).send(meta);
  session.stop();
  session.ask("And then?", {});
  expect((await question(1)).request).toMatchObject({ question: "And then?", thread });
});

test("a question that is stopped before it is sent never reaches the server", async () => {
  const { session, arrived, question } = stage();
  session.ask("@demo why?", {});
  session.stop();
  session.ask("Next?", {});
  expect((await question(0)).request.question).toBe("Next?");
  expect(arrived()).toBe(1);
});

test("a failure stands beside the partial answer, and asking again takes its place", async () => {
  const { session, question } = stage();
  session.ask("@demo why?", {});
  const first = await question(0);
  first.send(meta, text("Bec"));
  await first.fail("ServerFailed");
  expect(session.conversation.turns[0]).toMatchObject({
    status: "failed",
    error: { tag: "ServerFailed", error: "failed: ServerFailed" },
    answer: { text: "Bec" },
  });
  const [turn] = session.conversation.turns;
  if (turn !== undefined) session.askAgain(turn, turn.question);
  const second = await question(1);
  expect(second.request).toMatchObject({ question: "why?", resources: ["demo"], thread, replacesSince: turn?.askedAt });
  await second.end(meta, done);
  expect(turnsOf(session)).toEqual([["@demo why?", "done", "Because."]]);
});

test("a thread that was removed meanwhile is no reason not to answer", async () => {
  const { session, question } = stage();
  session.ask("Why?", {});
  await (await question(0)).end(meta, done);
  session.ask("And then?", {});
  await (await question(1)).fail("ThreadNotFound");
  const again = await question(2);
  expect(again.request).toMatchObject({ question: "And then?", thread: "new" });
  await again.end({ ...meta, thread: "ffffffffffff" }, { ...done, thread: "ffffffffffff" });
  expect(session.conversation.thread?.id).toBe("ffffffffffff");
});

test("the conversation of the last window comes back", async () => {
  const { session } = stage({ stored: thread });
  await session.restore();
  expect(turnsOf(session)).toEqual([["Why?", "done", "Because."]]);
});

test("a thread that is gone is forgotten", async () => {
  const { session, memory } = stage({ stored: "ffffffffffff" });
  await session.restore();
  expect(turnsOf(session)).toEqual([]);
  expect(memory.get("citewell.chat.thread")).toBeUndefined();
});

test("what was asked meanwhile is not replaced by what was kept", async () => {
  const { session } = stage({ stored: thread });
  const restored = session.restore();
  session.ask("Now?", {});
  await restored;
  expect(turnsOf(session)).toEqual([["Now?", "running", ""]]);
});

test("showing another conversation stops the answer", async () => {
  const { session, question, memory } = stage();
  session.ask("Why?", {});
  const first = await question(0);
  first.send(meta);
  session.show({ thread: { id: "ffffffffffff", title: "Other" }, replacedSince: undefined, turns: [] });
  first.send(text("late"));
  expect(turnsOf(session)).toEqual([]);
  expect(memory.get("citewell.chat.thread")).toBe("ffffffffffff");
});

test("the trace has what went to and fro, pieces of text as one", async () => {
  const { session, question } = stage();
  session.ask("Why?", {});
  await (await question(0)).end(meta, text("Bec"), text("ause."), done);
  const trace: unknown = JSON.parse(session.trace === undefined ? "" : traceJson(session.trace));
  expect(trace).toMatchObject({
    request: { question: "Why?", thread: "new" },
    events: [meta, text("Because."), done],
  });
});

test("a trace is cut where it gets too long, and says so", async () => {
  const { session, question } = stage();
  session.ask("Why?", {});
  await (await question(0)).end(meta, ...Array.from({ length: 3 }, () => text("x".repeat(900_000))), done);
  const json = session.trace === undefined ? "" : traceJson(session.trace);
  expect(json.length).toBeLessThan(2_100_000);
  expect(json).toContain('"note": "cut: ');
});

/** As the editor's: calls back once, at once where it was cancelled before. */
function newCancellation() {
  let listeners: (() => unknown)[] = [];
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: (event: unknown) => unknown) => {
      listeners.push(() => listener(undefined));
      return { dispose() {} };
    },
  };
  return {
    token,
    cancel() {
      token.isCancellationRequested = true;
      const called = listeners;
      listeners = [];
      called.forEach((listener) => listener());
    },
    dispose() {},
  };
}

const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve));
const silentLog = { warn() {} };
