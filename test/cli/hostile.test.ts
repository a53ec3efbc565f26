import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { citewellFile, cliEnvironment, runCli, startCli } from "../support/cli.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";

/** The paths that a search of `./tree` finds, as one JSON document tells them. */
async function find(folder: Folder, ...args: string[]): Promise<string[]> {
  const { stdout } = await runCli(["search", "-r", "./tree", "--json", ...args], { cwd: folder.path });
  return JSON.parse(stdout).results.map((hit: { path: string }) => hit.path);
}

/** `tree/f0.ts` and so on: enough that an index takes a while. */
async function folderOf(fileCount: number): Promise<Folder> {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder.path, "tree"));
  for (let number = 0; number < fileCount; number++) {
    writeFileSync(path.join(folder.path, "tree", `f${number}.ts`), `export const value${number} = ${number};\n`);
  }
  return folder;
}

/** A module for `--import`, which ends the process when it has written a first file of the index. Another process may be late. */
function endingAtIndex(index: string, signal: NodeJS.Signals): Record<string, string> {
  const module = `import { watch } from "node:fs";
import { isMainThread } from "node:worker_threads";
if (isMainThread && process.argv.includes("search")) {
  const watcher = watch(${JSON.stringify(index)}, { persistent: false });
  watcher.once("change", () => process.kill(process.pid, "${signal}"));
}`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}` };
}

test("a file is found among 10,000 of its folder", async () => {
  await using folder = await folderOf(10_000);
  expect(await find(folder, "value9876", "--limit", "1")).toEqual(["f9876.ts"]);
  expect(await find(folder, "--exact", "value9877 =")).toEqual(["f9877.ts"]);
});

describe("a search that is ended while it makes its index", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGKILL", null],
  ] as const)("%s: the next one finds everything", async (signal, expected) => {
    await using folder = await folderOf(2000);
    const index = path.join(folder.path, ".home", "data", "index");
    await mkdir(index, { recursive: true });
    const env = endingAtIndex(index, signal);
    const [code] = await once(startCli(["search", "-r", "./tree", "value"], { cwd: folder.path, env }), "exit");
    expect(code).toBe(expected);
    expect(await find(folder, "value1987", "--limit", "1")).toEqual(["f1987.ts"]);
    if (signal === "SIGKILL") return;
    expect((await readdir(index)).filter((name) => !/\.(?:index|segment)$/.test(name))).toEqual([]);
  });
});

test("where no file may be written that is as large as an index, a search answers", async () => {
  await using folder = await folderOf(200);
  const limited = 'ulimit -f 1; exec "$0" "$@"';
  const args = ["-c", limited, process.execPath, citewellFile, "search", "-r", "./tree", "value199", "--limit", "1"];
  const stdout = execFileSync("sh", args, { cwd: folder.path, env: cliEnvironment(folder.path), encoding: "utf8" });
  expect(stdout).toMatch(/f199\.ts:1\n/);
});

test("a configuration that does not fit on the disk any more stays as it was", async () => {
  await using folder = await temporaryFolder("//- demo/a.ts\nexport {};\n");
  const config = path.join(folder.path, ".home", "citewell.config.jsonc");
  // Larger than a file may be by then: 512 or 1024 bytes.
  const before = `{\n  // ${"x".repeat(2000)}\n  "resources": []\n}\n`;
  await mkdir(path.dirname(config), { recursive: true });
  await writeFile(config, before);
  const args = ["-c", 'ulimit -f 1; exec "$0" "$@"', process.execPath, citewellFile, "add", "./demo", "--global"];
  const { status, stderr } = spawnSync("sh", args, {
    cwd: folder.path,
    env: cliEnvironment(folder.path),
    encoding: "utf8",
  });
  expect(stderr).toMatch(/citewell\.config\.jsonc: EFBIG/);
  expect(status).not.toBe(0);
  expect(await readFile(config, "utf8")).toBe(before);
  expect((await readdir(path.dirname(config))).filter((name) => name.startsWith("citewell.config"))).toEqual([
    "citewell.config.jsonc",
  ]);
});

test.skipIf(process.platform === "win32")("in a folder that was deleted, one line says so", async () => {
  await using folder = await temporaryFolder();
  const script = `mkdir gone && cd gone && rmdir ../gone && exec "${process.execPath}" "${citewellFile}" ask "What is it?"`;
  const { status, stderr } = spawnSync("sh", ["-c", script], {
    cwd: folder.path,
    env: cliEnvironment(folder.path),
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([
    1,
    "error: the current folder does not exist any more\nhint: change to another folder first\n",
  ]);
});

test("nothing in a name or a line reaches the terminal as it is", async () => {
  await using folder = await temporaryFolder();
  const tree = path.join(folder.path, "tree");
  await mkdir(tree);
  const names = [
    "\u001B]0;title\u0007.ts",
    "line\nend.ts",
    "\u202Egnp.ts",
    "-rf",
    "--json",
    "tab\t.ts",
    "\u009B2J.ts",
    "\u{1F600}.ts",
  ];
  for (const name of names) await writeFile(path.join(tree, name), `needle ${name} \u001B[2J\u0008\u2066\n`);
  await symlink("\u001B[31m", path.join(tree, "link"));
  const { code, stdout, stderr } = await runCli(["search", "-r", "./tree", "--exact", "needle"], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout.match(/\bneedle\b/g)).toHaveLength(names.length);
  expect(`${stdout}${stderr}`).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  expect(stderr).toBe("1 file (a link to nothing) was not searched; --json says which\n");
});

test("every pattern comes to an end, and what it takes too long in is named", async () => {
  await using folder = await temporaryFolder("//- tree/b.ts\nneedle\n");
  const long = path.join(folder.path, "tree", "a.ts");
  await writeFile(long, `${"x".repeat(4_000_000)}\n`);
  const patterns = ["(x+x+)+y|needle", "^(([a-z])+.)+[A-Z]([a-z])+$|needle", "(x*)*$y|needle", "(.*)\\1y|needle"];
  const batch = patterns.map((query, id) => JSON.stringify({ id, query })).join("\n");
  const options = { cwd: folder.path, stdin: batch };
  const { stdout } = await runCli(["search", "-r", "./tree", "--regex", "--batch", "-"], options);
  for (const line of stdout.trim().split("\n")) expect(JSON.parse(line).results).toMatchObject([{ path: "b.ts" }]);
  expect(stdout.trim().split("\n")).toHaveLength(patterns.length);
  const { stdout: one } = await runCli(["search", "-r", "./tree", "--json", "--regex", "(x+x+)+y|needle"], options);
  const reason = "the pattern takes too long in it; a simpler one may not";
  expect(JSON.parse(one).skipped).toMatchObject([{ path: "a.ts", reason }]);
});
