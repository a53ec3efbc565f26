import { readFile } from "node:fs/promises";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { slashCommands } from "../../../cli/prompt/slash-commands.ts";
import { runCli } from "../../support/cli.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { type PtySession, startInTerminal } from "../../support/pty.ts";
import { type ScriptedModel, scriptedModel, type ScriptedStep } from "../../support/scripted-model.ts";

const keys = { enter: "\r", tab: "\t", up: "\u001B[A", escape: "\u001B", ctrlC: "\u0003", ctrlD: "\u0004" } as const;
/** Bracketed paste is on while a line is edited, and only then. */
const editing = { begins: "\u001B[?2004h", ends: "\u001B[?2004l" } as const;
const reads = { toolCalls: [{ name: "read", input: { path: "a.ts" } }] };

test("citewell --no-tui asks line by line, and shows answers as ask does", async () => {
  await using world = await replWorld([reads, "It is **100** ms [[demo:a.ts#L1]]."]);
  const session = await world.start();
  await session.ask("How long?");
  await session.quit();
  const text = stripVTControlCharacters(session.output());
  expect(text).toContain("read a.ts");
  expect(text).toContain("It is 100 ms a.ts:1.");
  expect(text).toMatch(/✓ verified +demo\/a\.ts:1/);
  expect(text).toMatch(/to go on: citewell threads resume [0-9a-f]{12}/);
});

test("questions make one conversation, until /clear", async () => {
  await using world = await replWorld(() => "Fine.");
  const session = await world.start();
  for (const line of ["One?", "Two?", "/clear", "Three?"]) await session.ask(line);
  await session.quit();
  expect(questionsOf(world.model)).toEqual([["One?"], ["One?", "Two?"], ["Three?"]]);
  const { threads } = await world.json("threads");
  expect(threads.map(({ title }: { title: string }) => title)).toEqual(["Three?", "One?"]);
});

test("a mention, completed with Tab, selects the resources of this and the next questions", async () => {
  await using world = await replWorld(() => "Fine.");
  const session = await world.start();
  session.type(`@ot${keys.tab}`);
  await session.seesNext("@other ");
  await session.ask("What is b?");
  await session.ask("And then?");
  await session.quit();
  expect(questionsOf(world.model).at(-1)).toEqual(["What is b?", "And then?"]);
  for (const { system } of world.model.requests) {
    expect(system).toContain("- other: ");
    expect(system).not.toContain("- demo: ");
  }
  expect(stripVTControlCharacters(session.output())).toContain("other > And then?");
});

test("a misspelt mention is a note before the answer", async () => {
  await using world = await replWorld(() => "Fine.");
  const session = await world.start();
  await session.ask("What is b in @othre?");
  await session.quit();
  expect(stripVTControlCharacters(session.output())).toContain('no resource named "othre"; did you mean @other?');
});

test("/add, /remove and /verify run the commands of the command line", async () => {
  await using world = await replWorld(["Fine."]);
  const session = await world.start();
  await session.ask("/remove other");
  await session.ask("/add ./other -n again");
  await session.ask("/add ./gone");
  await session.ask("What is b?");
  await session.quit();
  const text = stripVTControlCharacters(session.output());
  expect(text).toContain("removed other from");
  expect(text).toContain("added again (local");
  expect(text).toContain("error: there is no folder");
  const { resources } = await world.json("resources");
  expect(resources.map(({ name }: { name: string }) => name)).toContain("again");
});

test("/resume lists conversations by number, and goes on with one", async () => {
  await using world = await replWorld(() => "Fine.");
  for (const question of ["One?", "Two?"])
    await runCli(["ask", "--thread", "new", "-q", question], { cwd: world.folder });
  const session = await world.start();
  await session.ask("/resume");
  await session.ask("/resume 2");
  await session.ask("And then?");
  await session.ask("/resume 30");
  await session.ask("/resume 0000");
  await session.quit();
  const text = stripVTControlCharacters(session.output());
  expect(text).toMatch(/^1 {2}Two\? .*\r?\n2 {2}One\? .*\s+to choose the first: \/resume 1/m);
  expect(text).toContain("resume: there is no 30 in the list");
  expect(text).toContain('no thread "0000"');
  expect(questionsOf(world.model).at(-1)).toEqual(["One?", "And then?"]);
});

test("/resources lists what can be done with one by numbers", async () => {
  await using world = await replWorld(["Fine."]);
  const session = await world.start();
  await session.ask("/resources");
  await session.ask("/resources 2");
  await session.ask("/resources 2 1");
  await session.ask("What is b?");
  await session.ask("/resources 2 2");
  await session.quit();
  const text = stripVTControlCharacters(session.output());
  expect(text).toMatch(/^1 {2}demo .*local, ready/m);
  expect(text).toMatch(/^1 {2}ask about it .*\r?\n2 {2}remove .*\s+to choose the first: \/resources 2 1/m);
  expect(text).toContain("the next question is about other");
  expect(text).toContain("removed other from");
  expect(world.model.requests[0]?.system).not.toContain("- demo: ");
});

test("/export writes the conversation to a file, and not over another", async () => {
  await using world = await replWorld([reads, "It is 100 [[demo:a.ts#L1]]."]);
  const session = await world.start();
  await session.ask("How long?");
  await session.ask("/export it.md");
  await session.ask("/export it.md");
  await session.quit();
  expect(session.output()).toContain("it.md already exists");
  expect(await readFile(path.join(world.folder, "it.md"), "utf8")).toContain("> How long?");
});

test("/copy sends the answer to the terminal's clipboard", async () => {
  await using world = await replWorld(["Fine."]);
  const session = await world.start();
  await session.ask("How long?");
  await session.ask("/copy");
  await session.quit();
  const [encoded = ""] = session.output().split("\u001B]52;c;")[1]?.split("\u0007") ?? [];
  expect(Buffer.from(encoded, "base64").toString()).toContain("> How long?");
  expect(session.output()).toContain("sent the answer to the terminal's clipboard");
});

test("/model chooses another model of the provider in use", async () => {
  await using world = await replWorld(() => "Fine.", { models: ["scripted", "other-model"] });
  const session = await world.start();
  await session.ask("/model other-model");
  await session.ask("Who answers?");
  await session.quit();
  expect(world.model.requests[0]?.body.model).toBe("other-model");
});

test("a mention alone chooses, and asks nothing", async () => {
  await using world = await replWorld(["Fine."]);
  const session = await world.start();
  await session.ask("@other");
  await session.ask("What is b?");
  await session.quit();
  expect(world.model.requests).toHaveLength(1);
  expect(world.model.requests[0]?.system).not.toContain("- demo: ");
});

test("Tab completes the arguments of commands", async () => {
  await using world = await replWorld([]);
  const session = await world.start();
  session.type(`/add ./ot${keys.tab}`);
  await session.seesNext("her/");
  await session.ask(" -n third");
  await session.quit();
  expect(stripVTControlCharacters(session.output())).toContain("added third (local");
});

test("Tab completes commands", async () => {
  await using world = await replWorld([]);
  const session = await world.start();
  session.type(`/reso${keys.tab}`);
  await session.seesNext("urces");
  await session.ask("");
  await session.quit();
  expect(session.output()).toContain(path.join(world.folder, "other"));
});

test.each([
  { key: "Escape", sent: keys.escape },
  { key: "Ctrl+C", sent: keys.ctrlC },
])("$key ends an answer, and the session goes on in the same conversation", async ({ sent }) => {
  await using world = await replWorld([{ text: ["First part.\n\n", "Second "], hang: true }, "More."]);
  const session = await world.start();
  session.type(`How long?${keys.enter}`);
  await session.seesNext("First part.");
  session.type(sent);
  await session.seesNext("cancelled");
  await session.seesNext(editing.begins);
  const request = await world.model.request(0);
  await request.closed;
  expect(session.output()).toContain("Second");
  expect(session.output()).toContain("The answer is partial;");
  await session.ask("Go on.");
  await session.quit();
  expect(questionsOf(world.model).at(-1)).toEqual(["How long?", "Go on."]);
});

test("Escape ends a question whose model has not said anything, without a trace of it in the next one", async () => {
  await using world = await replWorld([{ hang: true }, "More."]);
  const session = await world.start();
  session.type(`How long?${keys.enter}`);
  await world.model.request(0);
  session.type(keys.escape);
  await session.seesNext("cancelled");
  await session.seesNext(editing.begins);
  await session.ask("Else?");
  await session.quit();
  expect(questionsOf(world.model).at(-1)).toEqual(["Else?"]);
});

test("Ctrl+C clears what is typed, and leaves where nothing is", async () => {
  await using world = await replWorld(["Fine."]);
  const session = await world.start();
  session.type("Never asked");
  await session.seesNext("Never asked");
  session.type(keys.ctrlC);
  await session.ask("How long?");
  session.type(keys.ctrlC);
  expect(await session.exit).toBe(0);
  expect(questionsOf(world.model)).toEqual([["How long?"]]);
});

test("text of several lines that is pasted is one question", async () => {
  await using world = await replWorld(["Fine."]);
  const session = await world.start();
  session.type("Why \u001B[200~one\r\n\ttwo\u0003\n\u001B[201~");
  await session.seesNext("one↵    two");
  await session.ask("?");
  await session.quit();
  expect(questionsOf(world.model)).toEqual([["Why one\n    two?"]]);
});

test("what was typed comes back with Up, in the next session too", async () => {
  await using world = await replWorld(() => "Fine.");
  const first = await world.start();
  await first.ask("How long?");
  await first.quit();
  const second = await world.start();
  second.type(keys.up);
  await second.seesNext("How long?");
  await second.ask("");
  await second.quit();
  expect(questionsOf(world.model)).toEqual([["How long?"], ["How long?"]]);
  expect(await readFile(path.join(world.folder, ".home/data/repl-history.jsonl"), "utf8")).toBe('"How long?"\n');
});

describe("commands", () => {
  test.each([
    { line: "/help", shown: ["Tab ", "Esc, Ctrl+C", ...Object.keys(slashCommands).map((name) => `\n/${name} `)] },
    { line: "/resources", shown: ["demo ", "other ", "local"] },
    { line: "/clear", shown: ["a new conversation"] },
    { line: "/clera", shown: ["no command /clera; did you mean /clear?"] },
    { line: "/", shown: ["no command /; /help lists the commands"] },
    { line: "/clear all", shown: ["/clear takes nothing after it"] },
    { line: "/copy", shown: ["there is no answer yet"] },
    { line: "/copy-all", shown: ["there is no answer yet"] },
    { line: "/export", shown: ["there is no answer yet"] },
    { line: "/resume", shown: ["there is no earlier conversation"] },
    { line: "/include", shown: ["the last question names no further dependency"] },
    { line: "/mouse wheel", shown: ["the wheel scrolls 3 rows; clicks are ignored"] },
  ])("$line", async ({ line, shown }) => {
    await using world = await replWorld([]);
    const session = await world.start();
    await session.ask(line);
    await session.quit();
    for (const text of shown) expect(session.output()).toContain(text);
  });

  test.each(["/quit", "/exit"])("%s leaves", async (line) => {
    await using world = await replWorld([]);
    const session = await world.start();
    session.type(line + keys.enter);
    expect(await session.exit).toBe(0);
    expect(session.output()).not.toContain("to go on");
  });
});

test("--no-thinking and --no-tools hide what they name", async () => {
  await using world = await replWorld([{ reasoning: "Let me see.", ...reads }, "Fine."]);
  const session = await world.start("--no-thinking", "--no-tools");
  await session.ask("How long?");
  await session.quit();
  expect(session.output()).not.toContain("Let me see.");
  expect(session.output()).not.toContain("read a.ts");
  expect(session.output()).toContain("Fine.");
});

test("a question that fails says why, and the session goes on", async () => {
  await using world = await replWorld([{ status: 401 }, "Fine."]);
  const session = await world.start();
  await session.ask("@https://10.0.0.1/a/gone What?");
  await session.ask("How long?");
  await session.ask("And now?");
  await session.quit();
  const text = stripVTControlCharacters(session.output());
  expect(text).toMatch(/error: 10\.0\.0\.1 is not a public address/);
  expect(text).toMatch(/error: .*key/);
  expect(text).toContain("Fine.");
});

test("threads resume shows the conversation and goes on with it, of what it was asked", async () => {
  await using world = await replWorld(() => "Fine.");
  const { thread } = await world.json("ask", "-q", "What is b?", "-r", "other", "--thread", "new");
  const session = await world.start("threads", "resume", thread.slice(0, 6));
  expect(stripVTControlCharacters(session.output())).toMatch(/> What is b\?\s+Fine\./);
  await session.ask("And then?");
  await session.quit();
  expect(questionsOf(world.model).at(-1)).toEqual(["What is b?", "And then?"]);
  expect(world.model.requests.at(-1)?.system).not.toContain("- demo: ");
});

test("a question whose conversation was deleted says so, and is answered in a new one", async () => {
  await using world = await replWorld(() => "Fine.");
  const session = await world.start();
  await session.ask("One?");
  const { threads } = await world.json("threads");
  await runCli(["threads", "delete", threads[0].id, "--yes"], { cwd: world.folder });
  await session.ask("Two?");
  await session.ask("Three?");
  await session.quit();
  expect(session.output()).toContain("the conversation was deleted; a new one begins here");
  expect(questionsOf(world.model)).toEqual([["One?"], ["Two?"], ["Two?", "Three?"]]);
  expect((await world.json("threads")).threads).toMatchObject([{ title: "Two?", turnCount: 2 }]);
});

test("a request to terminate ends it, and leaves the terminal as it was", async () => {
  await using world = await replWorld([]);
  const session = await world.start();
  session.kill("SIGTERM");
  expect(await session.exit).toBe(143);
  const output = session.output();
  expect(output.lastIndexOf(editing.ends)).toBeGreaterThan(output.lastIndexOf(editing.begins));
});

test.each([["repl"], ["repl", "--json"], ["--json"]])("without a terminal it is refused: %j", async (...args) => {
  await using world = await replWorld([]);
  const { code, stdout, stderr } = await runCli(args, { cwd: world.folder, stdin: "How long?\n" });
  expect(code).toBe(2);
  expect(stdout + stderr).toContain("needs a terminal");
  expect(world.model.requests).toEqual([]);
});

/** What the user said, in each request to the model. */
function questionsOf({ requests }: ScriptedModel): unknown[][] {
  return requests.map(({ body }) => body.messages.flatMap(({ role, content }) => (role === "user" ? [content] : [])));
}

interface ReplSession extends PtySession {
  /** Types a line, and waits until the next one can be typed. */
  ask(line: string): Promise<void>;
  quit(): Promise<void>;
}

async function replWorld(
  script: readonly ScriptedStep[] | Parameters<typeof scriptedModel>[0],
  options: Parameters<typeof scriptedModel>[1] = {},
) {
  const folder = await temporaryFolder("//- demo/a.ts\nexport const delayMs = 100;\n//- other/b.ts\nexport {};\n");
  const model = await scriptedModel(script, options);
  const resources = ["demo", "other"].map((name) => ({ type: "local", name, path: path.join(folder.path, name) }));
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, resources })}`);
  return {
    folder: folder.path,
    model,
    json: async (...args: string[]) => JSON.parse((await runCli([...args, "--json"], { cwd: folder.path })).stdout),
    async start(...args: string[]): Promise<ReplSession> {
      const session = startInTerminal([...args, "--no-tui"], { cwd: folder.path });
      await session.seesNext(editing.begins);
      return {
        ...session,
        async ask(line) {
          session.type(line + keys.enter);
          await session.seesNext(editing.ends);
          await session.seesNext(editing.begins);
        },
        async quit() {
          session.type(keys.ctrlD);
          expect(await session.exit).toBe(0);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
