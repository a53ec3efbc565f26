import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { open, readFile } from "node:fs/promises";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AskEvent } from "../../server/protocol/ask.ts";
import { citewellFile, cliEnvironment, runCli, startCli } from "../support/cli.ts";
import { runHere } from "../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { type ScriptedModel, scriptedModel, type ScriptedReply, type ScriptedStep } from "../support/scripted-model.ts";

const project = `
//- demo/src/retry.ts
/** Waits longer after each failure. */
export function retryDelay(times: number): number {
  const delayMs = 100 * times;
  return delayMs;
}
//- demo/README.md
# Demo
Retries wait 100 ms more each time.
//- my notes/the question.md
What is retryDelay?
//- question.md
How long does a retry wait?
`;

const escape = "\u001B";

/** Piped text needs a process of its own. */
const run: typeof runCli = (args, options) => (options.stdin === undefined ? runHere : runCli)(args, options);

describe("with the built-in provider", () => {
  let folder: Folder;
  beforeAll(async () => {
    folder = await temporaryFolder(project);
  });
  afterAll(() => folder[Symbol.asyncDispose]());
  const ask = (args: string[], options: { stdin?: string; env?: Record<string, string> } = {}) =>
    run(["ask", ...args], { cwd: folder.path, ...options });

  test("the answer is plain Markdown on standard output, the rest is on standard error", async () => {
    const { code, stdout, stderr } = await ask(["-q", "What is retryDelay?", "-r", "./demo"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Extracts, not an explanation/);
    expect(stdout).toContain("const delayMs = 100 * times;");
    expect(stdout).toMatch(/\[src\/retry\.ts:\d+-\d+\]\(file:.*demo\/src\/retry\.ts#L\d+-L\d+\)/);
    expect(stdout + stderr).not.toContain(escape);
    expect(stderr).toContain("local folder");
    expect(stderr).toMatch(/search .*retryDelay/);
    expect(stderr).toMatch(/\d citations?: \d verified\./);
  });

  test("--sub-agent prints the answer and nothing else", async () => {
    const { code, stdout, stderr } = await ask(["-q", "What is retryDelay?", "-r", "./demo", "--sub-agent"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("retryDelay");
  });

  test("--no-thinking and --no-tools hide what they name", async () => {
    const { stderr } = await ask(["-q", "What is retryDelay?", "-r", "./demo", "--no-thinking", "--no-tools"]);
    expect(stderr).not.toMatch(/^Looking for/m);
    expect(stderr).not.toMatch(/^search /m);
  });

  test("--json prints one document, whose citations are checked", async () => {
    const { code, stdout } = await ask(["-q", "What is retryDelay?", "-r", "./demo", "--json", "--strict"]);
    expect(code).toBe(0);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ schemaVersion: 1, model: { provider: "builtin", model: "extractive" } });
    expect(answer.citations.length).toBeGreaterThan(0);
    for (const citation of answer.citations) expect(citation).toMatchObject({ state: "verified" });
  });

  test("--jsonl prints the events of the stream, one a line", async () => {
    const { stdout } = await ask(["-q", "What is retryDelay?", "-r", "./demo", "--jsonl"]);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => AskEvent.parse(JSON.parse(line)));
    expect(events[0]?.type).toBe("meta");
    expect(events.at(-1)?.type).toBe("done");
    expect(events.map(({ type }) => type)).not.toContain("progress");
  });

  test.each([
    { from: "-q -", args: ["-q", "-"], stdin: "What is retryDelay?\n" },
    { from: "words without an option", args: ["What", "is", "retryDelay?"], stdin: undefined },
    { from: "quoted words that name a file", args: ["@my notes/the question.md"], stdin: undefined },
    { from: "a pipe", args: [], stdin: "What is retryDelay?\n" },
    { from: "a file", args: ["-q", "@question.md"], stdin: undefined },
    { from: "a file with spaces", args: ["-q", "@my notes/the question.md"], stdin: undefined },
  ])("the question comes from $from", async ({ args, stdin }) => {
    const { code, stdout } = await ask([...args, "-r", "./demo"], stdin === undefined ? {} : { stdin });
    expect(code).toBe(0);
    expect(stdout).toContain("delayMs");
  });

  test("mentions choose resources and leave the question", async () => {
    await using home = await temporaryFolder(project);
    await runHere(["add", "./demo", "-n", "ours"], { cwd: home.path });
    const { stdout } = await runHere(["ask", "-q", "What is retryDelay in @ours?", "--json"], { cwd: home.path });
    const { resources, tools } = JSON.parse(stdout);
    expect(resources).toEqual(["ours"]);
    const { state } = tools.find(({ tool }: { tool: string }) => tool === "search");
    expect(state.input.query).not.toContain("ours");
  });

  test("a misspelt mention is a note, and stays in the question", async () => {
    await using home = await temporaryFolder(project);
    await runHere(["add", "./demo", "-n", "ours"], { cwd: home.path });
    const run = (...args: string[]) =>
      runHere(["ask", "-q", "What is retryDelay in @oours?", "-r", "ours", ...args], { cwd: home.path });
    const { code, stderr } = await run();
    expect(code).toBe(0);
    expect(stderr).toContain('no resource named "oours"; did you mean @ours?\n');
    expect((await run("--quiet")).stderr).toBe("");
  });

  test.each([
    { name: "nothing", question: "Where is the kubernetes zeppelin?", args: [] },
    { name: "nothing, with --strict,", question: "Where is the kubernetes zeppelin?", args: ["--strict"] },
    { name: "only the nearest lines", question: "Where is the kubernetes zeppelin batch of a retry?", args: [] },
  ])("where $name fits, the answer says so and ends with 3", async ({ question, args }) => {
    const { code, stdout } = await ask(["-q", question, "-r", "./demo", "--json", ...args]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ evidence: "none", text: expect.stringMatching(/^No/) });
  });

  test("where something fits, the reply has no field for missing evidence", async () => {
    const { stdout } = await ask(["-q", "What is retryDelay?", "-r", "./demo", "--json"]);
    expect(JSON.parse(stdout)).not.toHaveProperty("evidence");
  });

  test.each([
    { name: "no question", args: ["-r", "./demo"], code: 2, message: /the question is empty/ },
    {
      name: "an empty question",
      args: ["-q", " ", "-r", "./demo"],
      code: 2,
      message: /the question is empty: -q has no text/,
    },
    {
      name: "only a mention",
      args: ["-q", "@express"],
      code: 2,
      message: /the question is empty: it only names express/,
    },
    {
      name: "a file with spaces that is not there",
      args: ["-q", "@my notes/gone.md", "-r", "./demo"],
      code: 2,
      message: /"@my notes\/gone.md" is neither a file nor/,
    },
    {
      name: "a file that is not there",
      args: ["-q", "@gone.md"],
      code: 2,
      message: /"@gone.md" is neither a file nor/,
    },
    { name: "a folder that is not there", args: ["-q", "x", "-r", "./gone"], code: 7, message: /gone/ },
    { name: "an unknown resource", args: ["-q", "x", "-r", "expres"], code: 3, message: /hint: did you mean express/ },
    { name: "an http URL", args: ["-q", "x", "-r", "http://github.com/a/b"], code: 2, message: /must use https/ },
    { name: "a private address", args: ["-q", "x", "-r", "https://127.0.0.1/a/b"], code: 2, message: /allowHosts/ },
    { name: "an address of IPv6", args: ["-q", "x", "-r", "https://[::1]/a/b"], code: 2, message: /allowHosts/ },
    {
      name: "a URL that cannot be decoded",
      args: ["-q", "x", "-r", "https://github.com/a/b/tree/%zz"],
      code: 2,
      message: /not a URL/,
    },
    {
      name: "a page whose branch has a NUL",
      args: ["-q", "x", "-r", "https://github.com/a/b/tree/%00"],
      code: 2,
      message: /a branch holds/,
    },
    {
      name: "a page whose folder leaves",
      args: ["-q", "x", "-r", "https://github.com/a/b/tree/main/..%2f.."],
      code: 2,
      message: /must not contain '\.\.'/,
    },
    {
      name: "a mapped address",
      args: ["-q", "x", "-r", "https://[::ffff:10.0.0.1]/a"],
      code: 2,
      message: /allowHosts/,
    },
    { name: "an unknown provider", args: ["-q", "x", "-r", "./demo", "--provider", "x"], code: 2, message: /provider/ },
    { name: "an unknown model", args: ["-q", "x", "-r", "./demo", "--model", "x"], code: 2, message: /extractive/ },
  ])("$name ends with $code", async ({ args, code, message }) => {
    const result = await ask(args);
    expect(result).toMatchObject({ code, stdout: "" });
    expect(result.stderr).toMatch(message);
    expect(result.stderr).not.toMatch(/\n\s+at /);
  });

  test("an error is JSON with --json", async () => {
    const { code, stdout } = await ask(["-q", "x", "-r", "./gone", "--json"]);
    expect(code).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, tag: "PathNotFound", error: expect.any(String) });
  });

  test("a missing folder's hint repeats what was typed, where it was resolved from, and what else may be given", async () => {
    const { stderr } = await ask(["-q", "x", "-r", "./gone"]);
    const [error, hint] = stderr.split("\n").slice(-3);
    expect(error).toBe(`error: there is no folder ${path.join(folder.path, "gone")}`);
    expect(hint).toBe(
      `hint: -r ./gone was resolved from ${folder.path}; give an existing folder, a configured name, an HTTPS git URL or npm:<package>`,
    );
  });
});

describe("with a model", () => {
  test("text piped beside the question goes along", async () => {
    await using world = await scripted(["Fine."]);
    await world.ask(["-q", "What does this change?"], { stdin: "-  return 1;\n+  return 2;\n" });
    expect(JSON.stringify(world.model.requests[0]?.body.messages)).toMatch(/What does this change\?.*return 2;/);
  });

  test.each([
    { name: "without a citation", text: "Retries wait." },
    { name: "whose citations all fail", text: "It waits [[demo:src/retry.ts#L90-L99]]." },
  ])("an answer $name has no evidence and ends with 3", async ({ text }) => {
    await using world = await scripted([text]);
    const { code, stderr } = await world.ask(["-q", "How long?"]);
    expect(code).toBe(3);
    expect(stderr).toContain("No evidence: nothing that was read proves this answer.");
  });

  test("a bad citation is marked in the text, and --strict ends with 4", async () => {
    await using world = await scripted(["It waits [[demo:src/retry.ts#L90-L99]]."]);
    const { code, stdout, stderr } = await world.ask(["-q", "How long?", "--strict"]);
    expect(code).toBe(4);
    expect(stdout).toContain("src/retry.ts:90-99 (out of range: the file has 5 lines)");
    expect(stderr).toContain("1 citation: 1 out of range.");
  });

  test("the step limit ends with the partial answer, says so, and exits with 8", async () => {
    const forEver = () => ({ text: "Reading on.", toolCalls: [{ name: "list", input: {} }] });
    await using world = await scripted(forEver, { maxSteps: 3 });
    const { code, stdout } = await world.ask(["-q", "How long?"]);
    expect(code).toBe(8);
    expect(stdout).toContain("Reading on.");
    expect(stdout).toContain("**Partial answer.**");
  });

  test("--provider alone takes that provider's default model", async () => {
    await using world = await scripted(["Fine."]);
    const { code, stdout } = await world.ask(["-q", "What is retryDelay?", "--provider", "builtin", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ model: { provider: "builtin", model: "extractive" } });
    const unknown = await world.ask(["-q", "How long?", "--provider", "anthropic"]);
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toMatch(
      /anthropic has no default model \(--model\)\nhint: name one: --model NAME \(known ones: claude/,
    );
  });

  test("a failure of the model names the command that does without it", async () => {
    await using world = await scripted(() => ({ hang: true }), { providerTimeoutMs: 100 });
    expect((await world.ask(["-q", "How long?"])).stderr).toContain("citewell ask --provider builtin");
  });

  test("a retry is shown with its reason and its delay", async () => {
    const busy = { status: 429, headers: { "retry-after": "0" } };
    await using world = await scripted([busy, "Fine."]);
    const { stdout, stderr } = await world.ask(["-q", "How long?"]);
    expect(stdout).toContain("Fine.");
    expect(stderr).toContain("openai-compat/scripted: too many requests (HTTP 429); retry 1 of 2 in 0 s");
  });

  test.each<{ name: string; reply: ScriptedReply; limitMs?: number; code: number; message: RegExp }>([
    { name: "401", reply: { status: 401 }, code: 5, message: /asks for a key/ },
    { name: "429", reply: { status: 429, headers: { "retry-after": "0" } }, code: 6, message: /too many requests/ },
    { name: "500", reply: { status: 500, headers: { "retry-after": "0" } }, code: 6, message: /failed/ },
    { name: "garbage", reply: { garbage: "<html>busy</html>" }, code: 6, message: /an invalid answer: <html>busy/ },
    { name: "silence", reply: { hang: true }, limitMs: 1000, code: 6, message: /took longer than 1000 ms/ },
  ])("$name from the provider ends with $code", async ({ reply, limitMs = 60_000, code, message }) => {
    await using world = await scripted(() => reply, { providerTimeoutMs: limitMs });
    const result = await world.ask(["-q", "How long?"]);
    expect(result).toMatchObject({ code, stdout: "" });
    expect(result.stderr).toMatch(message);
  });

  test("a connection that breaks in the middle ends with 6, and what had arrived stays", async () => {
    await using world = await scripted([{ text: ["The delay ", "grows."], closeAfter: 1 }]);
    const { code, stdout, stderr } = await world.ask(["-q", "How long?"]);
    expect({ code, stdout }).toEqual({ code: 6, stdout: expect.stringContaining("The delay") });
    expect(stderr).toContain("The answer is partial;");
  });

  test("tools that do not exist and arguments that do not fit do not end it", async () => {
    const toolCalls = [
      { name: "bash", input: { command: "rm -rf /" } },
      { name: "read", input: { path: ["src"] } },
      { name: "read", input: "{" },
      { name: "read", input: { path: "../../etc/passwd" } },
    ];
    await using world = await scripted([{ toolCalls }, "It waits [[demo:src/retry.ts#L3]]."]);
    const { code, stdout } = await world.ask(["-q", "How long?"]);
    expect(code).toBe(3);
    expect(stdout).toContain("(not read in this run)");
    expect(world.model.requests[1]?.toolResults).toHaveLength(4);
    expect(world.model.requests[1]?.toolResults.join()).not.toContain("root:");
  });

  test.each([
    { signal: "SIGINT", code: 130 },
    { signal: "SIGTERM", code: 143 },
  ] as const)("$signal cancels, keeps what had arrived, and ends with $code", async ({ signal, code }) => {
    await using world = await scripted([{ text: ["The delay ", "grows."], hang: true }]);
    const child = startCli(["ask", "-q", "How long?"], { cwd: world.folder.path });
    let stdout = "";
    child.stdout?.on("data", (chunk) => {
      stdout += String(chunk);
      if (stdout.includes("grows.")) child.kill(signal);
    });
    const [exitCode] = await once(child, "close");
    expect(exitCode).toBe(code);
    expect(stdout).toContain("The delay grows.");
    const request = await world.model.request(0);
    await request.closed;
  });

  test("a second Ctrl+C leaves at once", async () => {
    await using world = await scripted([{ text: "x", hang: true }]);
    const child = startCli(["ask", "-q", "How long?"], { cwd: world.folder.path });
    await world.model.request(0);
    child.kill("SIGINT");
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([130, null]);
  });

  test("a reader that leaves early ends it quietly", async () => {
    const lines = Array.from({ length: 5000 }, (_, line) => `line ${line}\n\n`);
    const release = new EventEmitter();
    const after = once(release, "left");
    await using world = await scripted([{ text: lines.slice(0, 10), later: { after, text: lines.join("") } }]);
    const child = startCli(["ask", "-q", "How long?"], { cwd: world.folder.path });
    let stderr = "";
    child.stderr?.on("data", (chunk) => (stderr += String(chunk)));
    child.stdout?.once("data", () => child.stdout?.destroy());
    child.stdout?.once("close", () => release.emit("left"));
    const [exitCode] = await once(child, "close");
    expect(exitCode).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|error|partial/i);
  });

  test("an answer that cannot be written, as on a full disk, is a fault", async () => {
    await using world = await scripted(["Fine."]);
    await using unwritable = await open(path.join(world.folder.path, "question.md"), "r");
    const child = spawn(process.execPath, [citewellFile, "ask", "-q", "How long?"], {
      cwd: world.folder.path,
      env: cliEnvironment(world.folder.path),
      stdio: ["ignore", unwritable.fd, "pipe"],
    });
    const said = child.stderr === null ? "" : readText(child.stderr);
    const [stderr, [code]] = await Promise.all([said, once(child, "close")]);
    expect(code).toBe(1);
    expect(stderr.match(/error: cannot write the output/g)).toHaveLength(1);
  });

  test("what the model and the resource say cannot control the terminal", async () => {
    await using world = await scripted([`Look: ${escape}[2J${escape}]0;owned\u0007 \u202Eevil`]);
    const { stdout } = await world.ask(["-q", "How long?"], { env: { FORCE_COLOR: "1" } });
    expect(stdout).not.toContain(`${escape}[2J`);
    expect(stdout).not.toContain(`${escape}]0`);
    expect(stdout).not.toContain("\u202E");
  });

  test("NO_COLOR wins over FORCE_COLOR", async () => {
    await using world = await scripted(["**Bold.**"]);
    const { stdout } = await world.ask(["-q", "How long?"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } });
    expect(stdout).not.toContain(escape);
  });
});

test("the question's own configuration is not touched by asking", async () => {
  await using world = await scripted(["Fine."]);
  const file = path.join(world.folder.path, ".home/citewell.config.jsonc");
  const before = await readFile(file, "utf8");
  await world.ask(["-q", "How long?"]);
  expect(await readFile(file, "utf8")).toBe(before);
});

interface World extends AsyncDisposable {
  folder: Folder;
  model: ScriptedModel;
  ask(args: string[], options?: { stdin?: string; env?: Record<string, string> }): ReturnType<typeof runCli>;
}

/** A project, a home whose configuration has the scripted model answer, and the command line over both. */
async function scripted(
  script: readonly ScriptedStep[] | Parameters<typeof scriptedModel>[0],
  config: Record<string, unknown> = {},
): Promise<World> {
  const folder = await temporaryFolder(project);
  const model = await scriptedModel(script);
  const resources = [{ type: "local", name: "demo", path: path.join(folder.path, "demo") }];
  const text = JSON.stringify({ ...model.config, ...config, resources });
  await folder.write(`//- .home/citewell.config.jsonc\n${text}`);
  return {
    folder,
    model,
    ask: (args, options = {}) => run(["ask", ...args], { cwd: folder.path, ...options }),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
