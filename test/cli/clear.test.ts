import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type NpmRegistry, startNpmRegistry } from "../support/npm-registry.ts";
import { startInTerminal } from "../support/pty.ts";

let registry: NpmRegistry;
beforeAll(async () => {
  registry = await startNpmRegistry();
  registry.publish({ name: "pad", version: "1.0.0", files: "//- index.js\nexport const pad = 1;\n" });
});
afterAll(() => registry[Symbol.asyncDispose]());

/** A project with a package that was fetched, and a folder of its own. */
async function fetched() {
  const folder = await temporaryFolder("//- docs/a.md\n# Guide\n");
  const resources = [
    { type: "npm", name: "pad", package: "pad" },
    { type: "local", name: "docs", path: path.join(folder.path, "docs") },
  ];
  await folder.write(
    `//- .home/citewell.config.jsonc\n${JSON.stringify({ resources })}\n//- .npmrc\nregistry=${registry.url}\n`,
  );
  const run = (...args: string[]) => runHere(args, { cwd: folder.path });
  expect(await run("search", "pad", "-r", "pad")).toMatchObject({ code: 0 });
  return {
    path: folder.path,
    run,
    snapshots: () => readdir(path.join(folder.path, ".home/data/resources/snapshots")),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("without a terminal it clears what was fetched, and leaves folders alone", async () => {
  await using it = await fetched();
  const { code, stdout } = await it.run("clear", "--json");
  expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, schemaVersion: 1, cleared: 1 });
  expect(await readFile(path.join(it.path, "docs/a.md"), "utf8")).toBe("# Guide\n");
  expect(JSON.parse((await it.run("resources", "--json")).stdout).resources).toMatchObject([
    { name: "pad", state: "absent" },
    { name: "docs", state: "ready" },
  ]);
});

test("--dry-run says what would go, with its size, and removes nothing", async () => {
  await using it = await fetched();
  const { code, stdout } = await it.run("clear", "--dry-run");
  expect(code).toBe(0);
  expect(stdout).toMatch(/\.home\/data\/resources[^]*pad {2}\d+ B/);
  expect(await it.snapshots()).toHaveLength(1);
});

test("--dry-run without downloaded copies says that there is nothing", async () => {
  await using folder = await temporaryFolder();
  const { code, stdout } = await runHere(["clear", "--dry-run"], { cwd: folder.path });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^nothing to delete: /) });
});

test("in a terminal it says what goes and asks; --yes does not", async () => {
  await using it = await fetched();
  const session = startInTerminal(["clear"], { cwd: it.path });
  await session.sees("Delete them all?");
  session.type("n");
  expect(await session.exit).toBe(130);
  expect(await it.snapshots()).toHaveLength(1);
  const sure = startInTerminal(["clear", "--yes"], { cwd: it.path });
  expect(await sure.exit).toBe(0);
  expect(sure.output()).toContain("deleted the downloaded copies of 1 resource");
});
