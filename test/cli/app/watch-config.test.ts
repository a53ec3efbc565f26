import { watchFile, unwatchFile } from "node:fs";
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { configPaths } from "../../../server/config/paths.ts";
import { watchConfig } from "../../../cli/app/watch-config.ts";
import { temporaryFolder } from "../../support/folder.ts";

test("a file that does not exist is no change; that it comes to exist is one", async () => {
  await using folder = await temporaryFolder();
  const home = folder.path;
  const location = { cwd: home, env: { CITEWELL_HOME: home }, platform: process.platform, homeDirectory: home };
  const { projectFile } = configPaths(location);
  let changes = 0;
  let onSecond = () => {};
  const second = new Promise<void>((resolve) => (onSecond = resolve));

  using _ = watchConfig(location)(() => changes++);
  // Node calls all listeners of one file in the order in which they were added.
  const calls: number[] = [];
  await new Promise<void>((resolve) => {
    watchFile(projectFile, () => {
      calls.push(changes);
      if (calls.length === 1) resolve();
      else onSecond();
    });
  });
  await writeFile(projectFile, "{}\n");
  await second;
  unwatchFile(projectFile);

  expect(calls[0]).toBe(0);
  expect(calls[1]).toBeGreaterThan(0);
});
