import { afterAll, beforeAll, expect, test } from "vitest";
import { type CliResult, runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type GitServer, startGitServer } from "../support/git-server.ts";

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test("fetches all or those named, and prints the old and new revision, with progress on standard error", async () => {
  const first = await server.commit("lib", { "a.js": "a\n" });
  await using it = await configured(["lib", "docs"]);
  await server.commit("docs", { "a.md": "a\n" });
  const fetched = await it.run("refresh", "lib");
  expect(fetched).toMatchObject({ code: 0, stdout: `lib: ${first.slice(0, 7)}\n` });
  expect(fetched.stderr).toMatch(/^lib: looking for the newest revision\n/);
  expect(await it.run("refresh", "lib", "--quiet")).toMatchObject({
    stdout: expect.stringContaining("nothing newer"),
    stderr: "",
  });
  const second = await server.commit("lib", { "a.js": "b\n" });
  const { stdout } = await it.run("refresh", "--quiet");
  expect(stdout).toMatch(new RegExp(`^lib: ${second.slice(0, 7)}, was ${first.slice(0, 7)}\ndocs: [0-9a-f]{7}\n$`));
});

test("reports one that fails and continues with the others", async () => {
  await server.commit("there", { "a.js": "a\n" });
  await using it = await configured(["missing", "there"]);
  const { code, stdout, stderr } = await it.run("refresh", "--quiet");
  expect({ code, stdout }).toEqual({ code: 7, stdout: expect.stringMatching(/^there: [0-9a-f]{7}\n$/) });
  expect(stderr).toMatch(/^error: missing: .*\nhint: /);
  const json = await it.run("refresh", "missing", "there", "--json");
  expect({ code: json.code, ...JSON.parse(json.stdout) }).toMatchObject({
    code: 7,
    refreshed: [{ name: "there", state: "ready" }],
    failed: [{ name: "missing", tag: "RepositoryNotFound" }],
  });
});

test("an unknown name ends with 3 and names what comes near it", async () => {
  await using it = await configured(["there"]);
  expect(await it.run("refresh", "ther")).toMatchObject({ code: 3, stderr: expect.stringContaining("there") });
});

async function configured(names: readonly string[]) {
  const resources = names.map((name) => ({ type: "git", name, url: server.url(name) }));
  const config = { allowHosts: ["localhost"], resources };
  const folder = await temporaryFolder(`//- .home/citewell.config.jsonc\n${JSON.stringify(config)}`);
  const env = { NODE_EXTRA_CA_CERTS: server.caFile, SSL_CERT_FILE: server.caFile };
  return {
    run: (...args: string[]): Promise<CliResult> => runCli(args, { cwd: folder.path, env }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
