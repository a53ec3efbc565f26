import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { runCli } from "../support/cli.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { scriptedModel } from "../support/scripted-model.ts";

const home = `
//- work/app/package.json
{ "name": "app", "dependencies": { "tiny": "1.2.3" } }
//- work/app/src/retry.ts
export function retryDelay(times: number): number {
  return 100 * times;
}
//- work/app/node_modules/tiny/package.json
{ "name": "tiny", "version": "1.2.3" }
//- work/app/node_modules/tiny/index.js
export const tinyDelay = 5;
//- notes/a.md
Nothing here.
`;

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder(home);
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Runs in a folder below the home directory, with a configuration of its own. */
function run(cwd: string, args: readonly string[], stdin?: string) {
  const env = { HOME: folder.path, CITEWELL_HOME: path.join(folder.path, ".home") };
  const place = { cwd: path.join(folder.path, cwd), env };
  return stdin === undefined ? runHere(args, place) : runCli(args, { ...place, stdin });
}

test("a question that names nothing is about the project around the working directory", async () => {
  const { code, stdout } = await run("work/app/src", ["ask", "-q", "What is retryDelay?", "--json"]);
  expect(code).toBe(0);
  const { resources, snapshots, citations } = JSON.parse(stdout);
  expect(resources).toEqual(["app"]);
  expect(snapshots).toMatchObject([{ resource: "app", type: "local", directory: path.join(folder.path, "work/app") }]);
  expect(citations[0]).toMatchObject({ resource: "app", path: "src/retry.ts", state: "verified" });
});

test("search and the list of resources follow the same rule", async () => {
  const found = await run("work/app", ["search", "retryDelay", "--json"]);
  expect(JSON.parse(found.stdout).results[0]).toMatchObject({ resource: "app", path: "src/retry.ts" });
  const listed = await run("work/app", ["resources", "--json"]);
  const rows: { name: string; origin: string }[] = JSON.parse(listed.stdout).resources;
  expect(rows.map(({ name, origin }) => `${name} ${origin}`)).toEqual([
    "app project",
    "express default",
    "zod default",
    "typescript default",
  ]);
});

test("@workspace and @. mention it, and an import alias is text", async () => {
  for (const mention of ["@workspace", "@."]) {
    const { stdout } = await run("work/app/src", ["ask", "-q", `${mention} What is retryDelay?`, "--json"]);
    expect(JSON.parse(stdout).resources).toEqual(["app"]);
  }
  const { code, stdout } = await run("work/app", ["ask", "-q", "Who imports retryDelay from @/lib/utils?", "--json"]);
  expect([code, JSON.parse(stdout).resources]).toEqual([0, ["app"]]);
});

test("a dependency that the question names is offered at its installed version", async () => {
  const { stdout, stderr } = await run("work/app", ["ask", "-q", "Does retryDelay use tiny?", "--json"]);
  expect(JSON.parse(stdout).offers).toEqual([{ reference: "npm:tiny", name: "tiny", version: "1.2.3" }]);
  expect(stderr).toContain("tiny 1.2.3 is installed here; to ask about it as well: -r app -r npm:tiny\n");
  const included = ["ask", "-q", "What is tinyDelay?", "-r", "app", "-r", "npm:tiny", "--json"];
  const { citations, offers } = JSON.parse((await run("work/app", included)).stdout);
  expect(citations[0]).toMatchObject({ resource: "npm:tiny", path: "index.js", state: "verified" });
  expect(offers).toBeUndefined();
});

test("a model opens what the question names, and the answer says so", async () => {
  await using model = await scriptedModel([
    { toolCalls: [{ name: "open", input: { package: "left" } }] },
    { toolCalls: [{ name: "open", input: { package: "tiny" } }] },
    { toolCalls: [{ name: "read", input: { path: "index.js", resource: "npm:tiny" } }] },
    { text: ["It waits [[npm:tiny:index.js#L1]]."] },
  ]);
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify(model.config)}`);
  const args = ["ask", "-q", "How long does tiny wait?"];
  const json = JSON.parse((await run("work/app", [...args, "--json"])).stdout);
  expect(json.resources).toEqual(["app", "npm:tiny"]);
  expect(json.opened).toMatchObject([{ resource: "npm:tiny", label: "tiny 1.2.3 (installed in node_modules)" }]);
  expect(json.citations).toMatchObject([{ resource: "npm:tiny", state: "verified" }]);
  expect(json.tools[0].state.output).toContain('"left" cannot be opened');
  await rm(path.join(folder.path, ".home"), { recursive: true });
});

test("what a configuration file lists is asked, too", async () => {
  await mkdir(path.join(folder.path, "work/app/.git"), { recursive: true });
  await folder.write(`
//- work/app/citewell.config.jsonc
{ "resources": [{ "type": "npm", "name": "tiny", "package": "tiny" }] }
`);
  const { stdout } = await run("work/app", ["ask", "-q", "What is tinyDelay?", "--json"]);
  expect(JSON.parse(stdout).resources).toEqual(["app", "tiny"]);
});

test("outside of a project nothing is added to the configured resources", async () => {
  const { stdout } = await run("notes", ["resources", "--json"]);
  const rows: { origin: string }[] = JSON.parse(stdout).resources;
  expect(rows.map(({ origin }) => origin)).toEqual(["default", "default", "default"]);
});

test("without a manifest and a repository, a folder with source files is the project", async () => {
  await folder.write(
    "//- trees/jq/COPYING\nMIT\n//- trees/jq/src/main.c\nint retryDelay(int times) {\n  return 100 * times;\n}\n",
  );
  for (const cwd of ["trees/jq", "trees/jq/src"]) {
    const { stdout } = await run(cwd, ["ask", "-q", "What is retryDelay?", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      resources: ["jq"],
      citations: [{ path: "src/main.c", state: "verified" }],
    });
  }
});

test.each(["ask", "search"])(
  "%s without a project and without a name is refused, and nothing is fetched",
  async (command) => {
    const { code, stdout, stderr } = await run("notes", [
      command,
      ...(command === "ask" ? ["-q"] : []),
      "retry policy",
    ]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(`there is no project in ${path.join(folder.path, "notes")}`);
    expect(stderr).toContain("name one (-r on the command line): express, zod or typescript, a repository URL");
  },
);
