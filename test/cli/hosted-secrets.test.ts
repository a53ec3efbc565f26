import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test, vi } from "vitest";
import { runCli, startCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { createEmbeddedDatabase, testEngines } from "../support/stores.ts";

// Opening an embedded database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";

test.each(testEngines())(
  "tokens come from standard input or a variable, and are never printed: $name",
  async (engine) => {
    await using folder = await temporaryFolder();
    const cwd = folder.path;
    const location = await engine.createDatabase();
    const database =
      "url" in location
        ? { CITEWELL_DATABASE_URL: location.url, CITEWELL_SECRETS_KEY: randomBytes(32).toString("base64") }
        : {};
    await runCli(["hosted", "project", "create", "team"], { cwd, env: database });
    const run = (args: string[], { stdin, env = {} }: { stdin?: string; env?: Record<string, string> } = {}) =>
      runCli(["hosted", "token", ...args], {
        cwd,
        env: { ...database, ...env },
        ...(stdin === undefined ? {} : { stdin }),
      });
    const added = await run(["add", "github.com", "--name", "ci"], { stdin: `${token}\n` });
    expect(added).toMatchObject({ code: 0, stdout: "added the token for github.com\n" });
    const again = await run(["add", "github.com"], { stdin: token });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("a token for github.com already exists") });
    const replaced = await run(["replace", "github.com"], { env: { CITEWELL_GIT_TOKEN: token } });
    expect(replaced).toMatchObject({ code: 0, stdout: "replaced the token for github.com\n" });
    const listed = await run(["list"]);
    expect(listed.stdout).toMatch(/^github\.com +ci +ghp_… +not used yet +never used/);
    expect(await run(["add", "git.example"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("there is no token"),
    });
    const argument = await run(["add", "git.example", token]);
    expect(argument).toMatchObject({ code: 2, stderr: expect.stringContaining("too many arguments") });
    const unwell = await run(["add", "git.example", "--json"], { stdin: `${token} ${token}` });
    expect(unwell).toMatchObject({ code: 2, stdout: expect.stringContaining("InvalidRequest") });
    expect(await run(["remove", "github.com"])).toMatchObject({
      code: 0,
      stdout: "removed the token for github.com\n",
    });
    expect(await run(["remove", "github.com"])).toMatchObject({ code: 3, stderr: expect.stringContaining("no token") });
    const outputs = [added, again, replaced, listed, argument, unwell];
    expect(JSON.stringify(outputs)).not.toContain(token);
  },
);

test("the key of secrets is made next to the database and rotated while the service runs", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const data = path.join(cwd, "data");
  await createEmbeddedDatabase(path.join(data, "database"));
  const run = (args: string[], stdin?: string) =>
    runCli(["hosted", ...args, "--data", data], { cwd, ...(stdin === undefined ? {} : { stdin }) });
  const service = startCli(["hosted", "--port", "0", "--data", data], { cwd });
  await using _ending = {
    async [Symbol.asyncDispose]() {
      const ended = once(service, "exit");
      service.kill("SIGTERM");
      await ended;
    },
  };
  if (service.stdout === null) throw new Error("the service has no output");
  await once(createInterface(service.stdout), "line");
  const keyFile = path.join(data, "secrets.key");
  await run(["token", "add", "github.com"], token);
  const before = await readFile(keyFile, "utf8");
  const webhook = await run(["webhook", "create"]);
  expect(webhook).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\w-]{43}\n$/) });
  expect(webhook.stderr).toMatch(/^Address for the git host: http:\/\/127\.0\.0\.1:\d+\/hooks\/[\w-]+\n/);
  const rotated = await run(["secrets", "rotate"]);
  expect(rotated.stdout).toMatch(/^encrypted 2 secrets with the key [0-9a-f]{8}; no other key is needed\n$/);
  const after = await readFile(keyFile, "utf8");
  expect([after.split("\n").length, after === before]).toEqual([2, false]);
  const again = await run(["secrets", "rotate", "--json"]);
  expect(JSON.parse(again.stdout)).toMatchObject({ resealed: 2 });
  expect(await run(["webhook", "remove"])).toMatchObject({ code: 0 });
});
