import { execFileSync } from "node:child_process";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { untilAborted } from "../../../../../server/lib/abort.ts";
import { CitewellError } from "../../../../../server/errors.ts";
import { silentLog } from "../../../../../server/lib/log.ts";
import { graphKey } from "../../../../../server/resources/git/history/commit-graph.ts";
import { openLocalHistory } from "../../../../../server/resources/git/history/local-history.ts";
import { createGitRunner } from "../../../../../server/resources/git/run-git.ts";
import { createStore } from "../../../../../server/resources/store.ts";
import { openRepository, type Repository } from "../../../../support/repository.ts";

/** Five commits of a.ts, and as many others. */
async function makeRepository(): Promise<Repository> {
  const repository = await openRepository();
  for (let number = 1; number <= 5; number++) {
    await repository.commit({ message: `A ${number}`, files: { "a.ts": `${number}\n` } });
    await repository.commit({ message: `B ${number}`, files: { "b.ts": `${number}\n` } });
  }
  return repository;
}

/** A process that asks about a folder; its graphs are below a folder that several processes share. */
function startProcess(folder: string, data: string, { isWriter = true, writing = "ends" } = {}) {
  const store = createStore({ directory: data, log: silentLog });
  const git = createGitRunner();
  /** What git ran with: the command, and whether it had a graph of ours. */
  const runs: string[] = [];
  let skipped = "0";
  const { signal } = new AbortController();
  const options = {
    runner: {
      async run(args: readonly string[], call: Parameters<typeof git.run>[1]) {
        const directory = call.environment["GIT_OBJECT_DIRECTORY"];
        runs.push(`${args[0]}${directory === undefined ? "" : " with ours"}`);
        const isWriting = args[0] === "commit-graph";
        if (isWriting && writing === "waits") return untilAborted(new Promise<never>(() => {}), call.signal);
        if (isWriting && writing === "is late") throw new CitewellError("RepositoryTimeout", "timed out");
        return git.run(args, { ...call, environment: { ...call.environment, GIT_TRACE2_PERF: "1" } });
      },
    },
    environment: { PATH: process.env["PATH"] ?? "", HOME: data },
    graphs: { store, isWriter },
    signal,
  };
  return {
    runs,
    /** How many commits the last log knew not to touch the path, without a look at them. */
    skipped: () => skipped,
    /** The subjects of the commits of a path, or why there are none. */
    async ask(...args: string[]) {
      await using history = await openLocalHistory(folder, options);
      runs.length = 0;
      const { code, stdout, stderr } = await history.run(["log", "--format=%s", ...args], { signal, timeMs: 60_000 });
      skipped = /"definitely_not":(\d+)/.exec(stderr)?.[1] ?? "0";
      return code === 0 ? stdout.trimEnd().split("\n") : stderr.trim();
    },
    /** Waits for the graph that is being written. */
    async written(objects = path.join(folder, ".git/objects")) {
      const running = { key: graphKey(objects), resolve: fail, fetch: fail };
      const tree = await store.open(running, { refresh: "always", oneOff: "graph" });
      await tree[Symbol.asyncDispose]();
      return tree.revision;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function fail(): never {
  throw new Error("nothing is being written");
}

async function graphsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith("info/commit-graph")).map((name) => path.join(folder, name));
}

/** Every file of a folder with its time and size. */
async function statesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).toSorted();
  const states = names.map(async (name) => {
    const { mtimeMs, size } = await stat(path.join(folder, name));
    return `${name} ${mtimeMs} ${size}`;
  });
  return Promise.all(states);
}

const commitsOfA = ["A 5", "A 4", "A 3", "A 2", "A 1"];

test("the second question is answered with a graph in our store; nothing is written into the repository", async () => {
  await using repository = await makeRepository();
  const data = `${repository.path}-data`;
  await using asking = startProcess(repository.path, data);
  const before = await statesIn(repository.path);
  expect(await asking.ask("--", "a.ts")).toEqual(commitsOfA);
  await asking.written();
  expect(asking.runs).toEqual(["log", "commit-graph with ours"]);
  expect(await asking.ask("--", "a.ts")).toEqual(commitsOfA);
  expect(asking.runs).toEqual(["log with ours"]);
  expect(await graphsIn(data)).toHaveLength(1);
  expect(await statesIn(repository.path)).toEqual(before);
});

test("a process that ends soon writes none, and reads the one on disk", async () => {
  await using repository = await makeRepository();
  const data = `${repository.path}-data`;
  await using ending = startProcess(repository.path, data, { isWriter: false });
  expect(await ending.ask("--", "a.ts")).toEqual(commitsOfA);
  expect(ending.runs).toEqual(["log"]);
  await expect(readdir(data)).rejects.toThrow("ENOENT");
  await using staying = startProcess(repository.path, data);
  await staying.ask();
  await staying.written();
  expect(await ending.ask("--", "a.ts")).toEqual(commitsOfA);
  expect(ending.runs).toEqual(["log with ours"]);
});

test("no question waits for it, and the process ends before it is written", async () => {
  await using repository = await makeRepository();
  const data = `${repository.path}-data`;
  const asking = startProcess(repository.path, data, { writing: "waits" });
  for (let question = 0; question < 2; question++) {
    expect(await asking.ask("--", "a.ts")).toEqual(commitsOfA);
    expect(asking.runs[0]).toBe("log");
  }
  await asking[Symbol.asyncDispose]();
  expect(await readdir(path.join(data, "one-offs/temporary"))).toEqual([]);
});

test("git reads ours also where gc has made one without paths, and in folders with any name", async () => {
  await using repository = await makeRepository();
  repository.git("gc", "--quiet");
  const strange = path.join(path.dirname(repository.path), `a:b;"c"\\d`);
  repository.git("worktree", "add", "--quiet", "--detach", path.join(path.dirname(repository.path), "tree"));
  repository.git("clone", "--quiet", "--shared", ".", strange);
  const data = `${repository.path}-data`;
  for (const folder of [repository.path, strange]) {
    await using asking = startProcess(folder, data);
    await asking.ask();
    await asking.written();
    expect(await asking.ask("--", "a.ts")).toEqual(commitsOfA);
    expect(asking.runs).toEqual(["log with ours"]);
    expect(asking.skipped()).toBe("5");
  }
  // A worktree has the objects of its repository, and so its graph.
  await using asking = startProcess(path.join(path.dirname(repository.path), "tree"), data);
  expect(await asking.ask("--", "a.ts")).toEqual(commitsOfA);
  expect(asking.runs).toEqual(["log with ours"]);
});

test("a damaged graph is not read, and is written again with the next commit", async () => {
  await using repository = await makeRepository();
  const data = `${repository.path}-data`;
  await using asking = startProcess(repository.path, data);
  await asking.ask();
  await asking.written();
  const [file = ""] = await graphsIn(data);
  const whole = await readFile(file);
  await chmod(file, 0o644);
  for (const damaged of [whole.subarray(0, 700), Buffer.concat([whole.subarray(0, -21), Buffer.alloc(21)])]) {
    await writeFile(file, damaged);
    expect(await asking.ask("--", "a.ts")).toEqual(commitsOfA);
    expect(asking.runs).toEqual(["log"]);
  }
  // Each bit of the paths and of the parents: git would answer with some of them.
  for (let at = 600; at < whole.length; at += 97) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 0xff;
    await writeFile(file, damaged);
    expect(await asking.ask("--", "a.ts")).toEqual(commitsOfA);
    expect(asking.runs).toEqual(["log"]);
  }
  await repository.commit({ message: "A 6", files: { "a.ts": "6\n" } });
  expect(await asking.ask("--", "a.ts")).toEqual(["A 6", ...commitsOfA]);
  await asking.written();
  expect(await asking.ask("--", "a.ts")).toEqual(["A 6", ...commitsOfA]);
  expect(asking.runs).toEqual(["log with ours"]);
});

test("a few commits do not renew it, a thousand do", async () => {
  await using repository = await makeRepository();
  const data = `${repository.path}-data`;
  await using asking = startProcess(repository.path, data);
  await asking.ask();
  await asking.written();
  await repository.commit({ message: "A 6", files: { "a.ts": "6\n" } });
  expect(await asking.ask("-n", "1", "--", "a.ts")).toEqual(["A 6"]);
  expect(asking.runs).toEqual(["log with ours", "log with ours"]);
  const empty = "commit refs/heads/main\ncommitter C <c@c.example> 1700000000 +0000\ndata 0\n";
  const input = `${empty}from refs/heads/main^0\n${empty.repeat(998)}`;
  execFileSync("git", ["fast-import", "--quiet"], { cwd: repository.path, input });
  expect(await asking.ask("-n", "1", "--", "a.ts")).toEqual(["A 6"]);
  expect(await asking.written()).toBe(repository.git("rev-parse", "HEAD").trim());
  expect(asking.runs).toEqual(["log with ours", "log with ours", "commit-graph with ours"]);
  expect(await graphsIn(data)).toHaveLength(1);
});

test("after a rewrite and gc, commits that are gone are unknown, as without a graph", async () => {
  await using repository = await makeRepository();
  const data = `${repository.path}-data`;
  await using asking = startProcess(repository.path, data);
  await asking.ask();
  await asking.written();
  const gone = repository.git("rev-parse", "HEAD").trim();
  repository.git("reset", "--quiet", "--hard", "HEAD~4");
  repository.git("reflog", "expire", "--expire=now", "--all");
  repository.git("gc", "--quiet", "--prune=now");
  expect(await asking.ask(gone)).toContain(`fatal: bad object ${gone}`);
  await asking.written();
  expect(asking.runs).toEqual(["log with ours", "log with ours", "commit-graph with ours"]);
  expect(await asking.ask("--", "a.ts")).toEqual(["A 3", "A 2", "A 1"]);
});

test("replaced and grafted commits are read as they were made, with a graph as without", async () => {
  await using repository = await makeRepository();
  repository.git("replace", "--graft", "HEAD~1", "HEAD~7");
  await writeFile(path.join(repository.path, ".git/info/grafts"), repository.git("rev-parse", "HEAD~3"));
  await using asking = startProcess(repository.path, `${repository.path}-data`);
  expect(await asking.ask("--", "a.ts")).toEqual(commitsOfA);
  await asking.written();
  expect(await asking.ask("--", "a.ts")).toEqual(commitsOfA);
  expect(asking.runs).toEqual(["log with ours"]);
});

test("one that takes too long is given up", async () => {
  await using repository = await makeRepository();
  const data = `${repository.path}-data`;
  await using asking = startProcess(repository.path, data, { writing: "is late" });
  await asking.ask();
  await asking.written();
  expect(asking.runs).toEqual(["log", "commit-graph with ours"]);
  expect(await asking.ask("--", "a.ts")).toEqual(commitsOfA);
  expect(asking.runs).toEqual(["log"]);
});

test("of a shallow repository git makes none, and is not asked again", async () => {
  await using repository = await makeRepository();
  const shallow = `${repository.path}-shallow`;
  repository.git("clone", "--quiet", "--depth=3", `file://${repository.path}`, shallow);
  const data = `${repository.path}-data`;
  await using asking = startProcess(shallow, data);
  expect(await asking.ask()).toEqual(["B 5", "A 5", "B 4"]);
  await asking.written();
  expect(asking.runs).toEqual(["log", "commit-graph with ours"]);
  expect(await asking.ask()).toEqual(["B 5", "A 5", "B 4"]);
  expect(asking.runs).toEqual(["log"]);
  expect(await graphsIn(data)).toEqual([]);
});
