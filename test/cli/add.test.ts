import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startInTerminal } from "../support/pty.ts";

const enter = "\r";
/** No server listens there, so that what was added is not looked for outside. */
const offline = { HTTPS_PROXY: "http://127.0.0.1:1", NPM_CONFIG_REGISTRY: "http://127.0.0.1:1/" };

test("without an argument a wizard asks for what is needed", async () => {
  await using folder = await temporaryFolder();
  const session = startInTerminal(["add"], { cwd: folder.path, env: offline });
  await session.sees("What should be added?");
  session.type(`https://github.com/honojs/hono${enter}`);
  await session.sees("Its name in questions");
  session.type(enter);
  await session.sees("Branch, tag or commit");
  session.type(enter);
  await session.sees("Read only below this path");
  session.type(`docs${enter}`);
  await session.sees("Notes for the model");
  session.type(enter);
  expect(await session.exit).toBe(0);
  const { stdout } = await runHere(["resources", "--json"], { cwd: folder.path });
  expect(JSON.parse(stdout).resources.at(-1)).toMatchObject({
    name: "hono",
    url: "https://github.com/honojs/hono",
    branch: "main",
    searchPaths: ["docs"],
    specialNotes: null,
  });
});

test("the wizard refuses a folder that is not there, and takes another", async () => {
  await using folder = await temporaryFolder("//- here/a.ts\n1\n");
  const session = startInTerminal(["add", "--name", "mine", "--notes", "ours"], { cwd: folder.path });
  await session.sees("What should be added?");
  session.type(`./her${enter}`);
  await session.sees("there is no folder");
  session.type(`e${enter}`);
  expect(await session.exit).toBe(0);
  expect(session.output()).toContain("added mine (local");
});

test("owner/repository is a folder if there is one; else the error names the repository's URL", async () => {
  await using folder = await temporaryFolder("//- honojs/hono/a.ts\n1\n");
  const add = (text: string) => runHere(["add", text], { cwd: folder.path });
  expect(await add("honojs/hono")).toMatchObject({ code: 0, stdout: expect.stringContaining("added hono (local") });
  expect(await add("sindresorhus/ky")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      'error: there is no folder "sindresorhus/ky", and a repository needs its URL\n' +
      "hint: for the repository: citewell add https://github.com/sindresorhus/ky; for a folder: citewell add ./sindresorhus/ky\n",
  });
  const asked = await runHere(["ask", "-q", "How?", "-r", "sindresorhus/ky"], { cwd: folder.path });
  expect(asked).toMatchObject({ code: 3, stderr: expect.stringContaining("as https://github.com/sindresorhus/ky, ") });
});

test("the wizard does not ask what the options say", async () => {
  await using folder = await temporaryFolder();
  const session = startInTerminal(["add", "--name", "pad", "--notes", "ours"], { cwd: folder.path, env: offline });
  await session.sees("What should be added?");
  session.type(`npm:left-pad${enter}`);
  expect(await session.exit).toBe(0);
  expect(session.output()).toContain("added pad (npm left-pad)");
});

test.each([
  ["a package", ["npm:left-pad", "-b", "dev"]],
  ["a bare name", ["left-pad", "-s", "lib"]],
  ["a folder", ["./here", "-b", "dev", "-s", "lib"]],
])("options for git are refused with %s", async (_kind, args) => {
  await using folder = await temporaryFolder("//- here/a.ts\n1\n");
  const { code, stderr } = await runHere(["add", ...args], { cwd: folder.path });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("-b and -s are for git") });
});

test("--global with --server is refused: the server chooses its file", async () => {
  await using folder = await temporaryFolder();
  const run = (...args: string[]) => runHere([...args, "-g", "--server", "http://127.0.0.1:1"], { cwd: folder.path });
  expect(await run("add", "npm:left-pad")).toMatchObject({ code: 2 });
  expect(await run("remove", "left-pad")).toMatchObject({ code: 2 });
});

test("says whether a resource is for this project or for every one, and which examples are gone", async () => {
  await using folder = await temporaryFolder("//- app/package.json\n{}\n//- other/package.json\n{}\n");
  const run = async (project: string, ...args: string[]) => {
    const env = { HOME: folder.path, CITEWELL_HOME: path.join(folder.path, ".home") };
    return runHere(args, { cwd: path.join(folder.path, project), env });
  };
  const first = await run("app", "add", "npm:left-pad");
  expect(first.stdout).toMatch(/, for every project\n$/);
  expect(first.stderr).toContain("run citewell init there before you add it");
  expect(first.stderr).toContain("the examples express, zod, typescript are no longer listed");
  await run("other", "init", "--storage", "global");
  const second = await run("other", "add", "npm:right-pad");
  expect(second).toMatchObject({ stderr: "", stdout: expect.stringMatching(/, for this project\n$/) });
  const both = await run("other", "add", "npm:left-pad@1.3.0");
  expect(both).toMatchObject({ code: 0, stderr: expect.stringContaining("in this project this one is used") });
});

test("the wizard asks whether it is for this project or for every one", async () => {
  await using folder = await temporaryFolder("//- app/package.json\n{}\n");
  const cwd = path.join(folder.path, "app");
  const env = { ...offline, HOME: folder.path, CITEWELL_HOME: path.join(folder.path, ".home") };
  const session = startInTerminal(["add", "--name", "pad", "--notes", "ours"], { cwd, env });
  await session.sees("What should be added?");
  session.type(`npm:left-pad${enter}`);
  await session.sees("Which questions is it for?");
  session.type(enter);
  expect(await session.exit).toBe(0);
  expect(session.output()).toContain("for this project");
  expect(await readFile(path.join(cwd, "citewell.config.jsonc"), "utf8")).toContain("left-pad");
});

test("Ctrl+C leaves the wizard, and changes nothing", async () => {
  await using folder = await temporaryFolder();
  const session = startInTerminal(["add"], { cwd: folder.path });
  await session.sees("What should be added?");
  session.type("\u0003");
  expect(await session.exit).toBe(130);
  const { stdout } = await runHere(["resources", "--json"], { cwd: folder.path });
  expect(JSON.parse(stdout).resources).toHaveLength(3);
});

test("--no-input in a terminal ends with 2 and names the argument", async () => {
  await using folder = await temporaryFolder();
  const session = startInTerminal(["add", "--no-input"], { cwd: folder.path });
  expect(await session.exit).toBe(2);
  expect(session.output()).toContain("(url-or-path)");
});

test("without a terminal it ends with 2 and names the argument, as JSON where that is wanted", async () => {
  await using folder = await temporaryFolder();
  const { code, stdout } = await runHere(["add", "--json"], { cwd: folder.path });
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ tag: "InvalidUsage", error: expect.stringContaining("url-or-path") });
});
