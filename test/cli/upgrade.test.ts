import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UpgradeReport } from "../../server/protocol/upgrade.ts";
import { runHere } from "../support/cli-here.ts";
import { startGoProxy } from "../support/go-proxy.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { parseSarif } from "../support/sarif.ts";
import { type NpmRegistry, startNpmRegistry } from "../support/npm-registry.ts";
import { scriptedModel } from "../support/scripted-model.ts";

const one = `
//- index.d.ts
export function tiny(text: string, limit?: number): Cut;
export function gone(): void;
export function older(): void;
export function longer(text: string): void;
export function same(text: string): void;
export class Cut {
  width(): number;
  height(): number;
  depth(text: string): number;
}
export interface Options {
  ellipsis?: string;
}
//- index.js
exports.listed = require("./listed");
exports.tiny = function tiny(text, options) {};
//- part.js
exports.part = 1;
//- v0/index.js
exports.ancient = () => {};
`;
const two = `
//- index.d.ts
export function tiny(text: string, limit?: number): Cut;
/** @deprecated use tiny */
export function older(): void;
export function longer(text: string, locale: string, zone: string): void;
export function same(text: string): void;
export class Cut {
  width(): number;
  depth(text: string): number;
}
export class Other {
  height(): number;
}
//- v1/index.js
exports.gone = () => {};
//- CHANGELOG.md
# Changelog

## 2.1.0

- \`tiny()\` has not changed here, this is newer than what is wanted: it is removed.

## 2.0.0

- Removed:
  - \`gone()\`
- \`same()\` now throws for an empty text.
- The word tiny is removed from a sentence.
- \`Other.depth\` no longer exists.

## 1.0.0

- \`same()\` is removed here, long ago.
`;
const project = `
//- shop/package.json
{ "name": "shop", "dependencies": {
  "tiny": "^1.0.0",
  "odd": "1.0.0", "loader": "1.0.0"
} }
//- shop/node_modules/tiny/package.json
{ "name": "tiny", "version": "1.0.0", "engines": {
  "node": ">=10"
} }
${one.replaceAll("//- ", "//- shop/node_modules/tiny/")}
//- shop/node_modules/loader/package.json
{ "name": "loader", "version": "1.0.0" }
//- shop/node_modules/loader/index.js
module.exports = () => {};
//- shop/src/load.js
const load = require("loader");
load();
//- shop/src/use.ts
import { gone, longer, older, same, tiny as cut } from "tiny";
import { part } from "tiny/part";
// gone() in a comment is no use
gone();
longer("a");
older();
same("");
const it = cut("a", { ellipsis: "..." });
const newCut = it;
newCut.width() + newCut.height();
console.height();
//- shop/src/other.ts
import { gone } from "./gone";
gone();
`;

let folder: Folder;
let registry: NpmRegistry;
beforeAll(async () => {
  registry = await startNpmRegistry();
  folder = await temporaryFolder(project);
  await writeFile(path.join(folder.path, "shop", ".npmrc"), `registry=${registry.url}\n`);
  registry.publish({ name: "tiny", version: "1.0.0", files: one, manifest: { engines: { node: ">=10" } } });
  registry.publish({ name: "tiny", version: "2.0.0", files: two, manifest: { engines: { node: ">=20" } } });
  registry.publish({
    name: "@tiny/core",
    version: "1.0.0",
    files:
      '//- index.d.ts\nexport function gone(): void;\nexport function same(text: string): void;\nexport { walk as longer } from "deep";\nexport { older } from "unknown";\n',
    manifest: { dependencies: { deep: "^1.0.0" } },
  });
  registry.publish({
    name: "deep",
    version: "1.2.0",
    files: "//- index.d.ts\nexport function walk(one: string, two: string): void;\nexport function part(): void;\n",
  });
  registry.publish({ name: "odd", version: "1.0.0", files: "//- index.js\n" });
  registry.publish({
    name: "odd",
    version: "2.0.0",
    files: "//- index.js\n",
    manifest: { deprecated: "it is @tiny/core\nnow" },
  });
  registry.publish({
    name: "loader",
    version: "2.0.0",
    files: "//- index.js\nexport default 1;\n",
    manifest: { type: "module", repository: "shop/loader" },
  });
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
  await registry?.[Symbol.asyncDispose]();
});

const run = (...args: string[]) =>
  runHere(["upgrade", ...args], { cwd: path.join(folder.path, "shop"), env: { HOME: folder.path } });

async function reportOf(...args: string[]): Promise<UpgradeReport> {
  const { stdout, stderr } = await run(...args, "--json");
  expect(stderr).toBe("");
  return UpgradeReport.parse(JSON.parse(stdout));
}

test("lists what of the project's uses is removed, changed, deprecated or noted, each with its places", async () => {
  const { findings, from, to, files, sections } = await reportOf("tiny");
  expect([from.version, to.version, files]).toEqual(["1.0.0", "2.0.0", 1]);
  const brief = findings.map(({ name, change, certainty }) => `${name}: ${change}, ${certainty}`);
  expect(brief).toEqual([
    "gone: removed, certain",
    "tiny/part: removed, certain",
    "part: removed, certain",
    "older: deprecated, certain",
    "longer: changed, likely",
    "same: noted, likely",
    "cut.ellipsis: removed, possible",
    "newCut.height: removed, possible",
    "node: requires, possible",
  ]);
  const [gone] = findings;
  expect(gone?.uses.map(({ path: file, startLine }) => `${file}:${startLine}`)).toEqual([
    "src/use.ts:1",
    "src/use.ts:4",
  ]);
  expect(gone?.before).toMatchObject({ resource: "npm:tiny@1.0.0", path: "index.d.ts", startLine: 2 });
  expect(gone?.after).toBeUndefined();
  expect(gone?.notes).toMatchObject([{ resource: "npm:tiny@2.0.0", path: "CHANGELOG.md", text: "  - `gone()`" }]);
  const same = findings.find(({ name }) => name === "same");
  expect(same?.notes.map(({ text }) => text)).toEqual(["- `same()` now throws for an empty text."]);
  expect(sections.map(({ text }) => text)).toEqual(["## 2.0.0"]);
});

test("prints it for people, and as Markdown whose citations are verified", async () => {
  const { code, stdout } = await run("tiny", "--to", "2");
  expect(code).toBe(0);
  expect(stdout).toContain("tiny 1.0.0 → 2.0.0: 9 findings, 4 of them certain, for 6 names in 1 file that use it.\n");
  expect(stdout).toContain(
    "gone  removed, certain\n" +
      '  yours   import { gone, longer, older, same, tiny as cut } from "tiny";  shop:src/use.ts:1\n' +
      "  yours   gone();  shop:src/use.ts:4\n" +
      "  before  export function gone(): void;  npm:tiny@1.0.0:index.d.ts:2\n" +
      "  noted   - `gone()`  npm:tiny@2.0.0:CHANGELOG.md:10\n",
  );
  const report = path.join(folder.path, "shop", "report.md");
  await writeFile(report, (await run("tiny", "--format", "markdown")).stdout);
  const verified = await runHere(["verify", report], {
    cwd: path.join(folder.path, "shop"),
    env: { HOME: folder.path },
  });
  expect(verified.stdout).toMatch(/\d+ citations?.* verified/);
  expect(verified.code).toBe(0);
});

test("what is of no line of code is of the manifest's line", async () => {
  const { findings } = await reportOf("tiny");
  expect(findings.at(-1)).toMatchObject({
    name: "node",
    useCount: 1,
    uses: [{ resource: "shop", path: "package.json", startLine: 2 }],
  });
});

test("is SARIF for code scanning: a result for each line, its level by certainty, both versions related", async () => {
  const { stdout } = await run("tiny", "--to", "2.0.0", "--format", "sarif");
  const [log] = parseSarif(stdout).runs;
  const { results = [], originalUriBaseIds = {}, automationDetails } = log ?? {};
  expect(automationDetails).toEqual({ id: "citewell-upgrade/npm:tiny/" });
  expect(Object.keys(originalUriBaseIds).toSorted()).toEqual(["npm:tiny@1.0.0", "npm:tiny@2.0.0", "shop"]);
  const [first] = results;
  expect(first).toMatchObject({
    ruleId: "upgrade-removed",
    level: "error",
    message: { text: "gone: removed (certain), tiny 1.0.0 → 2.0.0." },
    locations: [
      { physicalLocation: { artifactLocation: { uri: "src/use.ts", uriBaseId: "shop" }, region: { startLine: 1 } } },
    ],
  });
  const related = first?.relatedLocations?.map(
    ({ message, physicalLocation: { artifactLocation, region } }) =>
      `${message.text} | ${artifactLocation.uriBaseId}:${artifactLocation.uri}:${region.startLine}`,
  );
  expect(related).toEqual([
    "before: export function gone(): void; | npm:tiny@1.0.0:index.d.ts:2",
    "changelog: - `gone()` | npm:tiny@2.0.0:CHANGELOG.md:10",
  ]);
  const { findings } = await reportOf("tiny", "--to", "2.0.0");
  expect(results).toHaveLength(findings.reduce((sum, { uses }) => sum + Math.max(1, uses.length), 0));
  expect(new Set(results.map(({ level }) => level))).toEqual(new Set(["error", "warning", "note"]));
  expect(new Set(results.map(({ partialFingerprints }) => JSON.stringify(partialFingerprints))).size).toBe(
    results.length,
  );
});

test("one format is written", async () => {
  expect((await run("tiny", "--format", "json")).stdout).toBe((await run("tiny", "--json")).stdout);
  expect(await run("tiny", "--json", "--format", "sarif")).toMatchObject({
    code: 2,
    stdout: expect.stringContaining("--json and --format sarif cannot be used together"),
  });
});

test("a package that can no longer be required is said", async () => {
  const { findings } = await reportOf("loader");
  expect(findings).toMatchObject([
    { name: "import only", change: "requires", uses: [{ path: "src/load.js", startLine: 1 }] },
  ]);
});

test("where the package has no changelog, the report names its repository", async () => {
  const { notes } = await reportOf("loader");
  expect(notes[0]).toBe(
    "what a changelog says: the package contains none of these versions, its repository https://github.com/shop/loader may",
  );
});

test("the changelog may be in another folder", async () => {
  const notes = await temporaryFolder("//- CHANGELOG.md\n## 2.0.0\n\n- `load()` must now be awaited.\n");
  const { sections, notes: unseen } = await reportOf("loader", "--changelog", notes.path);
  expect(sections).toMatchObject([{ path: "CHANGELOG.md", text: "## 2.0.0" }]);
  expect(unseen.join("\n")).not.toContain("what a changelog says");
  await notes[Symbol.asyncDispose]();
});

test("compares with another package, which replaces it", async () => {
  const { findings, to, notes } = await reportOf("tiny", "--to", "@tiny/core@1");
  expect(to).toMatchObject({ package: "@tiny/core", version: "1.0.0", resource: "npm:@tiny/core@1.0.0" });
  const names = findings.filter(({ change }) => change === "removed").map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["tiny/part", "part"]));
  expect(names).not.toContain("gone");
  // What it exports of another package is read there, if its manifest asks for that.
  const longer = findings.find(({ name }) => name === "longer");
  expect(longer).toMatchObject({ change: "changed", after: { path: "index.d.ts", startLine: 1 } });
  expect(longer?.after?.resource).toBe("npm:deep@^1.0.0");
  expect(notes.join("\n")).not.toContain("unknown");
  const { stdout } = await run("tiny", "--to", "npm:@tiny/core");
  expect(stdout).toContain("tiny 1.0.0 → @tiny/core 1.0.0: ");
});

test("says where a package goes on: its next major under another name, or what the registry says of it", async () => {
  await using proxy = await startGoProxy();
  const files = { "it.go": "package demo\n\nfunc Run() {}\n" };
  const next = {
    "go.mod": "// Deprecated: use example.org/other\nmodule example.org/demo/v3\n",
    "it.go": "package demo\n",
  };
  proxy.publish({ module: "example.org/demo", version: "v1.0.0", files });
  proxy.publish({ module: "example.org/demo", version: "v1.1.0", files });
  proxy.publish({ module: "example.org/demo/v2", version: "v2.0.0", files });
  proxy.publish({ module: "example.org/demo/v3", version: "v3.1.0", files: next });
  await using go = await temporaryFolder(
    `//- mine/go.mod\nmodule example.org/mine\n\ngo 1.22\n\nrequire example.org/demo v1.0.0\n//- mine/main.go\npackage main\n\nimport "example.org/demo"\n\nfunc main() {\n\tdemo.Run()\n}\n`,
  );
  const upgrade = async (...args: string[]) => {
    const env = { HOME: go.path, GOPROXY: proxy.url };
    // The end of a name is enough where no other dependency has it.
    const { stdout } = await runHere(["upgrade", "demo", ...args, "--json"], {
      cwd: path.join(go.path, "mine"),
      env,
    });
    return UpgradeReport.parse(JSON.parse(stdout));
  };
  const newest = await upgrade();
  expect([newest.to.version, newest.elsewhere]).toEqual([
    "v1.1.0",
    "Its major version 3 has a name of its own: example.org/demo/v3 (v3.1.0).",
  ]);
  const major = await upgrade("--to", "3");
  expect([major.to.package, major.elsewhere]).toEqual([
    "example.org/demo/v3",
    "Its registry says that it is deprecated: use example.org/other",
  ]);
  expect(major.findings.map(({ name, change }) => `${name} ${change}`)).toEqual(["demo.Run removed"]);
  expect((await run("odd", "--to", "2")).stdout).toMatch(
    /^odd 1\.0\.0 → 2\.0\.0: .* Its registry says that it is deprecated: it is @tiny\/core now\n/,
  );
});

test("says what is wrong with a package or a version", async () => {
  expect((await run("tinny")).stderr).toMatch(
    /^error: the project does not depend on "tinny"\nhint: did you mean tiny\?/,
  );
  expect((await run("tiny", "--to", "9")).stderr).toMatch(/^error: tiny has no version or tag "9"/);
  expect((await run("tiny", "--to", "1")).stderr).toMatch(/^error: tiny 1\.0\.0 is in use already\nhint: /);
  expect((await run("tiny", "--to", "@tiny/other@1")).stderr).toMatch(/^error: .*@tiny\/other/);
});

test("a question is answered with the same findings, each cited", async () => {
  const ask = async (question: string) => {
    const options = { cwd: path.join(folder.path, "shop"), env: { HOME: folder.path } };
    const { stdout } = await runHere(["ask", "--provider", "builtin", "--json", "-q", question], options);
    return JSON.parse(stdout);
  };
  const { text, citations } = await ask("What breaks if we upgrade tiny to 2?");
  expect(text).toContain("tiny 1.0.0 → 2.0.0: 9 findings, 4 of them certain");
  expect(text).toContain("**`gone`**: removed, certain");
  expect(new Set(citations.map(({ state }: { state: string }) => state))).toEqual(new Set(["verified"]));
  expect(citations.map(({ resource, path: file }: Record<string, string>) => `${resource} ${file}`)).toEqual(
    expect.arrayContaining(["shop src/use.ts", "npm:tiny@1.0.0 index.d.ts", "npm:tiny@2 CHANGELOG.md"]),
  );
  expect((await ask("What breaks if we upgrade elsewhere to 2?")).text).toContain(
    'There is no report on that upgrade: the project does not depend on "elsewhere".',
  );
});

test("a model has the tool if the question is for an upgrade, and what it cites of it is verified", async () => {
  await using model = await scriptedModel(({ body }) =>
    body.messages.some(({ role }) => role === "tool")
      ? { text: ["It loses gone [[npm:tiny@1.0.0:index.d.ts#L2]]."] }
      : { toolCalls: [{ name: "upgrade", input: { package: "tiny", to: "2" } }] },
  );
  const home = await temporaryFolder(`//- citewell.config.jsonc\n${JSON.stringify(model.config)}\n`);
  const env = { HOME: folder.path, CITEWELL_HOME: home.path };
  const ask = (question: string) =>
    runHere(["ask", "--json", "-q", question], { cwd: path.join(folder.path, "shop"), env });
  const { citations } = JSON.parse((await ask("What breaks if we upgrade tiny to 2?")).stdout);
  expect(citations).toMatchObject([{ resource: "npm:tiny@1.0.0", path: "index.d.ts", state: "verified" }]);
  expect(JSON.stringify(model.requests[0]?.body)).toContain('"name":"upgrade"');
  await ask("What does same do?");
  expect(JSON.stringify(model.requests[2]?.body)).not.toContain('"name":"upgrade"');
  await home[Symbol.asyncDispose]();
});
