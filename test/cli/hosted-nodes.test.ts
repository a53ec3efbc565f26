import { EventEmitter, once } from "node:events";
import { readdir } from "node:fs/promises";
import * as z from "zod";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openStore, type Store } from "../../server/hosted/store/store.ts";
import { createKey } from "../../server/hosted/tenants/keys.ts";
import { createProject } from "../../server/hosted/tenants/projects.ts";
import { silentLog } from "../../server/lib/log.ts";
import { runHere } from "../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { type GitServer, startGitServer } from "../support/git-server.ts";
import { type HostedNode, startNode } from "../support/hosted-node.ts";
import { preferredNames } from "../support/preferred-names.ts";
import { type ScriptedModel, scriptedModel } from "../support/scripted-model.ts";
import { postgresEngines, type TestEngine } from "../support/stores.ts";

// Each test starts several processes, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let git: GitServer;
beforeAll(async () => {
  git = await startGitServer();
});
afterAll(() => git[Symbol.asyncDispose]());

test.each(["web", "worker"])("the role %s is refused with the embedded database", async (role) => {
  await using folder = await temporaryFolder();
  expect(await runHere(["hosted", "--role", role], { cwd: folder.path })).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(new RegExp(`--role ${role} needs PostgreSQL.*\\n.*--database postgres://`)),
  });
});

test.each([
  ["http://10.0.0.5:8484", ["--database", "postgres://localhost:1/none"], "--node-url needs CITEWELL_SECRETS_KEY"],
  ["http://10.0.0.5:8484", [], "--node-url needs PostgreSQL"],
  ["10.0.0.5:8484", ["--database", "postgres://localhost:1/none"], "is not the http or https address of a host"],
  [
    "http://10.0.0.5:8484/mcp",
    ["--database", "postgres://localhost:1/none"],
    "is not the http or https address of a host",
  ],
])("--node-url %s %j is a usage error", async (url, args, message) => {
  await using folder = await temporaryFolder();
  expect(await runHere(["hosted", "--node-url", url, ...args], { cwd: folder.path })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  });
});

describe.each(postgresEngines())("nodes on $name", (engine) => {
  test("a running question ends before its node does", async () => {
    const release = new EventEmitter();
    await using model = await scriptedModel([
      { text: ["It "], later: { after: once(release, "release"), text: "does." } },
    ]);
    await using team = await startTeam(engine, model);
    await using node = await team.startNode(["--notice", "0"]);
    const answer = node.send(team.key, "ask", { question: "Does it retry?" });
    await model.request(0);
    node.process.kill("SIGTERM");
    await vi.waitFor(async () => expect(await node.readiness()).toBeUndefined(), waiting);
    release.emit("release");
    expect(await (await answer).json()).toMatchObject({
      result: { isError: false, content: [{ text: expect.stringContaining("It does.") }] },
    });
    expect(await node.ended).toBe(0);
    const events = (await node.log).trimEnd().split("\n");
    expect(events.map((line): unknown => JSON.parse(line))).toMatchObject([
      { level: "info", event: "owner-missing" },
      { level: "info", event: "snapshot-fetched" },
      { level: "info", event: "tool-called", tool: "ask", request: expect.any(String) },
      { level: "info", event: "drained", cancelledCalls: 0 },
    ]);
  });

  test("a question that takes longer than the grace time is cancelled", async () => {
    await using model = await scriptedModel([{ text: ["It "], hang: true }]);
    await using team = await startTeam(engine, model);
    await using node = await team.startNode(["--notice", "0", "--grace", "1"]);
    const answer = node.send(team.key, "ask", { question: "Does it retry?" });
    const request = await model.request(0);
    node.process.kill("SIGTERM");
    expect(await (await answer).json()).toMatchObject({
      result: { isError: true, content: [{ text: /^Cancelled: / }] },
    });
    await request.closed;
    expect(await node.ended).toBe(0);
  });

  test("a node takes calls while balancers notice that it is not ready; a second signal ends it at once", async () => {
    await using model = await scriptedModel([{ text: ["It "], hang: true }]);
    await using team = await startTeam(engine, model);
    await using node = await team.startNode(["--notice", "100"]);
    const answer = node.send(team.key, "ask", { question: "Does it retry?" }).catch(() => "cut");
    await model.request(0);
    node.process.kill("SIGTERM");
    await vi.waitFor(async () => expect(await node.readiness()).toBe(503), waiting);
    const late = await node.send(team.key, "listResources");
    expect([late.status, late.headers.get("connection")]).toEqual([200, "close"]);
    node.process.kill("SIGTERM");
    expect(await node.ended).toBe(143);
    expect(await answer).toBe("cut");
  });

  test("a worker serves its health only, and returns what it fetches to the queue", async () => {
    await using model = await scriptedModel([]);
    await using team = await startTeam(engine, model);
    await using worker = await team.startNode(["--role", "worker", "--notice", "0"]);
    expect(await worker.readiness()).toBe(200);
    expect(await (await worker.send(team.key, "listResources")).json()).toEqual({
      error: "RouteNotFound",
      message: "no route /api/mcp (this process is a worker: send calls to one with the role web)",
    });
    const requested = new Promise<void>((resolve) => {
      git.intercept(() => {
        resolve();
        return new Promise(() => {});
      });
    });
    await using web = await team.startNode(["--role", "web"]);
    await web.send(team.key, "sync");
    await requested;
    worker.process.kill("SIGTERM");
    expect(await worker.ended).toBe(0);
    git.intercept(undefined);
    expect((await team.store.query("select lease, requested_at from job")).rows).toEqual([
      { lease: null, requested_at: expect.any(Date) },
    ]);
  });

  test("a call goes to the node that its resource prefers, and is answered here when that node is killed", async () => {
    await using model = await scriptedModel([
      { text: ["It "], later: { after: Promise.resolve(), text: "retries." } },
      { text: ["It "], hang: true },
      { text: ["It "], later: { after: Promise.resolve(), text: "still retries." } },
    ]);
    await using team = await startTeam(engine, model);
    const args = ["--role", "web", "--node-url", "http://127.0.0.1:0", "--notice", "0"];
    await using preferred = await team.startNode(args);
    await using node = await team.startNode(args);
    const [name = "", other = ""] = preferredNames(git, [preferred.url, node.url]);
    await team.add(name);
    const ask = { question: "Does it retry?", resources: [name] };
    expect(await (await node.send(team.key, "ask", ask)).text()).toContain("It retries.");
    const answer = node.send(team.key, "ask", ask);
    await model.request(1);
    preferred.process.kill("SIGKILL");
    expect(await (await answer).json()).toMatchObject({
      result: { isError: false, content: [{ text: expect.stringContaining("It still retries.") }] },
    });
    await team.add(other);
    expect(await (await node.send(team.key, "read", { resource: other, path: "retry.ts" })).text()).toContain(
      "export const retries = 3;",
    );
    node.process.kill("SIGTERM");
    expect(await node.ended).toBe(0);
    expect((await team.store.query("select url from node")).rows).toEqual([{ url: preferred.url }]);
    const events = (await node.log).trimEnd().split("\n");
    expect(events.map((line) => z.object({ event: z.string() }).parse(JSON.parse(line)).event)).toEqual([
      "owner-missing",
      "call-passed",
      "call-not-passed",
      "snapshot-fetched",
      "tool-called",
      "snapshot-fetched",
      "tool-called",
      "drained",
    ]);
  });

  test("a rolling restart of two web nodes and two workers fails no call", async () => {
    await using model = await scriptedModel(() => ({ text: ["It retries ", "three times [[lib:retry.ts#L1]]."] }));
    await using team = await startTeam(engine, model);
    // The balancer does not look at workers.
    const roles = [
      ["web", "--notice", "5"],
      ["web", "--notice", "5"],
      ["worker", "--notice", "0"],
      ["worker", "--notice", "0"],
    ];
    await using shared = await temporaryFolder();
    const common = ["--shared", shared.path, "--cache-size", "1"];
    await using nodes = new Rolling(roles.map((role) => () => team.startNode(["--role", ...role, ...common])));
    await nodes.startAll();
    const load = new AbortController();
    const calls = Array.from({ length: 6 }, (_, index) => callUntil(load.signal, index, nodes, team.key));
    for (const index of roles.keys()) await nodes.restart(index);
    load.abort();
    const answers = (await Promise.all(calls)).flat();
    expect(answers.filter((answer) => answer !== "ok")).toEqual([]);
    expect(answers.length).toBeGreaterThan(20);
    await vi.waitFor(async () => {
      const { rows } = await team.store.query(
        "select attempts, failure from job where lease is null and requested_at is null",
      );
      expect(rows).toEqual([{ attempts: 0, failure: null }]);
    }, waiting);
    expect(await readdir(shared.path)).toHaveLength(1);
  });
});

const waiting = { timeout: 60_000, interval: 20 };

interface Team extends AsyncDisposable {
  store: Store;
  key: string;
  /** Registers a repository under its own name, fetched by no worker yet. */
  add(name: string): Promise<void>;
  /** A node with a data directory of its own. */
  startNode(args: readonly string[]): Promise<HostedNode>;
}

/** A project with the resource `lib`, fetched by no worker yet. */
async function startTeam(engine: TestEngine, model: ScriptedModel): Promise<Team> {
  const location = await engine.createDatabase();
  if (!("url" in location)) throw new Error("several nodes need PostgreSQL");
  const store = await openStore(location, { log: silentLog });
  const project = await createProject(store, "team");
  const { key } = await createKey(store, project, { name: "agent", scopes: ["ask", "read", "manage"] });
  const add = async (name: string) => {
    await git.commit(name, { "retry.ts": "export const retries = 3;\n" });
    const spec = JSON.stringify({ type: "git", name, url: git.url(name), branch: "main" });
    await store.query("insert into resource (project, name, spec) values ($1, $2, $3::jsonb)", [
      project.id,
      name,
      spec,
    ]);
    await store.query("insert into job (project, resource) values ($1, $2)", [project.id, name]);
  };
  await add("lib");
  const folders: Folder[] = [];
  return {
    store,
    key,
    add,
    async startNode(args) {
      const folder = await temporaryFolder();
      folders.push(folder);
      const { providerOptions } = model.config;
      const config = JSON.stringify({ allowHosts: ["localhost"], providerOptions });
      await folder.write(`//- .home/citewell.config.jsonc\n${config}\n`);
      const common = ["--database", location.url, "--model", "openai-compat/scripted", "--calls-per-minute", "100000"];
      return startNode(folder, [...common, ...args], {
        SSL_CERT_FILE: git.caFile,
        NODE_EXTRA_CA_CERTS: git.caFile,
        CITEWELL_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      });
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await Promise.all(folders.map((folder) => folder[Symbol.asyncDispose]()));
    },
  };
}

/** Nodes that are restarted one after the other, behind a round-robin balancer that looks at `/readyz`. */
class Rolling implements AsyncDisposable {
  readonly #starts: readonly (() => Promise<HostedNode>)[];
  readonly #nodes: HostedNode[] = [];
  #next = 0;

  constructor(starts: readonly (() => Promise<HostedNode>)[]) {
    this.#starts = starts;
  }

  async startAll(): Promise<void> {
    for (const start of this.#starts) this.#nodes.push(await start());
  }

  /** Starts the new node when the old one has ended. */
  async restart(index: number): Promise<void> {
    const node = this.#nodes[index];
    const start = this.#starts[index];
    if (node === undefined || start === undefined) throw new RangeError(`no node ${index}`);
    node.process.kill("SIGTERM");
    const code = await node.ended;
    if (code !== 0) throw new Error(`the node ended with code ${code}: ${await node.log}`);
    this.#nodes[index] = await start();
  }

  async chooseReady(): Promise<HostedNode> {
    while (true) {
      const node = this.#nodes[this.#next++ % 2];
      if (node !== undefined && (await node.readiness()) === 200) return node;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node[Symbol.asyncDispose]()));
  }
}

/** Calls tools one after the other; returns `ok` or what went wrong for each. */
async function callUntil(signal: AbortSignal, index: number, nodes: Rolling, key: string): Promise<string[]> {
  const tools = [
    ["ask", { question: "How often does it retry?" }],
    ["search", { query: "retries", mode: "exact" }],
    ["listResources", {}],
    ["sync", {}],
  ] as const;
  const answers: string[] = [];
  for (let count = index; !signal.aborted; count++) {
    const [tool, args] = tools[count % tools.length] ?? tools[0];
    const node = await nodes.chooseReady();
    answers.push(await callOnce(node, key, tool, args));
  }
  return answers;
}

async function callOnce(node: HostedNode, key: string, tool: string, args: object): Promise<string> {
  try {
    const response = await node.send(key, tool, args);
    const text = await response.text();
    return text.includes('"isError":false') ? "ok" : `${tool}: ${response.status} ${text}`;
  } catch (error) {
    return `${tool}: ${String(error)} ${error instanceof Error ? String(error.cause) : ""}`;
  }
}
