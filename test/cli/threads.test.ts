import path from "node:path";
import { rename, rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { scriptedModel, type ScriptedStep } from "../support/scripted-model.ts";

const project = "//- demo/retry.ts\n/** Waits longer after each failure. */\nexport const delayMs = 100;\n";
const reads = { toolCalls: [{ name: "read", input: { path: "retry.ts" } }] };
const cites = "It is 100 ms [[demo:retry.ts#L2]].";

describe("ask --thread and --continue", () => {
  test("without them nothing is kept", async () => {
    await using world = await cliWorld(["Fine."]);
    await world.run("ask", "-q", "Why?");
    expect(await world.json("threads")).toMatchObject({ schemaVersion: 1, threads: [] });
  });

  test("a conversation goes on, over processes, by id, by the beginning of its id, and as the last one", async () => {
    await using world = await cliWorld(() => "Fine.");
    const { thread } = await world.json("ask", "-q", "One?", "--thread", "new");
    expect(thread).toMatch(/^[0-9a-f]{12}$/);
    const { code, stdout, stderr } = await world.run("ask", "-q", "Two?", "--thread", thread.slice(0, 5));
    expect({ code, stdout }).toEqual({ code: 3, stdout: "Fine.\n" });
    expect(stderr).toContain(`thread ${thread}`);
    expect((await world.run("threads", "show", thread.slice(0, 3))).stderr).toContain("no thread");
    await world.run("ask", "-q", "Three?", "--continue");
    const { threads } = await world.json("threads");
    expect(threads).toMatchObject([{ id: thread, title: "One?", turnCount: 3 }]);
    const messages = JSON.stringify(world.model.requests.at(-1)?.body.messages);
    expect(messages).toMatch(/One\?.*Fine.*Two\?.*Fine.*Three\?/);
  });

  test("a follow-up without resources uses those of the question before", async () => {
    await using world = await cliWorld(() => "Fine.", { other: "//- other/b.ts\nexport {};\n" });
    await world.run("ask", "-q", "One?", "--thread", "new", "-r", "other");
    expect(await world.json("ask", "-q", "Two?", "--continue")).toMatchObject({ resources: ["other"] });
    expect(await world.json("ask", "-q", "Three?", "--continue", "-r", "demo")).toMatchObject({ resources: ["demo"] });
  });

  test.each([
    { name: "an id that does not exist", args: ["--thread", "abc"], code: 3, message: /no thread "abc"/ },
    { name: "nothing to continue", args: ["--continue"], code: 3, message: /no thread to continue/ },
    { name: "both", args: ["--continue", "--thread", "new"], code: 2, message: /cannot be used together/ },
  ])("$name ends with $code", async ({ args, code, message }) => {
    await using world = await cliWorld(["Fine."]);
    const result = await world.run("ask", "-q", "Why?", ...args);
    expect(result).toMatchObject({ code, stdout: "" });
    expect(result.stderr).toMatch(message);
    expect(world.model.requests).toEqual([]);
  });
});

describe("threads", () => {
  let world: Awaited<ReturnType<typeof cliWorld>>;
  let id = "";
  beforeAll(async () => {
    world = await cliWorld([reads, cites, "Fine."]);
    ({ thread: id } = await world.json("ask", "-q", "How long?\nReally?", "--thread", "new"));
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test.each([[[]], [["list"]]])("lists what is kept: %j", async (args) => {
    const { code, stdout, stderr } = await world.run("threads", ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^${id}  .*  1 question  demo: How long\\? Really\\?\n$`));
  });

  test("show prints the conversation with its sources", async () => {
    const { code, stdout } = await world.run("threads", "show", id);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^> How long\?\n> Really\?\n\nIt is 100 ms \[retry\.ts:2\]\(file:/);
    expect(stdout).toMatch(/verified +retry\.ts:2/);
    expect(stdout).toContain("1 citation: 1 verified.");
  });

  test("show --json is the thread", async () => {
    expect(await world.json("threads", "show", id)).toMatchObject({
      schemaVersion: 1,
      id,
      turns: [{ question: "How long?\nReally?", cited: [{ lines: ["export const delayMs = 100;"] }] }],
    });
  });

  test("export is self-contained Markdown with the cited lines", async () => {
    const { code, stdout } = await world.run("threads", "export", id);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# How long\? Really\?\n\n> How long\?\n> Really\?\n/);
    expect(stdout).toContain("It is 100 ms [retry.ts:2](file:");
    expect(stdout).toMatch(
      /1\. `retry\.ts:2` \(demo · local folder .*\): verified\n\n {3}```ts\n {3}export const delayMs = 100;\n {3}```\n/,
    );
  });

  test("delete without --yes is refused without a terminal, and --dry-run only reports", async () => {
    const refused = await world.run("threads", "delete", id);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("--yes");
    const told = await world.run("threads", "delete", id, "--dry-run");
    expect(told.stdout).toMatch(new RegExp(`^would remove ${id}`));
    expect((await world.json("threads")).threads).toHaveLength(1);
  });

  test("delete --yes removes it", async () => {
    const { thread } = await world.json("ask", "-q", "Again?", "--thread", "new");
    expect(await world.run("threads", "delete", thread, "--yes")).toMatchObject({
      code: 0,
      stdout: `removed ${thread}\n`,
    });
    expect((await world.json("threads")).threads).toMatchObject([{ id }]);
  });

  test.each([
    { args: ["show"], code: 2, message: /no thread was given/ },
    { args: ["show", "nope"], code: 3, message: /no thread "nope"/ },
    { args: ["show", ""], code: 3, message: /no thread ""/ },
    { args: ["frobnicate"], code: 2, message: /Allowed choices are list, show, resume, delete, export/ },
    { args: ["resume", "nope"], code: 3, message: /no thread/ },
  ])("$args ends with $code", async ({ args, code, message }) => {
    const result = await world.run("threads", ...args);
    expect(result).toMatchObject({ code, stdout: "" });
    expect(result.stderr).toMatch(message);
  });

  test("resume needs a terminal", async () => {
    const { code, stderr } = await world.run("threads", "resume", id);
    expect(code).toBe(2);
    expect(stderr).toContain("needs a terminal");
  });
});

describe("recheck", () => {
  test("ends with 0 while everything holds, wherever it moved", async () => {
    await using world = await rechecked();
    const same = await world.run("recheck");
    expect(same).toMatchObject({ code: 0, stderr: "" });
    expect(same.stdout).toMatch(/unchanged +demo\/retry\.ts:2\n\n1 citation: 1 unchanged\.\n$/);
    await world.folder.write("//- demo/retry.ts\n\n\n\nexport const delayMs = 100;\n");
    const moved = await world.run("recheck");
    expect(moved.code).toBe(0);
    expect(moved.stdout).toMatch(/moved +demo\/retry\.ts:2 → retry\.ts:4/);
  });

  test("ends with 4 when a citation changed or is gone", async () => {
    await using world = await rechecked();
    await world.folder.write("//- demo/retry.ts\n// Other.\n");
    const changed = await world.run("recheck");
    expect(changed.code).toBe(4);
    expect(changed.stdout).toMatch(/changed +demo\/retry\.ts:2/);
    await rm(path.join(world.folder.path, "demo/retry.ts"));
    expect(await world.run("recheck", "--json")).toMatchObject({ code: 4 });
    expect((await world.json("recheck")).threads[0].citations).toMatchObject([{ state: "gone" }]);
  });

  test("ends with 7 when a resource cannot be opened: it does not hold", async () => {
    await using world = await rechecked();
    await rm(path.join(world.folder.path, "demo"), { recursive: true });
    const { code, stdout } = await world.run("recheck");
    expect(code).toBe(7);
    expect(stdout).toMatch(/unknown +demo\/retry\.ts:2 .*demo/);
  });

  test("--json is one document; only the threads that are named are looked at", async () => {
    await using world = await rechecked();
    const { thread } = await world.json("ask", "-q", "Again?", "--thread", "new");
    expect(await world.json("recheck", thread)).toMatchObject({
      holds: true,
      threads: [{ id: thread, citations: [] }],
    });
    expect((await world.json("recheck")).threads).toHaveLength(2);
  });

  test("with nothing to check it ends with 0, and an unknown thread with 3", async () => {
    await using world = await cliWorld([]);
    expect(await world.run("recheck")).toMatchObject({ code: 0, stdout: "No citations to check again.\n" });
    expect(await world.run("recheck", "nope")).toMatchObject({ code: 3, stdout: "" });
  });

  async function rechecked() {
    const world = await cliWorld([reads, cites, "Fine."]);
    await world.run("ask", "-q", "How long?", "--thread", "new");
    return world;
  }
});

describe("in another project", () => {
  let world: Awaited<ReturnType<typeof twoProjects>>;
  let thread = "";
  beforeAll(async () => {
    world = await twoProjects();
    ({ thread } = await world.json("one", "ask", "-q", "How long?", "--thread", "new"));
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("--continue names the conversation of the other project instead of continuing it", async () => {
    const { code, stderr, stdout } = await world.run("two", "ask", "-q", "And then?", "--continue");
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("no thread of this project to continue; the last one is about one");
    expect(stderr).toContain(`--thread ${thread}`);
  });

  test("a thread that is named is about its own project, follow-ups too, and stays that project's", async () => {
    for (const question of ["And then?", "Why?"]) {
      const answer = await world.json("two", "ask", "-q", question, "--thread", thread);
      expect(answer).toMatchObject({ resources: ["one"], text: expect.stringContaining("retry.ts:2") });
      expect(answer.citations).toMatchObject([{ state: "verified" }]);
    }
    expect((await world.json("one", "threads")).threads).toMatchObject([{ id: thread, isHere: true, turnCount: 3 }]);
    expect((await world.json("two", "threads")).threads).toMatchObject([{ id: thread, isHere: false }]);
  });

  test("its names mean what they meant there, and those of this project can be named, too", async () => {
    expect(await world.json("two", "ask", "-q", "@one Why?", "--thread", thread)).toMatchObject({ resources: ["one"] });
    expect(await world.json("two", "ask", "-q", "Why?", "-r", "two", "--thread", thread)).toMatchObject({
      resources: ["two"],
    });
  });

  test("threads counts it, and --all lists it under a heading", async () => {
    const counted = await world.run("two", "threads");
    expect(counted.stdout).toBe("");
    expect(counted.stderr).toBe(
      "no conversation of this project\n1 conversation of other projects: citewell threads --all\n",
    );
    const { stdout } = await world.run("two", "threads", "--all");
    expect(stdout).toMatch(new RegExp(`^Other projects\n${thread}  .*one`));
  });

  test("recheck leaves it out; --all and its id check it where it is", async () => {
    expect(await world.run("two", "recheck")).toMatchObject({ code: 0, stdout: "No citations to check again.\n" });
    for (const args of [["--all"], [thread]]) {
      const { code, stdout } = await world.run("two", "recheck", ...args);
      expect(stdout).toMatch(/unchanged +one\/retry\.ts:2/);
      expect(code).toBe(0);
    }
  });

  test("when its folder is gone, a question says what it was about, and a re-check that nothing was checked", async () => {
    const { thread: fresh } = await world.json("one", "ask", "-q", "Why?", "--thread", "new");
    await rename(path.join(world.folder.path, "one"), path.join(world.folder.path, "moved"));
    const asked = await world.run("two", "ask", "-q", "Why?", "--thread", fresh);
    expect(asked).toMatchObject({ code: 7, stdout: "" });
    expect(asked.stderr).toMatch(/one/);
    const { code, stdout } = await world.run("two", "recheck", fresh);
    expect(code).toBe(7);
    expect(stdout).toMatch(/unknown +one\/retry\.ts:2/);
  });

  async function twoProjects() {
    const files = (name: string) => `${project.replace("demo/", `${name}/`)}//- ${name}/package.json\n{}\n`;
    const folder = await temporaryFolder(files("one") + files("two"));
    const model = await scriptedModel(({ toolResults }) =>
      toolResults.length === 0 ? reads : cites.replace("demo:", "one:"),
    );
    await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify(model.config)}`);
    const env = { HOME: folder.path, CITEWELL_HOME: path.join(folder.path, ".home") };
    const run = (name: string, ...args: string[]) => runHere(args, { cwd: path.join(folder.path, name), env });
    return {
      folder,
      run,
      json: async (name: string, ...args: string[]) => JSON.parse((await run(name, ...args, "--json")).stdout),
      async [Symbol.asyncDispose]() {
        await model[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  }
});

/** A project, a home whose configuration has the scripted model answer, and the command line over both. */
async function cliWorld(
  script: readonly ScriptedStep[] | Parameters<typeof scriptedModel>[0],
  others: Record<string, string> = {},
) {
  const folder: Folder = await temporaryFolder(project + Object.values(others).join(""));
  const model = await scriptedModel(script);
  const resources = ["demo", ...Object.keys(others)].map((name) => {
    return { type: "local", name, path: path.join(folder.path, name) };
  });
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, resources })}`);
  const run = (...args: string[]) => runHere(args, { cwd: folder.path });
  return {
    folder,
    model,
    run,
    json: async (...args: string[]) => JSON.parse((await run(...args, "--json")).stdout),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
