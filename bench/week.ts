import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { temporaryFolder } from "../test/support/folder.ts";
import { findPostgres, startPostgres } from "../test/support/postgres.ts";
import type { Visitor } from "../test/support/visitor.ts";
import { openDatabase } from "./week/database.ts";
import { buildCommit, createNodes, publicUrl } from "./week/nodes.ts";
import {
  collaboratorsOf,
  hostIds,
  type Person,
  type Repository,
  sizesOf,
  startOrganization,
} from "./week/organization.ts";
import { connect, found, join, succeed, useAgent, usePages, type Work } from "./week/people.ts";
import { createRecord } from "./week/record.ts";

/**
 * A team's week with the hosted service, on real processes, PostgreSQL and git: `--minutes` for its seven days. What the
 * service does each hour is made due in the database; what it waits for (a lease, a retry) takes as long as always.
 */
const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, repositories: { type: "string", default: "300" } },
});
const sizes = sizesOf(Number(values.repositories));
const dayMs = (Number(values.minutes) * 60_000) / 7;
/** The commit whose database must still be usable: docs/decisions/0032-baseline.md. */
const earlier = "6c9ebc7";

const bin = findPostgres();
if (bin === undefined) throw new Error("the week needs PostgreSQL");
await using postgres = await startPostgres(bin);
const url = await postgres.createEmptyDatabase();
const database = openDatabase(url);
await using organization = await startOrganization(sizes, { callback: `${publicUrl}/github/callback` });
await using nodes = await createNodes(organization, { database: url });
await using builds = await temporaryFolder();
const file = await buildCommit(earlier, builds.path);
if (file === undefined) say(`this clone lacks ${earlier}: the data is of this version`);

const record = createRecord(organization);
const stopping = new AbortController();
const repositories = [...organization.repositories.values()];
const tools = repositories.slice(sizes.acme);
const early = tools.slice(0, sizes.early);

// Monday: the version before, with two accounts, a key and the first repositories; then an upgrade under load.
const node = await nodes.start("web-1", "web", file);
await nodes.start("worker-1", "worker", file);
const printed = await node.printed(6);
const key = printed.find((line) => line.startsWith("cw_")) ?? "";
const base = `/p/${found(printed.join("\n"), /the project "([^"]+)"/)}`;
const owner = await join(nodes, printed.find((line) => line.startsWith(publicUrl)) ?? "", "owner");
const admin = await invite("admin", "admin");
await connectAccounts(owner);
for (const { name, fullName } of early) {
  await succeed(owner.send(`${base}/resources`, { source: organization.git.url(fullName), name }));
}
const work: Work = { record, nodes, base, ready: [], shares: [], signal: stopping.signal };
await untilFetched(early.length);
work.ready = early;
const callers = [usePages(work, admin, "admin"), usePages(work, owner, "owner")];
const monday = new AbortController();
const earlyAgent = useAgent({ ...work, signal: monday.signal }, await connect(nodes, key), "project");
await sleep(dayMs / 2);
const sameResults = record.begin(
  "the version before allows results no further fields",
  /must NOT have additional properties/,
);
// A node of the version before goes on until the new one is ready.
await nodes.start("web-2", "web");
await restart("web-1", "web");
await restart("worker-1", "worker");
await nodes.start("worker-2", "worker");
say("Monday: upgraded");
await sleep(dayMs / 2);
monday.abort();
await earlyAgent;
sameResults();
callers.push(useAgent(work, await connect(nodes, key), "project"));

// Tuesday: 300 repositories, and the rights of five people.
const byHand = await invite("byHand", "member");
const byHost = await invite("byHost", "member");
const none = await invite("none", "member");
await succeed(owner.send(`${base}/keys/members`, { isAllowed: "yes" }));
const { host } = new URL(organization.git.origin);
await succeed(owner.send(`${base}/rights`, { kind: "github", place: `${host}/Acme` }));
organization.github.person = { id: hostIds.byHost, login: "by-host" };
await succeed(byHost.open("/account/github"));
const follow = (account: string, limited: object) =>
  succeed(owner.send(`${base}/followed`, { kind: "github", place: `${host}/${account}`, ...limited }));
await follow("Acme", {});
await follow("Tools", { limited: "on" });
const startedAt = performance.now();
await untilFetched(repositories.length);
say(`Tuesday: ${repositories.length} repositories fetched after ${seconds(startedAt)} s`);
const members = await succeed(owner.open(`${base}/resources/access?resource=${tools[sizes.open]?.name}`));
const handId = found(members, /value="([\w-]{36})"[^>]*>\s*<span>byhand@/);
for (const { name, readers } of tools.slice(sizes.early, sizes.byHand)) {
  await letUse(name, readers.has("none") ? "all" : [handId]);
}
await database.passAnHour();
await untilRights("acme-000", 1);
work.ready = [...repositories];
for (const [visitor, reader] of [
  [byHand, "byHand"],
  [byHost, "byHost"],
] as const) {
  const made = await succeed(visitor.send(`${base}/keys`, { name: reader, scopes: ["ask", "read"] }));
  callers.push(
    useAgent(work, await connect(nodes, found(made, /(cw_[\w-]{49})/)), reader),
    usePages(work, visitor, reader),
  );
}
callers.push(usePages(work, none, "none"));
// For nobody, for one whom the host lets read, for all, for one chosen by hand, for admins.
for (const about of [repositories[1], repositories[2], tools[1], tools[sizes.byHand - 1], tools[sizes.byHand]]) {
  if (about !== undefined) await share(about);
}
await sleep(dayMs);

// Wednesday: pushes, and a worker that is killed while it fetches them.
const pushed = repositories.slice(0, repositories.length / 5);
for (const repository of pushed) await organization.commit(repository, "The second text.");
for (const { name } of pushed) await succeed(owner.send(`${base}/resources/sync`, { resource: name }));
await database.until(1, "select least(count(*), 1)::int from job where lease is not null");
await nodes.end("worker-1", "SIGKILL");
say("Wednesday: a worker was killed while it fetched");
await sleep(dayMs / 2);
await nodes.start("worker-1", "worker");
await untilFetched(repositories.length);
await sleep(dayMs / 2);

// Thursday: the host is away. What is fetched can be used, and rights last.
const back = record.begin("the git host was away", /git host|cannot be reached|could not be (?:read|fetched|reached)/i);
organization.isAway = true;
await database.passAnHour();
await sleep(dayMs);
organization.isAway = false;
back();
say("Thursday: the host was away");

// Friday: the database restarts.
const up = record.begin("the database was restarted", /database cannot be reached|no node is ready/i);
await postgres.crash();
await sleep(1000);
await postgres.start();
while (!nodes.isReady()) await sleep(50);
// The balancer's last look may be older than the restart.
await sleep(1000);
up();
say("Friday: the database was restarted");
await sleep(dayMs);

// Saturday: rights are taken away, a repository is new, one is renamed, one is removed.
const changed = record.begin("rights were changing", /no resource named|not found/i);
const lost = repositories.slice(0, 10).filter(({ readers }) => readers.has("byHost"));
for (const { fullName, ...rest } of lost) {
  organization.github.collaborators.set(fullName, collaboratorsOf({ ...rest, fullName, readers: new Set() }));
}
const renamed = repositories[sizes.acme - 2];
const removed = await organization.removeLast();
work.ready = work.ready.filter((one) => one !== removed);
if (renamed !== undefined) await organization.rename(renamed);
const added = await organization.add("Acme", sizes.acme, ["byHost"]);
await database.passAnHour();
await database.until(1, "select count(*)::int from resource where name = $1", [added.name]);
await database.until(0, "select count(*)::int from resource where name = $1", [removed.name]);
await untilFetched(repositories.length);
await database.passAnHour();
await untilRights("acme-000", 0);
await untilRights(added.name, 1);
for (const { readers } of lost) readers.delete("byHost");
for (const { name, readers } of tools.slice(sizes.open, sizes.open + 2)) {
  await letUse(name, []);
  readers.delete("byHand");
}
changed();
work.ready.push(added);
say("Saturday: rights, names and repositories changed");
await sleep(dayMs);

// Sunday: nothing but calls.
await sleep(dayMs);
stopping.abort();
await Promise.all(callers);
record.print();
for (const { name, megabytes, seconds: cpu } of nodes.costs())
  say(`${name}: peak ${megabytes} MB, ${cpu.toFixed(0)} s of CPU`);
const [size] = await database.query("select pg_database_size(current_database()) / 1000000 as mb");
say(`disk: ${nodes.diskMb()} MB of the nodes, ${String(size?.["mb"])} MB of the database`);
for (const line of await nodes.errors()) console.error(`week: LOG ${line}`);
if (record.leaks.length + record.faults.length > 0) process.exitCode = 1;

/** A build that is replaced goes on until the next one is ready, and finishes its calls. */
async function restart(name: string, role: "web" | "worker"): Promise<void> {
  await nodes.end(name, "SIGTERM");
  await nodes.start(name, role);
}

/** A person who uses an invitation of the owner. */
async function invite(person: Person, role: "admin" | "member"): Promise<Visitor> {
  const page = await succeed(owner.send(`${base}/members/invite`, { role, form: crypto.randomUUID() }));
  return join(nodes, found(page, new RegExp(`(${publicUrl}/link/[\\w-]+)`)), person);
}

/** Connects both accounts of the host by the App's pages. */
async function connectAccounts(visitor: Visitor): Promise<void> {
  for (const account of ["Acme", "Tools"]) {
    const page = await succeed(visitor.open(`${base}/github`));
    const offer = found(rowOf(page, `>${account}`), /name="offer" value="([^"]+)"/);
    await succeed(visitor.send(`${base}/github`, { offer }));
  }
}

/** The row of a table whose cell ends with a text. */
function rowOf(page: string, end: string): string {
  return page.split("<tr").find((row) => row.includes(`${end}<`)) ?? "";
}

async function letUse(resource: string, members: "all" | readonly string[]): Promise<void> {
  const fields = members === "all" ? { access: "all" } : { access: "some", members };
  await succeed(owner.send(`${base}/resources/access`, { resource, ...fields }));
}

/** The owner asks about a repository and shares the conversation. */
async function share(about: Repository): Promise<void> {
  const { name } = about;
  const question = `What opens for whoever knows ${about.asked}?`;
  const answer = await succeed(owner.send(`${base}/ask`, { question, resources: name }));
  const thread = found(answer, /name="thread" value="(\w+)"/);
  const { path, status } = await owner.send(`${base}/ask/share`, { thread });
  if (status !== 200) throw new Error(`${name} was not shared: ${status}`);
  work.shares.push({ path: path.split("?")[0] ?? "", about });
}

/** Waits until so many resources are fetched, and none waits or failed. */
function untilFetched(count: number): Promise<void> {
  return database.until(
    count,
    `select count(*)::int from resource r join job j using (project) where j.resource = r.name
     and j.finished_at is not null and j.requested_at is null and j.lease is null and j.attempts = 0`,
  );
}

/** Waits until so many members may use a limited resource. */
function untilRights(resource: string, count: number): Promise<void> {
  return database.until(count, "select count(*)::int from resource_access where resource = $1 and until > now()", [
    resource,
  ]);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}

function say(line: string): void {
  console.log(`week: ${line}`);
}
