import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { memoKind } from "../../support/memo-kind.ts";
import { commonJs } from "../../support/run-bundled.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);

/** A copy of the sources with the kind added, and nothing else changed. */
async function copyWithMemos() {
  const folder = await temporaryFolder();
  const inCopy = (file: string) => path.join(folder.path, file);
  for (const part of [
    "server",
    "client",
    "cli",
    "extension",
    "package.json",
    "tsconfig.json",
    "test/support/ask-memo.ts",
  ]) {
    await cp(path.join(root, part), inCopy(part), { recursive: true });
  }
  await symlink(path.join(root, "node_modules"), inCopy("node_modules"));
  for (const [file, edit] of Object.entries(memoKind)) {
    await mkdir(path.dirname(inCopy(file)), { recursive: true });
    if (typeof edit === "string") await writeFile(inCopy(file), edit);
    else await writeFile(inCopy(file), edit.reduce(replaceOnce, await readFile(inCopy(file), "utf8")));
  }
  return { path: inCopy, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

function replaceOnce(text: string, [before, after]: readonly [string, string]): string {
  expect(text.split(before)).toHaveLength(2);
  return text.replace(before, after);
}

test("a kind is added in the five files that the guide lists", async () => {
  const guide = await readFile(path.join(root, "docs/development/adding-a-resource.md"), "utf8");
  const listed = [...guide.matchAll(/^\d\. `([^`]+)`/gm)].map(([, file = ""]) => file.replace("<kind>", "memo"));
  const isListed = (file: string) => listed.some((path) => file === path || file.startsWith(path.replace("…", "")));
  expect(Object.keys(memoKind).filter((file) => !isListed(file))).toEqual([]);
  expect(listed).toHaveLength(5);
  expect(Object.keys(memoKind)).toHaveLength(5);
});

test(
  "with them it compiles, and is listed, searched and asked, by reference and by name",
  { timeout: 300_000 },
  async () => {
    await using copy = await copyWithMemos();
    await run(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", copy.path("")]);
    const outfile = copy.path("ask-memo.mjs");
    await build({
      entryPoints: [copy.path("test/support/ask-memo.ts")],
      outfile,
      bundle: true,
      platform: "node",
      target: "node20",
      format: "esm",
      mainFields: ["module", "main"],
      banner: { js: commonJs },
      logLevel: "error",
    });
    await using project = await temporaryFolder(`//- citewell.config.jsonc
{ "resources": [{ "type": "memo", "name": "note", "memo": "otters hold hands" }] }
`);
    const { stdout } = await run(process.execPath, [outfile, project.path]);
    expect(JSON.parse(stdout)).toMatchObject({
      reference: { type: "memo", canonical: "memo:otters-sleep-afloat", memo: "otters sleep afloat" },
      listings: [{ type: "memo", memo: "otters hold hands", url: null, package: null, state: "ready" }],
      oneOff: ["memo:otters-sleep-afloat memo.md: otters sleep afloat"],
      configured: ["note memo.md: otters hold hands"],
      answer: expect.stringContaining("otters sleep afloat"),
      snapshots: [{ resource: "memo:otters-sleep-afloat", type: "memo" }],
    });
  },
);
