import path from "node:path";
import { expect, test } from "vitest";
import { localApp } from "../support/connect.ts";
import { canFollow, watchedAmong } from "../support/followed-folder.ts";
import { temporaryFolder } from "../support/folder.ts";

test("a configuration that cannot be read can be found, and everything else fails with the reason", async () => {
  await using folder = await temporaryFolder('//- .home/citewell.config.jsonc\n{ "model": \n');
  await using app = localApp(folder.path);
  await expect(app.getConfigFiles({})).resolves.toMatchObject({ global: { exists: true } });
  await expect(app.listResources({})).rejects.toMatchObject({ tag: "ConfigInvalid" });
});

test.each([
  ["an application that lives follows the folders that were asked", true],
  ["a command does not", false],
])("%s", async (_title, followsFolders) => {
  await using folder = await temporaryFolder("//- .home/citewell.config.jsonc\n{}\n//- tree/a.ts\nneedle\n");
  const root = path.join(folder.path, "tree");
  const app = localApp(folder.path, {}, { followsFolders });
  const find = async (query: string) => {
    const { results } = await app.search({ query, mode: "exact", resources: [root], limit: 5 });
    return results.map((result) => result.path);
  };
  expect(await find("needle")).toEqual(["a.ts"]);
  expect(watchedAmong([root])).toEqual(followsFolders && canFollow ? [root] : []);
  await folder.write("//- tree/b.ts\nsecond\n");
  expect(await find("second")).toEqual(["b.ts"]);
  await app[Symbol.asyncDispose]();
  expect(watchedAmong([root])).toEqual([]);
});
