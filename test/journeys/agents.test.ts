import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { hostedSnippets } from "../../cli/agent-settings/hosted-snippets.ts";
import { installedAgents } from "../support/agents/installed.ts";
import { runAgent } from "../support/agents/run-agent.ts";
import { findClient } from "../../cli/agent-settings/clients.ts";
import { runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type GitServer, startGitServer } from "../support/git-server.ts";
import { startService, type TestService } from "../support/hosted.ts";
import { type ScriptedModel, scriptedModel } from "../support/scripted-model.ts";
import { testEngines } from "../support/stores.ts";
import { createInvite } from "../../server/hosted/tenants/links.ts";
import { createKey } from "../../server/hosted/tenants/keys.ts";
import { setOwnKeyRule } from "../../server/hosted/tenants/own-keys.ts";
import { createProject } from "../../server/hosted/tenants/projects.ts";
import { changeAccess } from "../../server/hosted/tenants/resource-access.ts";
import type { KeyScope } from "../../server/protocol/api-keys.ts";
import type { Project } from "../../server/protocol/hosted.ts";
import { createVisitor, signedIn, testPassword, type Visitor } from "../support/visitor.ts";

/*
 * Coding agents of other makers, with the settings that we print for them: `npm test` installs two, and
 * `CITEWELL_TEST_AGENTS=<folder>` names a folder with more (CONTRIBUTING.md).
 */

// An agent starts in seconds, and on a busy machine in many.
const timeoutMs = 150_000;
vi.setConfig({ testTimeout: timeoutMs + 30_000, hookTimeout: 120_000 });

/** For each tool a call, and what the agent's model gets to read of the result. */
const readingCalls = [
  { tool: "search", input: { query: "retries", resources: ["lib"] }, shows: "1|export const retries = 3;" },
  { tool: "read", input: { resource: "lib", path: "retry.ts" }, shows: "1|export const retries = 3;" },
  { tool: "verify", input: { text: "See [[lib:retry.ts#L1]] and [[lib:none.ts#L1]]." }, shows: "line 1: missing" },
  { tool: "ask", input: { question: "How often does it retry?", resources: ["lib"] }, shows: "1 verified" },
];
const localCalls = [{ tool: "listResources", input: {}, shows: "lib: local" }, ...readingCalls];
const hostedCalls = (url: string) => [
  { tool: "listResources", input: {}, shows: "No resources are registered" },
  { tool: "addResource", input: { type: "git", name: "lib", url }, shows: "Added lib." },
  { tool: "sync", input: {}, shows: `lib: git ${url}` },
  ...readingCalls,
  { tool: "listRevisions", input: { resource: "lib" }, shows: "Branches: main (default), next" },
  { tool: "history", input: { resource: "lib", place: "retry.ts" }, shows: "retry.ts, 1 commit" },
  { tool: "compare", input: { before: "lib", after: "next" }, shows: "retryLimit" },
];

let git: GitServer;
let model: ScriptedModel;
let service: TestService;
const [engine] = testEngines();
beforeAll(async () => {
  git = await startGitServer();
  await git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
  await git.commit("lib", { "retry.ts": "export const retryLimit = 3;\n" }, { branch: "next" });
  model = await scriptedModel(({ toolResults }) =>
    toolResults.length > 0
      ? "It retries three times [[lib:retry.ts#L1]]."
      : { toolCalls: [{ name: "read", input: { path: "retry.ts" } }] },
  );
  if (engine === undefined) throw new Error("there is no database engine");
  service = await startService(await engine.createDatabase(), {
    config: { ...model.config },
    env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    snippetsFor: hostedSnippets,
  });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await git[Symbol.asyncDispose]();
});

test("a program that knows nothing of MCP uses every tool", async () => {
  const key = await service.key();
  for (const { tool, input, shows } of hostedCalls(git.url("lib"))) {
    const { isError, content, structuredContent } = await service.call(key, tool, input);
    expect([tool, isError, structuredContent !== undefined]).toEqual([tool, false, true]);
    expect(content.map(({ text }) => text).join("\n")).toContain(shows);
    // On a busy machine a fetch may take longer than a call waits for it.
    if (tool === "sync") await service.untilFetched();
  }
});

describe.each(installedAgents())("$name", ({ executable, ...agent }) => {
  const client = findClient(agent.client)?.name ?? "";

  test("uses every tool of the hosted service with the settings that the page of a new key shows", async () => {
    await using folder = await temporaryFolder("//- home/.keep\n//- workspace/.keep\n");
    const [home, workspace] = [path.join(folder.path, "home"), path.join(folder.path, "workspace")];
    const settings = await settingsFor(client);
    await writeInto(settings.file.startsWith("~") ? home : workspace, settings);
    const calls = hostedCalls(git.url("lib"));
    const run = await runAgent(agent, { home, workspace, executable, calls, timeoutMs });
    expect(toolsOf(run.offered)).toEqual(calls.map(({ tool }) => tool).toSorted());
    for (const [index, { tool, shows }] of calls.entries()) expect(`${tool}: ${run.results[index]}`).toContain(shows);
    // Beside the text, some agents show their model the structured result as well.
    expect(run.results.join()).not.toContain('"results":[');
  });

  test("with a member's own key, finds what the member may use and nothing else", async () => {
    await using folder = await temporaryFolder("//- home/.keep\n//- workspace/.keep\n");
    const [home, workspace] = [path.join(folder.path, "home"), path.join(folder.path, "workspace")];
    const { project, member } = await teamWithSecret();
    const settings = await settingsOn(`/p/${project.name}/keys`, client, member, ["ask", "read"]);
    await writeInto(settings.file.startsWith("~") ? home : workspace, settings);
    const calls = [
      { tool: "listResources", input: {}, shows: "lib: git" },
      { tool: "search", input: { query: "retries" }, shows: "1|export const retries = 3;" },
      { tool: "read", input: { resource: "secret", path: "plan.ts" }, shows: "no resource named" },
      { tool: "ask", input: { question: "How often does it retry?" }, shows: "1 verified" },
    ];
    const run = await runAgent(agent, { home, workspace, executable, calls, timeoutMs });
    for (const [index, { tool, shows }] of calls.entries()) expect(`${tool}: ${run.results[index]}`).toContain(shows);
    expect(toolsOf(run.offered)).not.toContain("addResource");
    const used = await service.store.query("select client from daily_client_usage where project = $1", [project.id]);
    expect(used.rows).toEqual([{ client: expect.stringMatching(/^(?:gemini|qwen)-cli-mcp-client\S* \d/) }]);
    expect(run.results.join("\n")).not.toMatch(/addResource|walrus|plan\.ts:|secret: git/);
  });

  test("uses every tool of `citewell mcp` with the settings that `citewell mcp local` writes", async () => {
    await using folder = await temporaryFolder("//- home/.keep\n//- workspace/retry.ts\nexport const retries = 3;\n");
    const [home, workspace] = [path.join(folder.path, "home"), path.join(folder.path, "workspace")];
    const config = { ...model.config, resources: [{ type: "local", name: "lib", path: workspace }] };
    await folder.write(`//- citewell/citewell.config.jsonc\n${JSON.stringify(config)}\n`);
    const env = { CITEWELL_HOME: path.join(folder.path, "citewell") };
    const args = ["mcp", "local", "--client", agent.client, "--yes"];
    const written = await runCli(args, { cwd: workspace, env: { ...env, HOME: home } });
    expect(written).toMatchObject({ code: 0 });
    const run = await runAgent(agent, { home, workspace, executable, calls: localCalls, env, timeoutMs });
    for (const [index, { tool, shows }] of localCalls.entries())
      expect(`${tool}: ${run.results[index]}`).toContain(shows);
  });
});

/** The settings on the page of a new key of a project of its own. */
async function settingsFor(client: string): Promise<Settings> {
  const project = await newProject();
  const owner = await signedIn({ ...service, project }, `${project.name}@example.com`);
  return settingsOn(`/p/${project.name}/keys`, client, owner, ["ask", "read", "manage"]);
}

/** A project with `lib`, which all may use, and `secret`, which its member may not; members may make keys of their own. */
async function teamWithSecret(): Promise<{ project: Project; member: Visitor }> {
  const { store } = service;
  const project = await newProject();
  await git.commit("secret", { "plan.ts": "export const retries = `walrus`;\n" });
  const actor = "operator";
  const { key } = await createKey(store, project, { name: "setup", scopes: ["manage"], actor });
  for (const name of ["lib", "secret"]) {
    await service.call(key, "addResource", { type: "git", name, url: git.url(name) });
  }
  await service.untilFetched(project.id);
  await changeAccess(store, project, { resource: "secret", accounts: [], actor });
  await setOwnKeyRule(store, project, { rule: { days: null }, actor });
  const { token } = await createInvite(store, project, { role: "member", actor });
  const member = createVisitor(service.url);
  await member.send(`/link/${token}`, { email: `eve-${project.name}@example.com`, password: testPassword });
  return { project, member };
}

async function newProject(): Promise<Project> {
  return createProject(service.store, `team-${crypto.randomUUID().slice(0, 8)}`);
}

interface Settings {
  file: string;
  text: string;
}

/** The settings on the page of a new key, as a person copies them. */
async function settingsOn(
  page: string,
  client: string,
  visitor: Visitor,
  scopes: readonly KeyScope[],
): Promise<Settings> {
  const { text: shown } = await visitor.send(page, { name: client, scopes });
  const [, section = ""] = shown.split(`>${client}</label>`);
  const [, file = "", text = ""] = /<code>([^<]*)<\/code>[^]*?<code [^>]*>([^<]*)<\/code>/.exec(section) ?? [];
  return { file: withoutEntities(file), text: withoutEntities(text) };
}

function withoutEntities(text: string): string {
  const characters = { quot: '"', "#39": "'", lt: "<", gt: ">", amp: "&" };
  return Object.entries(characters).reduce(
    (plain, [entity, character]) => plain.replaceAll(`&${entity};`, character),
    text,
  );
}

async function writeInto(folder: string, { file, text }: Settings): Promise<void> {
  const target = path.join(folder, file.replace(/^~/, ""));
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text);
}

/** Removes the prefixes of agents. */
function toolsOf(offered: ReadonlySet<string>): string[] {
  return [...offered].map((name) => name.replace(/^.*citewell[_/]+/, "")).toSorted();
}
