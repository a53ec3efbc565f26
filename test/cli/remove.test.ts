import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startInTerminal } from "../support/pty.ts";

test("without a name the resources are offered to choose from", async () => {
  await using folder = await temporaryFolder();
  const session = startInTerminal(["remove"], { cwd: folder.path });
  await session.sees("Which resource is to be removed?");
  session.type("\u001B[B\r");
  expect(await session.exit).toBe(0);
  expect(session.output()).toContain("removed zod from");
});

test("without a name and without a terminal it ends with 2 and names the argument", async () => {
  await using folder = await temporaryFolder();
  const { code, stderr } = await runCli(["remove"], { cwd: folder.path, stdin: "" });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("(name)") });
});

test("--global takes it from the global file, also where the project has one of that name", async () => {
  const resources = [{ type: "npm", name: "pad", package: "left-pad" }];
  await using folder = await temporaryFolder(
    `//- citewell.config.jsonc\n${JSON.stringify({ resources })}\n//- .home/citewell.config.jsonc\n${JSON.stringify({ resources })}\n`,
  );
  expect(await runCli(["remove", "pad", "--global"], { cwd: folder.path })).toMatchObject({ code: 0 });
  expect(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8")).toContain("left-pad");
  expect(await readFile(path.join(folder.path, ".home/citewell.config.jsonc"), "utf8")).not.toContain("left-pad");
  expect(await runCli(["remove", "pad", "--global"], { cwd: folder.path })).toMatchObject({ code: 3 });
});
