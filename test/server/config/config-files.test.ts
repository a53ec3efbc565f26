import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { findConfigFiles } from "../../../server/config/config-files.ts";

async function check(files: Record<string, string>, { home }: { home: string }, expected: object): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-config-files-"));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  const env = { CITEWELL_HOME: path.join(folder, home) };
  const found = await findConfigFiles({ cwd: folder, env, platform: "linux", homeDirectory: folder });
  const text = JSON.stringify(found).replaceAll(folder, "");
  await rm(folder, { recursive: true });
  expect(JSON.parse(text)).toEqual(expected);
}

test("an invalid file is found", async () => {
  await check(
    { "citewell.config.jsonc": "{ broken" },
    { home: "home" },
    {
      project: { path: "/citewell.config.jsonc", exists: true },
      global: { path: "/home/citewell.config.jsonc", exists: false },
    },
  );
});

test("the folder of the global file has no project file", async () => {
  await check(
    { "citewell.config.jsonc": "{}" },
    { home: "." },
    {
      project: null,
      global: { path: "/citewell.config.jsonc", exists: true },
    },
  );
});
