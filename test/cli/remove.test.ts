import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startInTerminal } from "../support/pty.ts";

test("without a name the resources are offered to choose from", async () => {
  await using folder = await temporaryFolder();
  const session = startInTerminal(["remove"], { cwd: folder.path });
  await session.sees("Which resource should be removed?");
  session.type("\u001B[B\r");
  expect(await session.exit).toBe(0);
  expect(session.output()).toContain("removed zod from");
});

test("without a name and without a terminal it ends with 2 and names the argument", async () => {
  await using folder = await temporaryFolder();
  const { code, stderr } = await runHere(["remove"], { cwd: folder.path });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("(name)") });
});

test("--dry-run says which file it would go from, and removes nothing", async () => {
  await using folder = await temporaryFolder(
    '//- citewell.config.jsonc\n{ "resources": [{ "type": "npm", "name": "pad", "package": "left-pad" }] }\n',
  );
  const run = (...args: string[]) => runHere(["remove", ...args, "--dry-run"], { cwd: folder.path });
  const file = path.join(folder.path, "citewell.config.jsonc");
  expect(await run("pad")).toMatchObject({ code: 0, stdout: `would remove pad from ${file}\n` });
  expect(await readFile(file, "utf8")).toContain("left-pad");
  expect(await run("gone")).toMatchObject({ code: 3, stderr: expect.stringContaining('no resource named "gone"') });
});

test("--global takes it from the global file, also where the project has one of that name", async () => {
  const resources = [{ type: "npm", name: "pad", package: "left-pad" }];
  await using folder = await temporaryFolder(
    `//- citewell.config.jsonc\n${JSON.stringify({ resources })}\n//- .home/citewell.config.jsonc\n${JSON.stringify({ resources })}\n`,
  );
  expect(await runHere(["remove", "pad", "--global"], { cwd: folder.path })).toMatchObject({ code: 0 });
  expect(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8")).toContain("left-pad");
  expect(await readFile(path.join(folder.path, ".home/citewell.config.jsonc"), "utf8")).not.toContain("left-pad");
  expect(await runHere(["remove", "pad", "--global"], { cwd: folder.path })).toMatchObject({ code: 3 });
});

test("a resource that breaks a rule stops nothing, is warned of, and goes by its name", async () => {
  await using folder = await temporaryFolder(`//- lib/a.ts
export const greeting = "hello";
//- citewell.config.jsonc
{ "resources": [{ "type": "git", "name": "bad", "url": "http://h/r" }, { "type": "local", "name": "lib", "path": "lib" }] }
`);
  const options = { cwd: folder.path, env: { CI: "1" } };
  const asked = await runCli(["ask", "-q", "What is greeting?", "-r", "lib", "--json"], options);
  expect(asked.code).toBe(0);
  expect(asked.stderr).toMatch(
    /^warning: .*citewell\.config\.jsonc:1:56: resources\[0\]\.url: .*citewell remove bad$/m,
  );
  expect(JSON.parse(asked.stdout).warnings).toEqual([expect.stringContaining("a git URL must use https")]);
  const checked = await runCli(["status"], options);
  expect(checked.stderr.match(/^warning: /gm)).toHaveLength(1);
  expect((await runCli(["resources", "--quiet"], options)).stderr).toBe("");
  expect((await runCli(["doctor"], options)).stdout).toContain("a git URL must use https");
  expect(await runCli(["remove", "bad"], options)).toMatchObject({ code: 0, stderr: "" });
  expect((await runCli(["resources"], options)).stderr).toBe("");
});
