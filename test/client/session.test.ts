import { describe, expect, test } from "vitest";
import type { Attachment } from "../../server/protocol/attachment.ts";
import { type Change, createSession, type EndedTurn, type Session } from "../../client/session.ts";
import type { AskEvent, AskRequest } from "../../server/protocol/ask.ts";
import type { Thread } from "../../server/protocol/threads.ts";
import { threadTurn } from "../support/thread-turn.ts";

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
  /** Resolves as soon as it has arrived. */
  question(index: number): Promise<Question>;
  arrived(): number;
  changes: Change["type"][];
}

function stage({ selected = [] }: { selected?: readonly string[] } = {}): Stage {
  const questions: Question[] = [];
  const changes: Change["type"][] = [];
  const session = createSession({
    ask: (request, { signal, onEvent }) =>
      new Promise((resolve, reject) => {
        const reply = async (action: () => void) => {
          action();
          await turnOfTheLoop();
        };
        const fail = (tag: string) => reply(() => reject(Object.assign(new Error(`failed: ${tag}`), { tag })));
        const send = (...events: AskEvent[]) => events.forEach((event) => void onEvent(event));
        signal.addEventListener("abort", () => void fail("Cancelled"));
        questions.push({ request, fail, send, end: (...events) => reply(() => resolve(send(...events))) });
      }),
    mentionable: async () => ({ names: ["demo", "other"], exists: () => false }),
    selected: () => selected,
    onChange: (change) => void changes.push(change.type),
  });
  return {
    session,
    changes,
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
  conversation.turns.map(({ question, status, answer }) => [question, status, answer.text]);

const endOf = async (ended: Promise<EndedTurn>) => (await ended).turn.status;

test("a question begins a thread, and the next one continues it", async () => {
  const { session, question, changes } = stage();
  const ended = session.ask("Why?");
  const first = await question(0);
  expect(first.request).toEqual({ question: "Why?", thread: "new", progress: true });
  await first.end(meta, done);
  expect(await endOf(ended)).toBe("done");
  expect(session.conversation.thread).toEqual({ id: thread, title: "Why?" });
  void session.ask("And then?");
  expect((await question(1)).request).toEqual({ question: "And then?", thread, progress: true });
  expect(turnsOf(session)).toEqual([
    ["Why?", "done", "Because."],
    ["And then?", "running", ""],
  ]);
  expect(changes).toEqual(["started", "event", "event", "ended", "started"]);
});

describe("what a question is about", () => {
  /** The resources of the last of several questions; each of them is answered. */
  async function check(questions: readonly string[], expected: readonly string[] | undefined, selected: string[] = []) {
    const { session, question } = stage({ selected });
    for (const [index, text] of questions.entries()) {
      const ended = session.ask(text);
      const asked = await question(index);
      if (index === questions.length - 1) expect(asked.request.resources).toEqual(expected);
      await asked.end(meta, done);
      await ended;
    }
  }

  test("everything by default", () => check(["Why?"], undefined));
  test("what it mentions", () => check(["@demo why?"], ["demo"]));
  test("else what the question before it mentioned", () => check(["@demo why?", "And?", "And then?"], ["demo"]));
  test("else what is selected", () => check(["Why?"], ["other"], ["other"]));
  test("a mention comes before the selection", () => check(["@demo why?"], ["demo"], ["other"]));
  test("the selection comes before earlier mentions", () => check(["@demo why?", "And?"], ["other"], ["other"]));
  test("a mention alone stays the question's text", async () => {
    const { session, question } = stage();
    void session.ask("@demo");
    expect((await question(0)).request).toMatchObject({ question: "@demo", resources: ["demo"] });
  });

  test("a command's resources are asked beside those that the question mentions", async () => {
    const { session, question } = stage({ selected: ["other"] });
    void session.ask("@demo why?", { resources: ["npm:zod", "demo"] });
    expect((await question(0)).request.resources).toEqual(["npm:zod", "demo"]);
  });

  test("a choice without a question holds for the next ones, until one of them mentions something else", async () => {
    const { session, question } = stage();
    session.choose(["other"]);
    for (const [index, text] of ["Why?", "And?", "@demo why?", "And?"].entries()) {
      const ended = session.ask(text);
      const asked = await question(index);
      expect(asked.request.resources).toEqual(index < 2 ? ["other"] : ["demo"]);
      await asked.end(meta, done);
      await ended;
    }
  });

  test("resources that could not be opened are not asked again by themselves", async () => {
    const { session, question } = stage();
    const first = session.ask("@other why?");
    await (await question(0)).fail("RepositoryFailed");
    await first;
    void session.ask("And then?");
    expect((await question(1)).request.resources).toBeUndefined();
  });
});

test("an attachment is sent with the question, and is not part of the text that is shown", async () => {
  const attachment: Attachment = { label: "a.ts:1", path: "a.ts", text: "x" };
  const { session, question } = stage();
  void session.ask("Why?", { attachments: [attachment] });
  expect((await question(0)).request.question).toBe("Why?\n\nAttached from `a.ts` (a.ts:1):\n\n```ts\nx\n```");
  expect(session.conversation.turns).toMatchObject([{ question: "Why?", attachments: [{ label: "a.ts:1" }] }]);
});

describe("stop", () => {
  test("ends the turn at once with what had arrived, and later events are dropped", async () => {
    const { session, question, changes } = stage();
    const ended = session.ask("Why?");
    const first = await question(0);
    first.send(meta, text("Bec"));
    session.stop();
    first.send(text("ause"));
    expect(turnsOf(session)).toEqual([["Why?", "cancelled", "Bec"]]);
    expect(await endOf(ended)).toBe("cancelled");
    expect(changes).toEqual(["started", "event", "event", "ended"]);
  });

  test("the next question waits until the server has finished with the one before", async () => {
    const { session, question, arrived } = stage();
    void session.ask("Why?");
    (await question(0)).send(meta);
    session.stop();
    void session.ask("And then?");
    expect(arrived()).toBe(1);
    expect((await question(1)).request).toMatchObject({ question: "And then?", thread });
  });

  test("a question that is stopped before it is sent never reaches the server", async () => {
    const { session, arrived, question } = stage();
    void session.ask("@demo why?");
    session.stop();
    void session.ask("Next?");
    expect((await question(0)).request.question).toBe("Next?");
    expect(arrived()).toBe(1);
  });
});

describe("ask again", () => {
  test("a failed turn keeps its partial answer and error, and asking again replaces it", async () => {
    const { session, question } = stage();
    const ended = session.ask("@demo why?");
    const first = await question(0);
    first.send(meta, text("Bec"));
    await first.fail("ServerFailed");
    const error = { tag: "ServerFailed", error: "failed: ServerFailed" };
    const { turn, failure } = await ended;
    expect(turn).toMatchObject({ status: "failed", error, answer: { text: "Bec" } });
    expect(failure).toBeInstanceOf(Error);
    void session.askAgain(turn, turn.question);
    const second = await question(1);
    expect(second.request).toMatchObject({ question: "why?", resources: ["demo"], thread });
    expect(second.request.replacesSince).toBe(turn.askedAt);
    await second.end(meta, done);
    expect(turnsOf(session)).toEqual([["@demo why?", "done", "Because."]]);
  });

  test("an edited question is about what it mentions now, else about what it was about before", async () => {
    const { session, question } = stage({ selected: ["zod"] });
    const ended = session.ask("@demo why?");
    await (await question(0)).end(meta, done);
    const { turn } = await ended;
    const edited = session.askAgain(turn, "How?");
    expect((await question(1)).request).toMatchObject({ question: "How?", resources: ["demo"] });
    await (await question(1)).end(meta, done);
    void session.askAgain((await edited).turn, "@other how?");
    expect((await question(2)).request).toMatchObject({ question: "how?", resources: ["other"] });
  });

  test("an offered dependency is asked beside what the question mentions", async () => {
    const { session, question } = stage();
    const ended = session.ask("@demo why?");
    await (await question(0)).end(meta, done);
    const { turn } = await ended;
    void session.askAgain(turn, turn.question, { resources: [...turn.answer.resources, "npm:zod"] });
    expect((await question(1)).request.resources).toEqual(["demo", "npm:zod"]);
  });

  test("turns after the edited one go as well", async () => {
    const { session, question } = stage();
    for (const index of [0, 1]) {
      const ended = session.ask(`Why ${index}?`);
      await (await question(index)).end(meta, done);
      await ended;
    }
    const [first] = session.conversation.turns;
    if (first !== undefined) void session.askAgain(first, "How?");
    expect(turnsOf(session)).toEqual([["How?", "running", ""]]);
    expect((await question(2)).request.replacesSince).toBe(first?.askedAt);
  });
});

test("a question whose thread was deleted elsewhere begins a new one", async () => {
  const { session, question, changes } = stage();
  const ended = session.ask("Why?");
  await (await question(0)).end(meta, done);
  await ended;
  void session.ask("And then?");
  await (await question(1)).fail("ThreadNotFound");
  const again = await question(2);
  expect(again.request).toMatchObject({ question: "And then?", thread: "new" });
  await again.end({ ...meta, thread: "ffffffffffff" }, { ...done, thread: "ffffffffffff" });
  expect(session.conversation.thread?.id).toBe("ffffffffffff");
  expect(changes.slice(4)).toEqual(["started", "thread-deleted", "event", "event", "ended"]);
});

describe("restore", () => {
  test("shows a stored conversation, and the next question continues it", async () => {
    const { session, question } = stage();
    session.restore(kept);
    expect(turnsOf(session)).toEqual([["Why?", "done", "Because."]]);
    void session.ask("And then?");
    expect((await question(0)).request.thread).toBe(thread);
  });

  test("does not replace what was asked or shown meanwhile", () => {
    const asked = stage().session;
    void asked.ask("Now?");
    asked.restore(kept);
    expect(turnsOf(asked)).toEqual([["Now?", "running", ""]]);
    const shown = stage().session;
    shown.show({ turns: [] });
    shown.restore(kept);
    expect(turnsOf(shown)).toEqual([]);
  });
});

test("showing another conversation stops the answer", async () => {
  const { session, question } = stage();
  void session.ask("Why?");
  const first = await question(0);
  first.send(meta);
  session.show({ thread: { id: "ffffffffffff", title: "Other" }, turns: [] });
  first.send(text("late"));
  expect(turnsOf(session)).toEqual([]);
  expect(session.conversation.thread?.id).toBe("ffffffffffff");
});

const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve));
