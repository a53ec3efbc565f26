import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { startInTerminal } from "../support/pty.ts";

const run = (folder: Folder, ...args: string[]) => runHere(args, { cwd: folder.path });
const read = (folder: Folder, name: string) => readFile(path.join(folder.path, name), "utf8");

test("in a terminal it asks where fetched resources are kept", async () => {
  await using folder = await temporaryFolder();
  const session = startInTerminal(["init"], { cwd: folder.path });
  await session.sees("Where should fetched resources be stored?");
  session.type("\r");
  expect(await session.exit).toBe(0);
  expect(await read(folder, "citewell.config.jsonc")).toContain('"dataDirectory": ".citewell"');
});

test("without a terminal it ends with 2 and names the option", async () => {
  await using folder = await temporaryFolder();
  expect(await run(folder, "init")).toMatchObject({ code: 2, stderr: expect.stringContaining("(--storage)") });
});

test("what it writes is a configuration that counts, and keeps its comments when it grows", async () => {
  await using folder = await temporaryFolder();
  const { code, stdout } = await run(folder, "init", "--storage", "local", "--json");
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, storage: "local" });
  const status = JSON.parse((await run(folder, "status", "--json")).stdout);
  expect(status).toMatchObject({ dataDirectory: path.join(folder.path, ".citewell"), warnings: [] });
  await run(folder, "add", "npm:left-pad");
  expect(await read(folder, "citewell.config.jsonc")).toMatch(/\/\/ Resources in addition[^]*"left-pad"/);
});

test("global storage names no data directory", async () => {
  await using folder = await temporaryFolder("//- .git/HEAD\nref: refs/heads/main\n");
  expect(await run(folder, "init", "--storage", "global")).toMatchObject({ code: 0 });
  expect(await read(folder, "citewell.config.jsonc")).not.toContain("dataDirectory");
  await expect(read(folder, ".gitignore")).rejects.toThrow("ENOENT");
});

test("a file that is there is kept, and replaced with --force", async () => {
  await using folder = await temporaryFolder('//- citewell.config.jsonc\n{ "model": "x" }\n');
  const { code, stderr } = await run(folder, "init", "--storage", "local");
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/already exists[^]*--force/) });
  expect(await read(folder, "citewell.config.jsonc")).toBe('{ "model": "x" }\n');
  expect(await run(folder, "init", "--storage", "local", "-f")).toMatchObject({ code: 0 });
  expect(await read(folder, "citewell.config.jsonc")).toContain("dataDirectory");
});

test("in a repository .citewell/ is added to .gitignore, once, and not where that is not wanted", async () => {
  await using folder = await temporaryFolder("//- .git/HEAD\nref: refs/heads/main\n//- .gitignore\ndist");
  await run(folder, "init", "--storage", "local", "--no-gitignore");
  expect(await read(folder, ".gitignore")).toBe("dist");
  await run(folder, "init", "--storage", "local", "--force");
  await run(folder, "init", "--storage", "local", "--force");
  expect(await read(folder, ".gitignore")).toBe("dist\n.citewell/\n");
});

test("the global configuration's folder is not a project", async () => {
  await using folder = await temporaryFolder();
  const home = path.join(folder.path, ".home");
  await mkdir(home);
  const { code, stderr } = await runHere(["init", "--storage", "local"], { cwd: home, env: { CITEWELL_HOME: home } });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("this folder is not a project") });
});
