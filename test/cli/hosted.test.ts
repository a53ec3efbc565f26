import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openStore } from "../../server/hosted/store/store.ts";
import { silentLog } from "../../server/lib/log.ts";
import { runHere } from "../support/cli-here.ts";
import { cliEnvironment, runCli, startCli } from "../support/cli.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { startGitServer } from "../support/git-server.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { createEmbeddedDatabase, postgresEngines, testEngines } from "../support/stores.ts";
import { createVisitor, testPassword } from "../support/visitor.ts";

// Opening an embedded database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

test("a newcomer starts the service, joins by the link, makes a key, adds a repository, and an agent gets a cited answer", async () => {
  await using git = await startGitServer();
  await git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
  await using model = await scriptedModel([
    { toolCalls: [{ name: "read", input: { path: "retry.ts" } }] },
    "It retries three times [[lib:retry.ts#L1]].",
  ]);
  await using folder = await temporaryFolder();
  const { providerOptions } = model.config;
  await writeGlobalConfig(folder, { allowHosts: ["localhost"], providerOptions });
  await using service = await start(folder, ["--model", "openai-compat/scripted"], {
    SSL_CERT_FILE: git.caFile,
    NODE_EXTRA_CA_CERTS: git.caFile,
  });
  expect(service.lines).toEqual([
    expect.stringMatching(/^listening on http:\/\/127\.0\.0\.1:\d+\/api\/mcp$/),
    "model: openai-compat/scripted",
    'created the project "team" and an API key for it, which is shown only now:',
    expect.stringMatching(/^cw_[\w-]{49}$/),
    "to sign in on the web, open this link within 15 minutes:",
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/link\/[\w-]{43}$/),
  ]);
  const link = service.lines[5] ?? "";
  const ada = createVisitor(link);
  expect(await ada.open(link)).toMatchObject({ status: 200, text: expect.stringContaining("Join team") });
  await ada.send(link, { email: "ada@example.com", password: testPassword });
  const { text } = await ada.send("/p/team/keys", { name: "agent", scopes: ["ask", "read"] });
  const [key = ""] = /cw_[\w-]{49}/.exec(text) ?? [];
  await ada.send("/p/team/resources", { source: git.url("lib"), name: "", branchOrVersion: "" });
  await untilReady(service, key);
  expect(await service.call(key, "ask", { question: "How often does it retry?", resources: ["lib"] })).toMatchObject({
    result: { isError: false, structuredContent: { citations: [{ path: "retry.ts", state: "verified" }] } },
  });
  const cwd = folder.path;
  const created = await runCli(["hosted", "key", "create", "narrow", "--resource", "lib"], { cwd });
  expect(created).toMatchObject({
    code: 0,
    stderr: 'Key "narrow" of project team (ask, read; only lib); shown only now:\n',
  });
  const listed = await runHere(["hosted", "key", "list"], { cwd });
  expect(listed.stdout).toMatch(/^first .* all resources .*\nagent .* all resources .*\nnarrow .* lib /);
  const mistyped = await runHere(["hosted", "key", "create", "other", "--resource", "lob"], { cwd });
  expect(mistyped).toMatchObject({ code: 3, stderr: expect.stringContaining("did you mean lib?") });
});

test("without --model, the operator's own model and key are not used for the projects", async () => {
  await using git = await startGitServer();
  await git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
  await using model = await scriptedModel(["It retries three times."]);
  await using folder = await preparedFolder();
  const { providerOptions } = model.config;
  const own = { provider: "openai-compat", model: "scripted" };
  await writeGlobalConfig(folder, { ...own, allowHosts: ["localhost"], providerOptions });
  await using service = await start(folder, [], { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile });
  expect(service.lines[1]).toBe("model: builtin/extractive");
  const key = service.lines[3] ?? "";
  await service.call(key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
  await untilReady(service, key);
  expect(await service.call(key, "ask", { question: "How many retries?" })).toMatchObject({
    result: { isError: false, structuredContent: { citations: [{ path: "retry.ts", state: "verified" }] } },
  });
  expect(model.requests).toEqual([]);
});

test("keys and projects are managed while the service runs, and what was stored survives its end", async () => {
  await using folder = await preparedFolder();
  const cwd = folder.path;
  const first = await start(folder);
  const created = await runHere(["hosted", "key", "create", "ci", "--scope", "read", "--days", "30"], { cwd });
  expect(created).toMatchObject({ code: 0, stderr: 'Key "ci" of project team (read); shown only now:\n' });
  const key = created.stdout.trim();
  expect(await first.call(key, "listResources", {})).toMatchObject({ result: { isError: false } });
  await first.kill();

  await using second = await start(folder);
  expect(second.lines).toHaveLength(2);
  expect(await second.call(key, "listResources", {})).toMatchObject({ result: { isError: false } });
  expect(await runHere(["hosted", "key", "revoke", "ci"], { cwd })).toMatchObject({ code: 0, stdout: "revoked ci\n" });
  expect(await second.call(key, "listResources", {})).toMatchObject({ error: "KeyInvalid" });
  const listed = await runHere(["hosted", "key", "list", "--json"], { cwd });
  expect(JSON.parse(listed.stdout).keys).toMatchObject([
    { name: "first", scopes: ["ask", "read", "manage"], revokedAt: null },
    { name: "ci", scopes: ["read"], hint: key.slice(0, 7), revokedAt: expect.any(String) },
  ]);
  expect(listed.stdout).not.toContain(key);
  const refused = await runHere(["hosted", "project", "create", "Not Allowed"], { cwd });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("lower-case letters, digits and hyphens") });
  expect(await runHere(["hosted", "project", "create", "payments"], { cwd })).toMatchObject({ code: 0 });
  expect((await runHere(["hosted", "project", "list"], { cwd })).stdout).toMatch(/^team +\S+\npayments +\S+\n$/);
  const ambiguous = await runHere(["hosted", "key", "create", "other"], { cwd });
  expect(ambiguous).toMatchObject({ code: 2, stderr: expect.stringContaining("name one with --project") });
});

test("the operator gets another link to sign in, while the service runs and without it", async () => {
  await using folder = await preparedFolder();
  const cwd = folder.path;
  const service = await start(folder);
  const { code, stdout, stderr } = await runHere(["hosted", "owner-link"], { cwd });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "Open this link within 15 minutes to become an owner of team:\n",
  });
  expect((await fetch(stdout.trim())).status).toBe(200);
  await service.stop();
  const alone = await runHere(["hosted", "owner-link"], { cwd });
  expect(alone.stdout).toMatch(/^\/link\/[\w-]{43} \(below the address of the service\)\n$/);
  const env = { CITEWELL_PUBLIC_URL: "https://citewell.example/" };
  const named = await runCli(["hosted", "owner-link"], { cwd, env });
  expect(named.stdout).toMatch(/^https:\/\/citewell\.example\/link\/[\w-]{43}\n$/);
  const webhook = await runCli(["hosted", "webhook", "create", "--json"], { cwd, env });
  const { path: hook, url } = JSON.parse(webhook.stdout);
  expect(url).toBe(`https://citewell.example${hook}`);
});

test("single sign-on is configured by options and the environment, and its links have the public address", async () => {
  await using folder = await preparedFolder();
  const publicUrl = "https://citewell.example/";
  const args = ["--public-url", publicUrl, "--oidc-issuer", "https://id.example", "--oidc-domain", "Example.com"];
  await using service = await start(folder, args, { CITEWELL_OIDC_CLIENT_ID: "citewell" });
  expect(service.lines[1]).toBe("address for agents: https://citewell.example/api/mcp");
  expect(service.lines[6]).toMatch(/^https:\/\/citewell\.example\/link\/[\w-]{43}$/);
  const page = await fetch(new URL("/sign-in", service.lines[0]?.split(" ").at(-1)));
  expect(await page.text()).toContain(
    'href="https://citewell.example/sign-in/provider?next=%2F">Sign in with id.example',
  );
});

test.each([
  [["--oidc-issuer", "https://id.example"], "--oidc-issuer needs --oidc-client-id"],
  [["--oidc-issuer", "https://id.example", "--oidc-client-id", "citewell"], "--oidc-issuer needs --public-url"],
  [["--oidc-domain", "example.com"], "--oidc-domain needs --oidc-issuer"],
  [["--oidc-domain", "ada@example.com"], "It must be a domain"],
  [["--public-url", "https://citewell.example/docs"], "has a path"],
  [["--public-url", "http://citewell.example"], "is not an https address"],
])("%j is a usage error", async (args, text) => {
  await using folder = await temporaryFolder();
  expect(await runHere(["hosted", ...args], { cwd: folder.path })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(text),
  });
});

test("a trusted proxy is named by its address", async () => {
  await using folder = await temporaryFolder();
  const { code, stderr } = await runHere(["hosted", "--trusted-proxy", "example.com"], { cwd: folder.path });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("It must be an IP address") });
});

describe("while a service runs", () => {
  let folder: Folder;
  let service: Service;
  /** Of this test's own, also at its second try. */
  let project: string;
  let projects = 0;
  const run = (...args: string[]) => runHere(["hosted", ...args], { cwd: folder.path });
  beforeAll(async () => {
    folder = await preparedFolder();
    service = await start(folder);
  });
  beforeEach(async () => {
    project = `project-${++projects}`;
    const { code, stderr } = await run("project", "create", project);
    if (code !== 0) throw new Error(stderr);
  });
  afterAll(async () => {
    await service.kill();
    await folder[Symbol.asyncDispose]();
  });

  test("a person who lost the password gets a link for another one", async () => {
    const link = (await run("owner-link", "--project", project)).stdout.trim();
    const body = new URLSearchParams({ email: `ada@${project}.example`, password: "correct horse battery" });
    await fetch(link, { method: "POST", body, headers: { origin: new URL(link).origin }, redirect: "manual" });
    const { code, stdout, stderr } = await run("password-link", `Ada@${project}.Example`);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `Send this link to ada@${project}.example. It sets a new password, once, within 15 minutes:\n`,
    });
    const page = await (await fetch(stdout.trim())).text();
    expect(page).toContain(`This sets the password of ada@${project}.example`);
    expect(stdout).toContain(new URL(service.lines[5] ?? "").origin);
    const unknown = await run("password-link", "eve@example.com");
    expect(unknown).toMatchObject({ code: 3, stderr: expect.stringContaining("no account with the e-mail address") });
  });

  test("the limits of a project are set, removed and shown", async () => {
    const limits = ["project", "limits", project];
    const set = await run(...limits, "--questions", "7", "--cost", "1.5", "--fetches", "9", "--disk", "2.5");
    expect(set).toMatchObject({ code: 0 });
    const shown = await run(...limits, "--cost", "none", "--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({
      project,
      limits: { running: null, questions: 7, tokens: null, costUsd: null, resources: null, fetches: 9, diskGb: 2.5 },
      ownLimits: { questions: null },
      usage: { questions: 0, resources: 0, fetches: 0, diskGb: 0 },
    });
    const wrong = await run(...limits, "--questions", "1.5");
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("must be a whole number") });
  });

  test("a second service over the same data is refused, with the process that uses it", async () => {
    const { code, stderr } = await runCli(["hosted", "--port", "0", "--quiet"], { cwd: folder.path });
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: expect.stringContaining(`is in use by process ${service.process.pid}`),
    });
  });

  test("moving names the process that uses the database, and needs a database to move to", async () => {
    expect(await run("move")).toMatchObject({ code: 2, stderr: expect.stringContaining("--to postgres://") });
    expect(await run("move", "--to", "postgres://localhost/none")).toMatchObject({
      code: 7,
      stderr: expect.stringContaining(`is in use by process ${service.process.pid}`),
    });
  });
});

describe.each(postgresEngines())("moving to $name", (engine) => {
  test("takes projects and keys along", async () => {
    await using folder = await preparedFolder();
    const cwd = folder.path;
    const location = await engine.createEmptyDatabase();
    const url = "url" in location ? location.url : "";
    await runHere(["hosted", "project", "create", "team"], { cwd });
    await runHere(["hosted", "key", "create", "agent"], { cwd });
    const moved = await runHere(["hosted", "move", "--to", url, "--json"], { cwd });
    expect(JSON.parse(moved.stdout).tables).toContainEqual({ table: "api_key", rows: 1 });
    const listed = await runHere(["hosted", "key", "list", "--database", url], { cwd });
    expect(listed.stdout).toMatch(/^agent /);
    expect(await runHere(["hosted", "move", "--to", url], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("already has projects"),
    });
  });
});

describe.each(testEngines())("fetches on $name", (engine) => {
  test("survive the process that is killed while it fetches: another one goes on", async () => {
    await using git = await startGitServer();
    await git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
    await using folder = await preparedFolder();
    await writeGlobalConfig(folder, { allowHosts: ["localhost"] });
    const location = await engine.createDatabase();
    const place = "url" in location ? ["--database", location.url] : [];
    const env = { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile };
    const first = await start(folder, place, env);
    const key = first.lines[3] ?? "";
    const requested = new Promise<void>((resolve) => {
      git.intercept(() => {
        resolve();
        return new Promise(() => {});
      });
    });
    await first.call(key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
    await requested;
    await first.kill();
    git.intercept(undefined);
    if ("url" in location) {
      await using store = await openStore(location, { log: silentLog });
      expect((await store.query("update job set lease_until = now() where lease is not null")).count).toBe(1);
    }
    await using second = await start(folder, place, env);
    await untilReady(second, key);
    expect(await second.call(key, "search", { query: "retries", mode: "exact" })).toMatchObject({
      result: { isError: false, structuredContent: { results: [{ path: "retry.ts" }] } },
    });
  });
});

test("without the database's package, the command says which one to install", async () => {
  await using folder = await temporaryFolder();
  const dist = path.join(folder.path, "dist");
  await cp(path.resolve(import.meta.dirname, "../../dist"), dist, { recursive: true });
  const env = cliEnvironment(folder.path);
  const check = async (args: string[], name: string) => {
    const command = [path.join(dist, "citewell.mjs"), "hosted", "--port", "0", ...args];
    const { status: code, stderr } = spawnSync(process.execPath, command, { env, encoding: "utf8" });
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: expect.stringContaining(`run: npm install --global ${name}`),
    });
  };
  await check([], "@electric-sql/pglite@0.5.16");
  await check(["--database", "postgres://localhost/none"], "pg@8.23.1");
});

test("a model that is not written as provider and model is wrong usage", async () => {
  await using folder = await temporaryFolder();
  const { code, stderr } = await runHere(["hosted", "--model", "gpt"], { cwd: folder.path });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--model "gpt" is not a provider') });
});

test("a start names a model without a key, and a later one a project that nobody has signed in to", async () => {
  await using folder = await preparedFolder();
  const noteOf = async (...args: string[]) => {
    const child = startCli(["hosted", "--port", "0", ...args], { cwd: folder.path });
    if (child.stdout === null || child.stderr === null) throw new Error("the service has no output");
    const noted = readText(child.stderr);
    const [line] = await once(createInterface(child.stdout), "line");
    child.kill("SIGTERM");
    return { line: String(line), text: await noted };
  };
  const first = await noteOf("--model", "anthropic/claude-x");
  expect(first.text).toContain(
    "the provider of anthropic/claude-x is not connected, so every question fails; set ANTHROPIC_API_KEY",
  );
  expect(first.text).not.toContain("nobody has signed in");
  const events = first.text.trimEnd().split("\n");
  expect(events.map((line): unknown => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: "warn", event: "provider-not-connected" }),
  );
  const later = await noteOf("--host", "0.0.0.0");
  expect(later.line).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\/api\/mcp$/);
  expect(later.text).toContain("nobody has signed in to the project team yet; for a link: citewell hosted owner-link");
  expect(later.text).toContain("set --public-url");
  expect(later.text).not.toContain("not connected");
});

interface Service extends AsyncDisposable {
  process: ChildProcess;
  /** What it printed at its start. */
  lines: string[];
  call(key: string, name: string, args: object): Promise<unknown>;
  /** Ends it as a crash would. Disposing of it does the same, as a clean end writes a backup. */
  kill(): Promise<void>;
  /** Ends it as an operator does. */
  stop(): Promise<void>;
}

/** A home with an embedded database that has no projects yet: making one takes seconds. */
async function preparedFolder(): Promise<Folder> {
  const folder = await temporaryFolder();
  await createEmbeddedDatabase(path.join(folder.path, ".home/data/hosted/database"));
  return folder;
}

/** Their first start has printed a key. */
const started = new WeakSet<Folder>();

async function start(folder: Folder, args: string[] = [], env: Record<string, string> = {}): Promise<Service> {
  const child = startCli(["hosted", "--port", "0", "--quiet", ...args], { cwd: folder.path, env });
  const lines: string[] = [];
  const count = (started.has(folder) ? 2 : 6) + (args.includes("--public-url") ? 1 : 0);
  if (child.stdout === null) throw new Error("the service has no output");
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (lines.length === count) break;
  }
  started.add(folder);
  const url = lines[0]?.replace("listening on ", "") ?? "";
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  return {
    process: child,
    lines,
    async call(key, name, args) {
      const response = await fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
      });
      return response.json();
    },
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    [Symbol.asyncDispose]: () => end("SIGKILL"),
  };
}

async function untilReady(service: Service, key: string): Promise<void> {
  const isReady = { result: { structuredContent: { resources: [{ fetch: { state: "ready" } }] } } };
  await vi.waitFor(async () => expect(await service.call(key, "listResources", {})).toMatchObject(isReady), {
    timeout: 60_000,
    interval: 100,
  });
}

async function writeGlobalConfig(folder: Folder, config: object): Promise<void> {
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify(config)}\n`);
}
