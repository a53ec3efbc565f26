import { EventEmitter, once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { openStore, type StoreLocation } from "../../server/hosted/store/store.ts";
import { silentLog } from "../../server/lib/log.ts";
import { startCli } from "../support/cli.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { type GitServer, startGitServer } from "../support/git-server.ts";
import { type HostedNode, startNode } from "../support/hosted-node.ts";
import { createEmbeddedDatabase, postgresEngines } from "../support/stores.ts";

/** A point is after fewer calls than this, each number as often, and then within this time. */
const latest = { calls: 6, ms: 50 };
/** Processes of the hosted service are killed at random points while an agent uses it. */
const kills = 2 * latest.calls;
/** Fewer, as the embedded database takes seconds to open. */
const embeddedKills = latest.calls;
const waiting = { timeout: 300_000, interval: 200 };

// Each kill is followed by the start of a process, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 120_000 });

let git: GitServer;
beforeAll(async () => {
  git = await startGitServer();
  await git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
});
afterAll(() => git[Symbol.asyncDispose]());

test("kill -9 of an embedded service loses nothing that it acknowledged", async () => {
  await using folder = await temporaryFolder();
  const directory = path.join(folder.path, ".home/data/hosted/database");
  await createEmbeddedDatabase(directory);
  const start = () => startIn(folder, []);
  const first = await start();
  const agent = createAgent(await firstKey(first));
  await cutDuring(agent.use(first), first, { kill: 0 });
  for (let kill = 1; kill < embeddedKills; kill++) {
    const node = await start();
    await cutDuring(agent.use(node), node, { kill });
  }
  await passTheTime({ directory });
  await using node = await start();
  await vi.waitFor(async () => expect(await agent.missingIn(node)).toEqual([]), waiting);
  expect(agent.acknowledged.length).toBeGreaterThan(embeddedKills / 2);
});

test("kill -9 while the embedded database is made leaves none, and the next start makes it", async () => {
  await using folder = await temporaryFolder();
  const database = path.join(folder.path, ".home/data/hosted/database/postgres");
  const child = startCli(["hosted", "--port", "0"], { cwd: folder.path });
  const ended = once(child, "exit");
  await vi.waitFor(() => expect(existsSync(`${database}.new/PG_VERSION`)).toBe(true), { ...waiting, interval: 5 });
  child.kill("SIGKILL");
  await ended;
  expect(existsSync(database)).toBe(false);
  await using node = await startIn(folder, []);
  expect(await node.readiness()).toBe(200);
});

describe.each(postgresEngines())("kill -9 on $name", (engine) => {
  test("of a worker fails no call but questions about what it fetched, and its fetches are taken over", async () => {
    await using folders = await twoFolders();
    const location = await engine.createDatabase();
    const database = optionsOf(location);
    await using web = await startIn(folders.web, ["--role", "web", ...database]);
    const agent = createAgent(await firstKey(web));
    for (let kill = 0; kill < kills; kill++) {
      const worker = await startIn(folders.worker, ["--role", "worker", ...database]);
      const use = agent.use(web);
      await killDuring(use, worker, { kill });
      use.stop();
      expect(await use.ended).toBe("stopped");
    }
    await passTheTime(location);
    await using _worker = await startIn(folders.worker, ["--role", "worker", ...database]);
    await vi.waitFor(async () => expect(await agent.missingIn(web)).toEqual([]), waiting);
  });

  test("of a web node loses nothing that it acknowledged", async () => {
    await using folders = await twoFolders();
    const database = optionsOf(await engine.createDatabase());
    const start = () => startIn(folders.web, ["--role", "web", ...database]);
    const first = await start();
    const agent = createAgent(await firstKey(first));
    await using _worker = await startIn(folders.worker, ["--role", "worker", ...database]);
    await cutDuring(agent.use(first), first, { kill: 0 });
    for (let kill = 1; kill < kills; kill++) {
      const node = await start();
      await cutDuring(agent.use(node), node, { kill });
    }
    await using node = await start();
    await vi.waitFor(async () => expect(await agent.missingIn(node)).toEqual([]), waiting);
    expect(agent.acknowledged.length).toBeGreaterThan(kills / 2);
  });
});

/** Kills a process at a point of an agent's calls, and waits until it has ended. */
async function killDuring(use: Use, node: HostedNode, { kill }: { kill: number }): Promise<void> {
  await use.answered(kill % latest.calls);
  await sleep(Math.random() * latest.ms);
  node.process.kill("SIGKILL");
  await node.ended;
}

/** Kills the process that answers the calls: those before were right, and the last one is cut. */
async function cutDuring(use: Use, node: HostedNode, options: { kill: number }): Promise<void> {
  await killDuring(use, node, options);
  expect(await use.ended).toBe("cut");
}

/** Calls that run one after the other. */
interface Use {
  /** Resolves when this many of the calls are answered. */
  answered(calls: number): Promise<void>;
  stop(): void;
  /** Rejects if a call fails in another way than by a cut connection. */
  ended: Promise<"stopped" | "cut">;
}

const Reply = z.object({
  result: z.object({
    isError: z.boolean(),
    content: z.array(z.object({ text: z.string() })),
    structuredContent: z
      .object({ resources: z.array(z.object({ name: z.string(), fetch: z.object({ state: z.string() }) })) })
      .optional()
      .catch(undefined),
  }),
});

/** An agent that adds resources and uses them. */
function createAgent(key: string) {
  const acknowledged: string[] = [];
  let names = 0;

  async function call(node: HostedNode, tool: string, args: object): Promise<z.infer<typeof Reply>["result"]> {
    const response = await node.send(key, tool, args);
    return Reply.parse(await response.json()).result;
  }

  async function useUntil(signal: AbortSignal, node: HostedNode, progress: EventEmitter): Promise<"stopped" | "cut"> {
    const name = `lib-${names++}`;
    const add = ["addResource", { type: "git", name, url: git.url("lib") }] as const;
    const others = [
      ["listResources", {}],
      ["sync", { resource: name }],
      // About all that is fetched: one that is not must not delay the others.
      ["ask", { question: "How often does it retry?" }],
    ] as const;
    for (let turn = 0; !signal.aborted; turn++) {
      const [tool, args] = turn === 0 ? add : (others[turn % others.length] ?? add);
      try {
        const result = await call(node, tool, args);
        // While no worker fetches the resource, a question about it alone is told to come back.
        const mustWait = tool === "ask" && result.content[0]?.text.startsWith("NotReadyYet: ") === true;
        expect({ tool, ...result }).toMatchObject({ isError: mustWait });
      } catch (error) {
        // What fetch throws when its connection is cut.
        if (error instanceof TypeError) return "cut";
        throw error;
      }
      if (turn === 0) acknowledged.push(name);
      progress.emit("answered");
    }
    return "stopped";
  }

  return {
    /** The names of the resources whose addition was answered. */
    acknowledged,
    use(node: HostedNode): Use {
      const stopping = new AbortController();
      const progress = new EventEmitter();
      const ended = useUntil(stopping.signal, node, progress);
      return {
        async answered(calls) {
          for (let count = 0; count < calls; count++) await Promise.race([once(progress, "answered"), ended]);
        },
        stop: () => stopping.abort(),
        ended,
      };
    },
    /** What was acknowledged and is not there, or not fetched. */
    async missingIn(node: HostedNode): Promise<string[]> {
      const { structuredContent } = await call(node, "listResources", {});
      const states = new Map(structuredContent?.resources.map(({ name, fetch }) => [name, fetch.state]));
      return acknowledged.filter((name) => states.get(name) !== "ready");
    },
  };
}

async function startIn(folder: Folder, args: readonly string[]): Promise<HostedNode> {
  await folder.write(`//- .home/citewell.config.jsonc\n{ "allowHosts": ["localhost"] }\n`);
  return startNode(folder, ["--calls-per-minute", "100000", ...args], {
    SSL_CERT_FILE: git.caFile,
    NODE_EXTRA_CA_CERTS: git.caFile,
  });
}

/** The key that the first start prints. */
async function firstKey(node: HostedNode): Promise<string> {
  const key = (await node.printed(3)).find((line) => line.startsWith("cw_"));
  if (key === undefined) throw new Error("the first start printed no key");
  return key;
}

async function twoFolders() {
  const [web, worker] = [await temporaryFolder(), await temporaryFolder()];
  return {
    web,
    worker,
    async [Symbol.asyncDispose]() {
      await web[Symbol.asyncDispose]();
      await worker[Symbol.asyncDispose]();
    },
  };
}

function optionsOf(location: StoreLocation): string[] {
  if (!("url" in location)) throw new Error("several nodes need PostgreSQL");
  return ["--database", location.url];
}

/** Ends the leases of killed processes, and the minutes that a fetch waits after it was killed more than once. */
async function passTheTime(location: StoreLocation): Promise<void> {
  const store = await openStore(location, { log: silentLog });
  const expired = "case when lease is not null then now() end";
  await store.query(`update job set lease_until = ${expired}, run_at = least(run_at, now()), attempts = 0`);
  await store.close();
}
