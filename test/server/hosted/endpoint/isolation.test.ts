import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { connectGitHubAccount } from "../../../../server/hosted/github/installations.ts";
import { setLimits } from "../../../../server/hosted/limits/project-limits.ts";
import { reserveQuestion } from "../../../../server/hosted/limits/questions.ts";
import { addGitToken } from "../../../../server/hosted/secrets/git-tokens.ts";
import { setWeeklyMail } from "../../../../server/hosted/reports/weekly-mails.ts";
import { createWebhook } from "../../../../server/hosted/secrets/webhooks.ts";
import { listTables } from "../../../../server/hosted/store/tables.ts";
import { createKey } from "../../../../server/hosted/tenants/keys.ts";
import { createInvite } from "../../../../server/hosted/tenants/links.ts";
import { listMembers } from "../../../../server/hosted/tenants/members.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { changeAccess } from "../../../../server/hosted/tenants/resource-access.ts";
import type { Project } from "../../../../server/protocol/hosted.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { type PageRoute, pageRoutes } from "../../../support/routes.ts";
import { testEngines } from "../../../support/stores.ts";
import { signedIn, type Visitor } from "../../../support/visitor.ts";

// Hundreds of requests, on a database that takes seconds to open.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

/** A project with a row in every table, and somebody who owns it. */
interface Team {
  project: Project;
  owner: Visitor;
  key: string;
  resource: string;
}

/** Fields and arguments whose value is a text of the caller, or one of a few words: they name nothing. */
const freeTexts = new Set(
  [
    "question",
    "query",
    "text",
    "quote",
    "name",
    "email",
    "password",
    "token",
    "username",
    "days",
    "role",
    "scopes",
  ].concat([
    "path",
    "package",
    "version",
    "month",
    "type",
    "mode",
    "url",
    "branch",
    "source",
    "branchOrVersion",
    "next",
    "join",
    "lines",
    "state",
    "nonce",
    "verifier",
    "kind",
    "place",
    "include",
    "exclude",
    "group",
    "maxMb",
    "do",
  ]),
);
const atOnce = 16;

/** A request of a page with one of their names in it. */
interface PageRequest {
  name: string;
  method: string;
  path: string;
  fields: Readonly<Record<string, string>>;
  isTheirs: boolean;
}

describe.each(testEngines())("what is of one project, tried by the owner of another, on $name", (engine) => {
  let git: GitServer;
  let service: TestService;
  let ours: Team;
  let theirs: Team;
  /** Every text in the rows of their project that our rows do not have: ids, names, hashes, what was asked and answered. */
  let secrets: string[];
  /** Those that could name something. */
  let names: string[];
  beforeAll(async () => {
    git = await startGitServer();
    service = await startService(await engine.createDatabase(), {
      config: { allowHosts: ["localhost", "127.0.0.1"] },
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
      rateLimit: { perMinute: 100_000 },
    });
    ours = await makeTeam("ants", git.origin);
    theirs = await makeTeam("bees", `https://127.0.0.1:${new URL(git.origin).port}`);
    const own = new Set((await rowsOf(ours.project)).flatMap(textsIn));
    // Phrases of the service are in their rows, too, such as the progress of a fetch.
    const isTheirs = (text: string) => !own.has(text) && (!text.includes(" ") || text.includes("bees"));
    // Around midnight their usage is of another day than ours, and pages show the date.
    const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
    secrets = [...new Set((await rowsOf(theirs.project)).flatMap(textsIn))].filter(
      (one) => isTheirs(one) && !isDay(one),
    );
    // Hashes name nothing, and times are the same by chance.
    const isName = (text: string) => /^[\w.:@-]{1,63}$/.test(text) && Number.isNaN(Date.parse(text));
    names = secrets.filter(isName);
    // Our questions end when their resources and their conversation have been looked up.
    await setLimits(service.store, ours.project.id, { questions: 0 });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  async function makeTeam(name: string, origin: string): Promise<Team> {
    const { store, keys } = service;
    const project = await createProject(store, `team-of-${name}`);
    const owner = await signedIn({ ...service, project }, `${name}@example.com`);
    const actor = `operator of ${name}`;
    await addGitToken({ store, keys, project, actor }, { host: new URL(origin).host, name, token: `token-of-${name}` });
    await connectGitHubAccount(
      { store, project, actor },
      { host: "github.example", account: name, installation: name },
    );
    await createWebhook(store, { keys, project, actor });
    await setWeeklyMail(store, project, { isOn: true, actor });
    await createInvite(store, project, { role: "member", actor });
    const { key } = await createKey(store, project, { name: `key-of-${name}`, scopes: ["ask", "read", "manage"] });
    await git.commit(name, { [`${name}.js`]: `// The ${name} live here.\n` });
    await service.call(key, "addResource", { type: "git", name: `repo-${name}`, url: `${origin}/${name}` });
    await service.untilFetched(project.id);
    // No run of it is due while the test lasts.
    await store.query(
      `insert into followed_account (project, kind, host, account, group_name, filters, run_at)
       values ($1, 'gitea', 'git.example', $2, $3, '{}', now() + interval '1 day')`,
      [project.id, `${name}-org`, `group-of-${name}`],
    );
    await store.query(
      `insert into host_rights (project, kind, host, account, run_at)
       values ($1, 'gitlab', 'gitlab.example', $2, now() + interval '1 day')`,
      [project.id, `${name}-group`],
    );
    await store.query("insert into resource_group (project, name, resource) values ($1, $2, $3)", [
      project.id,
      `own-group-of-${name}`,
      `repo-${name}`,
    ]);
    await service.call(key, "history", { resource: `repo-${name}`, place: `${name}.js` });
    await service.call(key, "ask", { question: `Where do the ${name} live?` });
    await owner.send(`/p/${project.name}/ask`, { question: `Where exactly do the ${name} live?` });
    const { rows } = await store.query("select id as thread from thread where project = $1", [project.id]);
    await owner.send(`/p/${project.name}/ask/share`, { thread: String(rows[0]?.["thread"]) });
    const [member] = await listMembers(store, project);
    await store.query('insert into resource (project, name, spec) values ($1, $2, \'{"type":"held"}\')', [
      project.id,
      `held-${name}`,
    ]);
    await changeAccess(store, project, { resource: `held-${name}`, accounts: [member?.account ?? ""], actor });
    await reserveQuestion(store, { project: project.id, actor: `key:${name}` }, {});
    return { project, owner, key, resource: `repo-${name}` };
  }

  /** The rows of a project in all tables that have a column for it. */
  async function rowsOf({ id }: Project): Promise<{ table: string; row: unknown }[]> {
    const { store } = service;
    const rows: { table: string; row: unknown }[] = [];
    for (const { name: table, columns } of await store.tx(listTables)) {
      const column = table === "project" ? "id" : columns.find((one) => one === "project");
      if (column === undefined) continue;
      const sql = `select to_jsonb(t) as row from ${table} t where ${column} = $1 order by to_jsonb(t)::text`;
      const found = await store.query(sql, [id]);
      if (found.rows.length === 0) throw new Error(`the teams of this test have no row in ${table}: give them one`);
      rows.push(...found.rows.map(({ row }) => ({ table, row })));
    }
    return rows;
  }

  /** What an answer must not have, if the name was in the request. */
  const secretsWithout = (name: string) => secrets.filter((secret) => secret.length > 5 && !name.includes(secret));

  async function inTurns<Value>(values: readonly Value[], work: (value: Value) => Promise<unknown>): Promise<void> {
    const queue = values.values();
    const turns = Array.from({ length: atOnce }, async () => {
      for (const value of queue) await work(value);
    });
    await Promise.all(turns);
  }

  test("their rows have names to try", () => {
    expect(names).toEqual(expect.arrayContaining([theirs.project.id, theirs.project.name, theirs.resource]));
    expect(names.length).toBeGreaterThan(15);
  });

  test("no table shows, changes or loses their rows in a transaction of our project", async () => {
    const { store } = service;
    const tables = await store.tx(listTables);
    for (const { name: table, columns } of tables) {
      const may = await store.query(
        `select a.attname::text as name from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0
           and not a.attisdropped and has_column_privilege('citewell_tenant', a.attrelid, a.attnum, 'select')`,
        [table],
      );
      const readable = may.rows.map(({ name }) => String(name));
      if (readable.length > 0) {
        const seen = await store.asProject(ours.project.id, ({ query }) =>
          query(`select to_jsonb(t)::text as row from (select ${readable.join(", ")} from ${table}) t`),
        );
        const text = seen.rows.map(({ row }) => String(row)).join("\n");
        const leaks = secretsWithout("").filter((secret) => text.includes(secret));
        expect({ table, leaks }).toEqual({ table, leaks: [] });
      }
      if (!columns.includes("project")) continue;
      for (const sql of [
        `update ${table} set project = project where project = $1`,
        `delete from ${table} where project = $1`,
      ]) {
        const changing = store.asProject(ours.project.id, ({ query }) => query(sql, [theirs.project.id]));
        const outcome = await changing.then(
          ({ count }) => count,
          (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
        );
        // Nothing is there for this role, or it has no such right.
        expect([0, "42501"]).toContain(outcome);
      }
    }
  });

  test("no page and no form shows or changes anything of theirs", async () => {
    const before = await rowsOf(theirs.project);
    const routes = pageRoutes();
    const failures: unknown[] = [];
    const send = (known: (name: string) => readonly string[]) => async (request: PageRequest) => {
      const { method, path, fields, name, isTheirs } = request;
      const page = await (method === "get" ? ours.owner.open(path) : ours.owner.send(path, fields));
      const leaks = known(name).filter((secret) => page.text.includes(secret));
      if (leaks.length > 0 || page.status >= 500 || (isTheirs && page.status < 400)) {
        failures.push({ ...request, status: page.status, leaks });
      }
    };
    const reading = routes.flatMap((route) => [...inPath(route), ...(route.method === "get" ? inFields(route) : [])]);
    await inTurns(reading, send(secretsWithout));
    // Forms may store what they are sent as ours.
    const writing = routes.filter(({ method }) => method !== "get").flatMap(inFields);
    const unsent = secrets.filter((secret) => secret.length > 5 && !names.some((name) => name.includes(secret)));
    await inTurns(
      writing,
      send(() => unsent),
    );
    expect(failures).toEqual([]);
    expect(reading.length).toBeGreaterThan(150);
    expect(writing.length).toBeGreaterThan(100);
    expect(await rowsOf(theirs.project)).toEqual(before);
  });

  /** With each of their names in the place of each parameter: there is nothing behind it for others. */
  function inPath({ method, path }: PageRoute): PageRequest[] {
    const parameters = [...path.matchAll(/:(\w+)/g)].map(([, parameter = ""]) => parameter);
    return parameters.flatMap((parameter) => {
      const tried = parameter === "project" ? [theirs.project.name, theirs.project.id] : names;
      return tried.map((name) => ({
        name,
        method,
        path: fill(path, { [parameter]: name }),
        fields: {},
        isTheirs: true,
      }));
    });
  }

  /** With each of their names in the place of each field or parameter of the query. */
  function inFields({ method, path, fields }: PageRoute): PageRequest[] {
    if (!path.startsWith("/p/:project")) return [];
    // A form that is about nothing of ours does nothing: fetching it again and again takes time.
    const sample = {
      question: "Where do they live?",
      resource: method === "get" ? ours.resource : "none",
      path: "ants.js",
      type: "npm",
      lines: "L1",
    };
    return fields
      .filter((field) => !freeTexts.has(field))
      .flatMap((field) =>
        names.map((name) => {
          const values = { ...sample, package: "zod", revision: "0".repeat(40), [field]: name };
          const query = method === "get" ? `?${String(new URLSearchParams(values))}` : "";
          return { name, method, path: fill(path, {}) + query, fields: values, isTheirs: false };
        }),
      );
  }

  const fill = (path: string, values: Readonly<Record<string, string>>) =>
    path.replace(/:(\w+)/g, (_, parameter: string) =>
      encodeURIComponent(values[parameter] ?? (parameter === "project" ? ours.project.name : "none")),
    );

  test("no tool shows or changes anything of theirs", async () => {
    const before = await rowsOf(theirs.project);
    const listed = await service.send(ours.key, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    const { result } = Tools.parse(await listed.json());
    const samples: Record<string, unknown> = {
      question: "Where do they live?",
      query: "live",
      text: "[[repo-ants:ants.js#L1]]",
      resource: ours.resource,
      path: "ants.js",
      before: `${ours.resource}@HEAD`,
      after: "main",
      type: "git",
      name: "another",
    };
    const calls = result.tools.flatMap(({ name: tool, inputSchema: { properties, required } }) => {
      const needed = Object.fromEntries(required.map((name) => [name, samples[name]]));
      expect(Object.entries(needed).filter(([, value]) => value === undefined)).toEqual([]);
      return Object.entries(properties)
        .filter(([argument]) => !freeTexts.has(argument))
        .flatMap(([argument, { type }]) =>
          names.flatMap((name) => {
            if (type !== "string" && type !== "array") return [];
            return [{ name, tool, args: { ...needed, [argument]: type === "array" ? [name] : name } }];
          }),
        );
    });
    expect(calls.length).toBeGreaterThan(100);
    const shown: unknown[] = [];
    await inTurns(calls, async (call) => {
      const answer = JSON.stringify(await service.call(ours.key, call.tool, call.args));
      const leaks = secretsWithout(call.name).filter((secret) => answer.includes(secret));
      if (leaks.length > 0 || answer.includes("Internal")) shown.push({ ...call, leaks, answer });
    });
    expect(shown).toEqual([]);
    const statuses: number[] = [];
    await inTurns(names, async (project) => {
      const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
      const named = await service.send(ours.key, { ...ping, params: { project } });
      const headers = { authorization: `Bearer ${ours.key}`, "content-type": "application/json" };
      const url = `${service.url}?project=${encodeURIComponent(project)}`;
      const addressed = await fetch(url, { method: "POST", headers, body: JSON.stringify(ping) });
      const pushed = await fetch(new URL(`/hooks/${encodeURIComponent(project)}`, service.url), { method: "POST" });
      statuses.push(named.status, addressed.status, pushed.status);
    });
    expect(new Set(statuses)).toEqual(new Set([401, 403]));
    expect(await rowsOf(theirs.project)).toEqual(before);
  });
});

const Tools = z.object({
  result: z.object({
    tools: z.array(
      z.object({
        name: z.string(),
        inputSchema: z.object({
          properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })).default({}),
          required: z.array(z.string()).default([]),
        }),
      }),
    ),
  }),
});

/** All texts in a row; of the id of an actor also the id alone, and of bytes their hex digits. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value, ...value.split(/^\\x|^(?:key|account):/).filter((part) => part !== "")];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
