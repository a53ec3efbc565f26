import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HistoryReply } from "../../../server/protocol/git-history.ts";
import { runHere } from "../../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../../support/folder.ts";
import { type NpmRegistry, startNpmRegistry } from "../../support/npm-registry.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

const project = `
//- shop/package.json
{ "name": "shop", "dependencies": { "tiny": "^1.0.0" } }
//- shop/node_modules/tiny/package.json
{ "name": "tiny", "version": "1.0.0" }
//- shop/node_modules/tiny/index.js
exports.tiny = 1;
`;
const changelog = `
//- index.js
exports.tiny = 2;
//- CHANGELOG.md
# Changelog

## 2.1.0

- Adds \`wide()\`.

## 2.0.0

- Removes \`gone()\`.
- Needs another runtime.

## 1.0.0

- The first one.
`;
const time = {
  "1.0.0": "2020-01-02T03:04:05.000Z",
  "2.0.0": "2021-05-06T00:00:00.000Z",
  "2.1.0": "2021-07-08T00:00:00.000Z",
  "3.0.0-rc.1": "2021-09-09T00:00:00.000Z",
};

let folder: Folder;
let registry: NpmRegistry;
beforeAll(async () => {
  registry = await startNpmRegistry();
  folder = await temporaryFolder(project);
  await writeFile(path.join(folder.path, "shop", ".npmrc"), `registry=${registry.url}\n`);
  for (const version of ["1.0.0", "2.0.0", "2.1.0"]) {
    registry.publish({ name: "tiny", version, files: changelog, document: { time: { ...time } } });
  }
  for (const version of ["1.0.0", "2.0.0"]) {
    registry.publish({ name: "plain", version, files: "//- index.js\n", document: { time: { ...time } } });
  }
  registry.publish({
    name: "tiny",
    version: "3.0.0-rc.1",
    files: changelog,
    tags: ["next"],
    document: { time: { ...time } },
  });
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
  await registry?.[Symbol.asyncDispose]();
});

const here = (home = folder.path) => ({
  cwd: path.join(folder.path, "shop"),
  env: { HOME: folder.path, CITEWELL_HOME: path.join(home, ".citewell") },
});

async function replyOf(...args: string[]): Promise<HistoryReply> {
  const { stdout } = await runHere(["history", ...args, "--json"], here());
  return HistoryReply.parse(JSON.parse(stdout));
}

test("the history of a package is its newer releases, with dates and what the changelog says", async () => {
  const { releases, total, notes, commits } = await replyOf("npm:tiny");
  expect(commits).toEqual([]);
  expect(total).toBe(3);
  expect(releases?.map(({ version, date, isCurrent }) => [version, date, isCurrent])).toEqual([
    ["2.1.0", "2021-07-08", undefined],
    ["2.0.0", "2021-05-06", undefined],
    ["1.0.0", "2020-01-02", true],
  ]);
  expect(releases?.[1]?.changes).toMatchObject([
    { resource: "npm:tiny@2.1.0", path: "CHANGELOG.md", startLine: 9, text: "- Removes `gone()`." },
    { startLine: 10, text: "- Needs another runtime." },
  ]);
  expect(notes).toEqual(["1 pre-release is not listed"]);
  const { stdout, code } = await runHere(["history", "npm:tiny", "--limit", "1"], here());
  expect({ stdout, code }).toEqual({
    code: 0,
    stdout: "2.1.0, 2021-07-08\n  - Adds `wide()`.  npm:tiny@2.1.0:CHANGELOG.md:5\n",
  });
});

test("a version is named in part, and the first of those is said", async () => {
  const { releases } = await replyOf("npm:tiny", "--commit", "2");
  expect(releases?.map(({ version, isFirst }) => [version, isFirst])).toEqual([
    ["2.1.0", undefined],
    ["2.0.0", true],
  ]);
  expect((await replyOf("-r", "npm:tiny", "--since", "2.0")).releases?.map(({ version }) => version)).toEqual([
    "2.1.0",
  ]);
  const unknown = await runHere(["history", "npm:tiny", "--commit", "9"], here());
  expect(unknown.stderr).toMatch(/has no release "9"\nhint: the newest is 2\.1\.0/);
  const place = await runHere(["history", "a.ts", "-r", "npm:tiny"], here());
  expect(place.stderr).toContain("packages have releases and no commits");
});

test("the built-in provider answers with them, also for a dependency that is not open", async () => {
  const ask = async (question: string) => {
    const { stdout } = await runHere(["ask", "--provider", "builtin", "--json", "-q", question], here());
    return JSON.parse(stdout);
  };
  const { text, citations } = await ask("Is there a newer version of tiny, and what changed?");
  expect(text).toContain("3 releases, the newest is 2.1.0.");
  expect(text).toContain("**2.0.0, 2021-05-06**");
  expect(citations.map(({ path: file, state }: Record<string, string>) => `${file} ${state}`)).toContain(
    "CHANGELOG.md verified",
  );
  expect((await ask("When was tiny 2 released?")).text).toContain("**2.0.0, 2021-05-06, the first**");
});

test("releases without a changelog are a list", async () => {
  const question = ["ask", "--provider", "builtin", "--sub-agent", "-r", "npm:plain@1.0.0", "-q"];
  const { stdout } = await runHere([...question, "Is there a newer version of plain?"], here());
  expect(stdout).toContain("\n\n- 2.0.0, 2021-05-06\n- 1.0.0, 2020-01-02, in use\n\nThe package contains no changelog");
});

test("a model has the tool for a question about releases, and what it cites of it is verified", async () => {
  await using model = await scriptedModel(({ body }) =>
    body.messages.some(({ role }) => role === "tool")
      ? { text: ["It loses gone [[npm:tiny@2.1.0:CHANGELOG.md#L9]]."] }
      : { toolCalls: [{ name: "history", input: { resource: "npm:tiny" } }] },
  );
  const home = await temporaryFolder(`//- citewell.config.jsonc\n${JSON.stringify(model.config)}\n`);
  const options = { ...here(), env: { HOME: folder.path, CITEWELL_HOME: home.path } };
  const ask = async (question: string) =>
    JSON.parse((await runHere(["ask", "--json", "-q", question, "-r", "npm:tiny"], options)).stdout);
  const { citations } = await ask("Is there a newer version of tiny?");
  expect(citations).toMatchObject([{ resource: "npm:tiny@2.1.0", path: "CHANGELOG.md", state: "verified" }]);
  await ask("What does tiny do?");
  expect(JSON.stringify(model.requests[2]?.body)).not.toContain('"name":"history"');
  await home[Symbol.asyncDispose]();
});

test("where the registry does not answer, what is on disk is said, and why there is no more", async () => {
  await registry.stop();
  const { releases, notes } = await replyOf("npm:tiny");
  expect(releases).toMatchObject([{ version: "1.0.0", isCurrent: true }]);
  expect(notes[0]).toMatch(/^other releases are not known: 127\.0\.0\.1/);
});

test("of what is read where it is installed alone, the release in use is known", async () => {
  const packages = [{ name: "acme/tiny", version: "1.2.0", "install-path": "../acme/tiny" }];
  await using php = await temporaryFolder(`
//- composer.json
{ "require": { "acme/tiny": "^1" } }
//- vendor/composer/installed.json
${JSON.stringify({ packages })}
//- vendor/acme/tiny/CHANGELOG.md
# Changelog

## 1.2.0

- Adds \`wide()\`.
`);
  const options = { cwd: php.path, env: { HOME: path.dirname(php.path), CITEWELL_HOME: path.join(php.path, ".home") } };
  const { stdout, stderr } = await runHere(["history", "composer:acme/tiny"], options);
  expect(stdout).toBe("1.2.0, no date, in use\n  - Adds `wide()`.  composer:acme/tiny:CHANGELOG.md:5\n");
  expect(stderr).toBe("other releases are not known: no registry is asked for composer:acme/tiny\n");
});
