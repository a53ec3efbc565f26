import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLocalApp } from "../server/local-app.ts";
import { openStore, type StoreLocation } from "../server/hosted/store/store.ts";
import { authenticate } from "../server/hosted/tenants/keys.ts";
import { createOwnerLink, linkPath } from "../server/hosted/tenants/links.ts";
import { listProjects } from "../server/hosted/tenants/projects.ts";
import { silentLog } from "../server/lib/log.ts";
import { cliEnvironment, runCli } from "../test/support/cli.ts";
import { type Folder, temporaryFolder } from "../test/support/folder.ts";
import { startGitServer } from "../test/support/git-server.ts";
import { type HostedNode, startNode } from "../test/support/hosted-node.ts";
import { findPostgres, startPostgres } from "../test/support/postgres.ts";
import { scriptedModel, type ScriptedModel } from "../test/support/scripted-model.ts";
import { createVisitor, testPassword } from "../test/support/visitor.ts";
import { median, quantile } from "./median.ts";
import { processFigures, type ProcessFigures } from "./process-figures.ts";

/** The hosted service as real processes: embedded, and on PostgreSQL if it is installed. */
const asks = 40;
const keyChecks = 500;
const waitingCount = 1000;
const rounds = 20;
const listed = 1000;
const repositoryBytes = 10_000_000;
const fileBytes = 10_000;
const question = "How are failed jobs retried?";

const bin = findPostgres();
await using postgres = bin === undefined ? undefined : await startPostgres(bin);
await using git = await startGitServer();
await git.commit("lib", repositoryFiles());

await measureEngine("embedded");
if (postgres === undefined) console.log("hosted: PostgreSQL is not installed, so it was not measured");
else {
  await measureEngine("PostgreSQL", await postgres.createDatabase());
  await measureNodes(await postgres.createDatabase());
}

/** Start, memory, `addResource`, the cost over the pipeline, the check of a key, and questions that wait. */
async function measureEngine(name: string, database?: string): Promise<void> {
  await using folder = await temporaryFolder();
  await using model = await scriptedModel(({ body }) =>
    JSON.stringify(body.messages).includes("wait") ? { hang: true } : "They are retried three times.",
  );
  await configure(folder, model);
  const say = (text: string) => console.log(`hosted: ${name}: ${text}`);

  const firstStart = performance.now();
  const first = await start(folder, database);
  const key = await firstKey(first);
  const firstMs = performance.now() - firstStart;
  const { peakMb } = figuresOf(first);
  await stop(first);
  const secondStart = performance.now();
  await using node = await start(folder, database);
  const laterMs = performance.now() - secondStart;
  const { residentMb } = figuresOf(node);
  say(
    `first start ${firstMs.toFixed(0)} ms, ${peakMb} MB at its peak; later ${laterMs.toFixed(0)} ms; at rest ${residentMb} MB resident`,
  );

  const addedAt = performance.now();
  await call(node, key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
  await untilReady(node, key);
  await call(node, key, "ask", { question });
  say(`addResource of ${repositoryBytes / 1e6} MB to the first answer ${(performance.now() - addedAt).toFixed(0)} ms`);

  const hosted = await timesOf(() => call(node, key, "ask", { question }));
  const inProcess = await inProcessTimes(folder);
  const over = (share: number) => (quantile(hosted, share) - quantile(inProcess, share)).toFixed(1);
  say(
    `ask ${median(hosted).toFixed(1)} ms, in process ${median(inProcess).toFixed(1)} ms: ${over(0.5)} ms more (p99 ${over(0.99)}), of ${asks}`,
  );

  const before = figuresOf(node).residentMb;
  const asked = model.requests.length;
  const leaving = new AbortController();
  const waiting = Array.from({ length: waitingCount }, () =>
    node.send(key, "ask", { question: "Please wait." }, leaving.signal).catch(() => undefined),
  );
  await model.request(asked + waitingCount - 1);
  const grown = figuresOf(node).residentMb - before;
  say(`${waitingCount} questions that wait: ${grown} MB more, ${((grown * 1000) / waitingCount).toFixed(0)} KB each`);
  leaving.abort();
  await Promise.all(waiting);
  await stop(node);
  const location = locationOf(folder, database);
  await measureKeyCheck(say, location, key);
  await measureLists(say, { folder, database, key, location });
}

/** The tool and the pages that list resources, of a project with a thousand. */
async function measureLists(
  say: (text: string) => void,
  {
    folder,
    database,
    key,
    location,
  }: { folder: Folder; database: string | undefined; key: string; location: StoreLocation },
): Promise<void> {
  const store = await openStore(location, { log: silentLog });
  // All of one repository, which is on the disk.
  const copied = await store.query(
    `insert into resource (project, name, spec, asked_at)
       select project, 'lib-' || i, jsonb_set(spec, '{name}', to_jsonb('lib-' || i)), null
       from resource, generate_series(1, ${listed - 1}) i`,
  );
  await store.query(
    `insert into job (project, resource, finished_at)
       select j.project, r.name, j.finished_at from job j, resource r where j.resource = 'lib' and r.name <> 'lib'`,
  );
  const [project] = await listProjects(store);
  if (project === undefined || copied.count !== listed - 1) throw new Error("the resources could not be added");
  const { token } = await createOwnerLink(store, project);
  await store.close();
  await using node = await start(folder, database);
  const owner = createVisitor(node.url);
  await owner.send(linkPath(token), { email: "owner@example.com", password: testPassword });
  const base = `/p/${project.name}`;
  const page = (path: string) => async () => {
    const { status } = await owner.open(path);
    if (status !== 200) throw new Error(`${path}: ${status}`);
  };
  const calls = {
    listResources: () => call(node, key, "listResources"),
    Resources: page(`${base}/resources`),
    Overview: page(base),
    Keys: page(`${base}/keys`),
    Ask: page(`${base}/ask`),
  };
  for (const [name, action] of Object.entries(calls)) {
    const times = await timesOf(action);
    say(`${name} with ${listed} resources ${median(times).toFixed(1)} ms (p99 ${quantile(times, 0.99).toFixed(1)})`);
  }
}

async function measureKeyCheck(say: (text: string) => void, location: StoreLocation, key: string): Promise<void> {
  const store = await openStore(location, { log: silentLog });
  const times = await timesOf(() => authenticate(store, key), keyChecks);
  await store.close();
  say(`a key is checked in ${median(times).toFixed(2)} ms (p99 ${quantile(times, 0.99).toFixed(2)})`);
}

/** Revocation and cancellation that reach one node and take effect at another. */
async function measureNodes(database: string): Promise<void> {
  await using folder = await temporaryFolder();
  await using model = await scriptedModel(() => ({ hang: true }));
  await configure(folder, model);
  await using first = await start(folder, database);
  const key = await firstKey(first);
  await using second = await start(folder, database);
  await call(first, key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
  await untilReady(first, key);

  const cancelled = [];
  for (let round = 0; round < rounds; round++) {
    const session = `session-${round}`;
    const answer = post(first, key, session, { id: round, ...ask("Please wait.") }).catch(() => undefined);
    const request = await model.request(round);
    const startedAt = performance.now();
    await post(second, key, session, { method: "notifications/cancelled", params: { requestId: round } });
    await request.closed;
    cancelled.push(performance.now() - startedAt);
    await answer;
  }
  console.log(
    `hosted: a cancellation at another node stops the model after ${median(cancelled).toFixed(0)} ms (p95 ${quantile(cancelled, 0.95).toFixed(0)})`,
  );

  const revoked = [];
  for (let round = 0; round < rounds; round++) {
    const name = `key-${round}`;
    const { stdout } = await runCli(["hosted", "key", "create", name, "--database", database], { cwd: folder.path });
    const other = stdout.trim();
    await call(second, other, "listResources");
    const { code } = await runCli(["hosted", "key", "revoke", name, "--database", database], { cwd: folder.path });
    const startedAt = performance.now();
    while ((await second.send(other, "listResources")).status !== 401) await sleep(1);
    if (code === 0) revoked.push(performance.now() - startedAt);
  }
  console.log(
    `hosted: a revoked key is refused by another node after at most ${Math.max(...revoked).toFixed(0)} ms, of ${revoked.length}`,
  );
}

/** Text of no package, so that the search has something to rank. */
function repositoryFiles(): Record<string, string> {
  const names = Array.from(
    { length: repositoryBytes / fileBytes },
    (_, index) => `src/group-${index % 20}/file-${index}.ts`,
  );
  return Object.fromEntries(names.map((name, index) => [name, sourceOf(index)]));
}

function sourceOf(index: number): string {
  const one = (line: number) => `export const job${index}x${line} = (queue: Queue) => queue.run(${index * line});\n`;
  let text = `/** Retries the failed job ${index}, at most ${index % 7} times. */\n`;
  for (let line = 0; text.length < fileBytes; line++) text += one(line);
  return text;
}

async function configure(folder: Folder, { config }: ScriptedModel): Promise<void> {
  const home = path.join(folder.path, ".home");
  await mkdir(home);
  const resources = [{ type: "git", name: "lib", url: git.url("lib"), branch: "main" }];
  const settings = { ...config, allowHosts: ["localhost"], refresh: "manual", resources };
  await writeFile(path.join(home, "citewell.config.jsonc"), JSON.stringify(settings));
}

function certificates(): Record<string, string> {
  return { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile };
}

function start(folder: Folder, database: string | undefined): Promise<HostedNode> {
  const on = database === undefined ? [] : ["--database", database];
  const args = ["--model", "openai-compat/scripted", "--calls-per-minute", "100000", "--deadline", "600", ...on];
  return startNode(folder, args, certificates());
}

/** Chooses as `citewell hosted` does. */
function locationOf(folder: Folder, database: string | undefined): StoreLocation {
  return database === undefined
    ? { directory: path.join(folder.path, ".home", "data", "hosted", "database") }
    : { url: database };
}

/** The key that the first start prints. */
async function firstKey(node: HostedNode): Promise<string> {
  const lines = await node.printed(3);
  const key = lines.find((line) => line.startsWith("cw_"));
  if (key === undefined) throw new Error(`no key was printed: ${lines.join("\n")}`);
  return key;
}

async function stop(node: HostedNode): Promise<void> {
  node.process.kill("SIGTERM");
  await node.ended;
}

function figuresOf({ process: { pid = 0 } }: HostedNode): ProcessFigures {
  return processFigures(pid);
}

async function call(node: HostedNode, key: string, tool: string, args: object = {}): Promise<string> {
  const response = await node.send(key, tool, args);
  const text = await response.text();
  if (!text.includes('"isError":false')) throw new Error(`${tool} failed: ${text.slice(0, 500)}`);
  return text;
}

function ask(text: string): object {
  return { method: "tools/call", params: { name: "ask", arguments: { question: text, resources: ["lib"] } } };
}

function post(node: HostedNode, key: string, session: string, message: object): Promise<Response> {
  return fetch(`${node.url}/api/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "mcp-session-id": session },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

async function untilReady(node: HostedNode, key: string): Promise<void> {
  while (!(await call(node, key, "listResources")).includes("ready")) await sleep(20);
}

async function timesOf(action: () => Promise<unknown>, count = asks): Promise<number[]> {
  await action();
  const times: number[] = [];
  while (times.length < count) {
    const startedAt = performance.now();
    await action();
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** The same question to the same repository and model, without a server. */
async function inProcessTimes(folder: Folder): Promise<number[]> {
  const env = cliEnvironment(folder.path, { ...certificates(), CITEWELL_HOME: path.join(folder.path, ".home") });
  const location = { cwd: folder.path, env, platform: process.platform, homeDirectory: folder.path };
  await using app = createLocalApp({ location, log: silentLog });
  return timesOf(async () => {
    for await (const event of app.ask({ question, resources: ["lib"] })) void event;
  });
}
