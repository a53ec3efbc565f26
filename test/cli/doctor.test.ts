import { mkdir, realpath, utimes } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { type NpmRegistry, startNpmRegistry } from "../support/npm-registry.ts";
import { startInTerminal } from "../support/pty.ts";
import { scriptedModel } from "../support/scripted-model.ts";

let registry: NpmRegistry;
beforeAll(async () => {
  registry = await startNpmRegistry();
});
afterAll(() => registry[Symbol.asyncDispose]());

interface Finding {
  check: string;
  state: string;
  message: string;
  fix?: string;
}

async function world(files = ""): Promise<Folder> {
  return temporaryFolder(`//- .npmrc\nregistry=${registry.url}\n${files}`);
}

async function examine(folder: Folder, args: string[] = [], env: Record<string, string> = {}) {
  const { code, stdout } = await runHere(["doctor", "--json", ...args], { cwd: folder.path, env });
  const { ok, checks }: { ok: boolean; checks: Finding[] } = JSON.parse(stdout);
  return { code, ok, stdout, find: (name: string) => checks.find(({ check }) => check === name) };
}

test("all that questions depend on is looked at, and a sound computer ends with 0", async () => {
  await using folder = await world();
  const { code, ok, find } = await examine(folder);
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  const names = ["node", "git", "configuration directory", "data directory", "configuration", "proxy", "locks"];
  for (const name of names) expect(find(name)).toMatchObject({ state: "ok" });
  for (const name of ["disk", "certificates", "registry", "server"]) expect(find(name)).toBeDefined();
  expect(find("provider builtin")).toMatchObject({ state: "ok", message: "in use, with extractive" });
  expect(find("other providers")).toMatchObject({
    state: "ok",
    message: expect.stringMatching(/not connected: .*openrouter/),
  });
});

test("a broken configuration fails, with its place, and the rest is still looked at", async () => {
  await using folder = await world('//- citewell.config.jsonc\n{ "model": }\n');
  const { code, find } = await examine(folder);
  expect(code).toBe(1);
  expect(find("configuration")).toMatchObject({
    state: "fail",
    message: expect.stringMatching(/citewell\.config\.jsonc:1:12: a value/),
    fix: expect.stringContaining("correct"),
  });
  expect(find("git")).toMatchObject({ state: "ok" });
});

test("a provider in use that is not connected fails; one that does not serve the model, too", async () => {
  await using folder = await world('//- citewell.config.jsonc\n{ "provider": "minimax", "model": "m" }\n');
  expect((await examine(folder)).find("provider minimax")).toMatchObject({
    state: "fail",
    fix: "citewell connect -p minimax",
  });
  await using model = await scriptedModel([]);
  await folder.write(`//- citewell.config.jsonc\n${JSON.stringify({ ...model.config, model: "scriptd" })}`);
  const { code, find } = await examine(folder);
  expect({ code, ...find("provider openai-compat") }).toMatchObject({
    code: 1,
    state: "fail",
    message: expect.stringContaining("no model scriptd"),
  });
});

test("only --deep asks the model something", async () => {
  await using model = await scriptedModel(["ok"]);
  await using folder = await world(`//- citewell.config.jsonc\n${JSON.stringify(model.config)}\n`);
  expect((await examine(folder)).find("provider openai-compat")).toMatchObject({ state: "ok" });
  expect(model.requests).toHaveLength(0);
  const { find } = await examine(folder, ["--deep"]);
  expect(find("provider openai-compat")).toMatchObject({
    state: "ok",
    message: expect.stringContaining("which answers"),
  });
  expect(model.requests).toHaveLength(1);
});

test("passwords are not shown", async () => {
  await using folder = await world();
  const { stdout, find } = await examine(folder, [], { HTTPS_PROXY: "http://me:s3cret@127.0.0.1:1", NO_PROXY: "*" });
  expect(find("proxy")).toMatchObject({ state: "ok", message: expect.stringContaining("127.0.0.1:1") });
  expect(stdout).not.toContain("s3cret");
});

test("a registry that does not answer, a lost certificate and a lock that was left over warn", async () => {
  await using folder = await world();
  await folder.write("//- .npmrc\nregistry=http://127.0.0.1:1/\n");
  const lock = path.join(folder.path, ".home/citewell.config.jsonc.lock");
  await mkdir(lock, { recursive: true });
  await utimes(lock, new Date(0), new Date(0));
  const { code, find } = await examine(folder, [], { SSL_CERT_FILE: "/nowhere.pem" });
  expect(code).toBe(0);
  expect(find("registry")).toMatchObject({ state: "warn", fix: expect.any(String) });
  expect(find("certificates")).toMatchObject({ state: "warn", message: expect.stringContaining("/nowhere.pem") });
  expect(find("locks")).toMatchObject({ state: "warn", message: expect.stringContaining(lock) });
});

test("a file in the data directory's place fails", async () => {
  await using folder = await world("//- .home\nno folder\n");
  const { code, find } = await examine(folder);
  expect({ code, ...find("data directory") }).toMatchObject({ code: 1, state: "fail" });
});

test("a git that is too old or not there fails", async () => {
  await using folder = await world();
  const { code, find } = await examine(folder, [], { PATH: folder.path });
  expect({ code, ...find("git") }).toMatchObject({ code: 1, state: "fail", message: expect.stringContaining("git") });
});

test("in a terminal each line has its mark, and what to do below it", async () => {
  await using folder = await world('//- citewell.config.jsonc\n{ "provider": "minimax", "model": "m" }\n');
  const session = startInTerminal(["doctor"], { cwd: folder.path });
  expect(await session.exit).toBe(1);
  expect(session.output()).toContain("✓ ok");
  expect(session.output()).toMatch(/✗ fail[^\n]*minimax[^\n]*\r\n +→ citewell connect -p minimax/);
});

test("an agent's entry that no longer starts fails, with the command that mends it", async () => {
  await using folder = await world(`
//- .claude.json
{ "mcpServers": { "citewell": { "command": "/gone/node", "args": ["/x.mjs", "mcp"] } } }
//- .cursor/mcp.json
{ "mcpServers": { "citewell": { "command": ${JSON.stringify(process.execPath)}, "args": ["/gone/citewell.mjs", "mcp"] } } }
//- .codex/config.toml
[mcp_servers.citewell]
command = "citewell"
args = ["mcp"]
//- opencode.json
{ "mcp": { "citewell": { "type": "local", "command": [${JSON.stringify(process.execPath)}, "-e", "0"] } } }
//- .qwen/settings.json
{ "broken
//- .kiro/settings/mcp.json
{ "mcpServers": { "citewell": 7 } }
`);
  const { code, find } = await examine(folder);
  expect(code).toBe(1);
  expect(find("agent claude-code")).toMatchObject({
    state: "fail",
    message: expect.stringMatching(/^there is no program \/gone\/node, which .*\.claude\.json names$/),
    fix: "citewell mcp local -c claude-code -s user",
  });
  expect(find("agent cursor")).toMatchObject({
    state: "fail",
    message: expect.stringContaining("there is no file /gone/citewell.mjs"),
  });
  expect(find("agent codex")).toMatchObject({ state: "fail", message: expect.stringContaining("is not on PATH") });
  expect(find("agent opencode")).toMatchObject({ state: "ok" });
  expect(find("agent qwen-code")).toBeUndefined();
  expect(find("agent kiro")).toMatchObject({ state: "warn" });
});

test("without an entry in any agent the command that writes one is named", async () => {
  await using folder = await world();
  expect((await examine(folder)).find("agents")).toMatchObject({
    state: "ok",
    message: expect.stringContaining("citewell mcp local"),
  });
});

test("each ecosystem of the project says where its packages are, and the others nothing", async () => {
  await using folder = await world(
    `//- work/pyproject.toml\n[project]\nname = "app"\ndependencies = ["pyyaml"]
//- work/.venv/pyvenv.cfg\nhome = /usr/bin\n//- work/.venv/lib/python3.12/site-packages/yaml.py\n
//- work/go.mod\nmodule example.com/app\n\nrequire github.com/Acme/logs v1.4.0\n
//- gopath/pkg/mod/cache/lock\n
//- rust/Cargo.toml\n[package]\nname = "app"\nversion = "0.1.0"\n\n[dependencies]\nserde = "1"\n
//- ruby/Gemfile.lock\nDEPENDENCIES\n  rack\n//- ruby/vendor/bundle/ruby/3.1.0/gems/rack-2.0.0/lib/rack.rb\n`,
  );
  const env = {
    HOME: folder.path,
    GOPATH: path.join(folder.path, "gopath"),
    CARGO_HOME: path.join(folder.path, "none"),
  };
  const at = (name: string) => ({ ...folder, path: path.join(folder.path, name) });
  const work = await examine(at("work"), [], env);
  const sitePackages = await realpath(path.join(folder.path, "work/.venv/lib/python3.12/site-packages"));
  expect(work.find("Python packages")).toEqual({ check: "Python packages", state: "ok", message: sitePackages });
  expect(work.find("Go modules")?.message).toContain(`the module cache ${path.join(folder.path, "gopath/pkg/mod")}`);
  for (const name of ["npm packages", "Rust crates", "JVM packages"]) expect(work.find(name)).toBeUndefined();
  const ruby = await examine(at("ruby"), [], env);
  expect(ruby.find("Ruby gems")?.message).toMatch(/^\S+3\.1\.0\/gems$/);
  const rust = await examine(at("rust"), [], { ...env, PATH: folder.path });
  expect(rust.find("Rust crates")?.message).toContain("no standard library: ");
});
