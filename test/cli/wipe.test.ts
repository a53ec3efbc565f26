import { mkdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../support/cli.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { startInTerminal } from "../support/pty.ts";

const both = "//- citewell.config.jsonc\n{}\n//- .home/citewell.config.jsonc\n{ broken\n";
const run = (folder: Folder, ...args: string[]) => runCli(["wipe", ...args], { cwd: folder.path, stdin: "" });
const files = (folder: Folder) =>
  ["citewell.config.jsonc", ".home/citewell.config.jsonc"].map((name) => path.join(folder.path, name));

test("--yes deletes both files, also a broken one, and reports each", async () => {
  await using folder = await temporaryFolder(both);
  const [project, global] = files(folder);
  const { code, stdout } = await run(folder, "--yes");
  expect({ code, stdout }).toEqual({ code: 0, stdout: `removed  ${project}\nremoved  ${global}\n` });
  expect((await run(folder, "--yes")).stdout).toBe(`missing  ${project}\nmissing  ${global}\n`);
});

test("a file that cannot be deleted is reported, and exits with 1", async () => {
  await using folder = await temporaryFolder();
  const [project = ""] = files(folder);
  await mkdir(project);
  const { code, stdout } = await run(folder, "--yes", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ removed: [], failed: [{ path: project, error: expect.any(String) }] });
});

test("--dry-run deletes nothing", async () => {
  await using folder = await temporaryFolder(both);
  expect((await run(folder, "--dry-run")).stdout).toMatch(/^would remove {2}[^\n]*\nwould remove/);
  for (const file of files(folder)) expect((await stat(file)).isFile()).toBe(true);
});

test("without --yes and without a terminal it refuses", async () => {
  await using folder = await temporaryFolder(both);
  expect(await run(folder)).toMatchObject({ code: 2, stderr: expect.stringContaining("(--yes)") });
  expect(await readFile(files(folder)[0] ?? "", "utf8")).toBe("{}\n");
});

test("in a terminal it shows what goes, and no is the default", async () => {
  await using folder = await temporaryFolder(both);
  const session = startInTerminal(["wipe"], { cwd: folder.path });
  await session.sees("Delete these files?");
  expect(session.output()).toContain("citewell.config.jsonc");
  session.type("\r");
  expect(await session.exit).toBe(130);
  expect((await stat(files(folder)[0] ?? "")).isFile()).toBe(true);

  const again = startInTerminal(["wipe"], { cwd: folder.path });
  await again.sees("Delete these files?");
  again.type("y");
  expect(await again.exit).toBe(0);
  await expect(stat(files(folder)[0] ?? "")).rejects.toThrow("ENOENT");
});
