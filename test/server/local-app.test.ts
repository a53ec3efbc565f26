import { expect, test } from "vitest";
import { localApp } from "../support/connect.ts";
import { temporaryFolder } from "../support/folder.ts";

test("a configuration that cannot be read can be found, and everything else fails with the reason", async () => {
  await using folder = await temporaryFolder('//- .home/citewell.config.jsonc\n{ "model": \n');
  await using app = localApp(folder.path);
  await expect(app.getConfigFiles({})).resolves.toMatchObject({ global: { exists: true } });
  await expect(app.listResources({})).rejects.toMatchObject({ tag: "ConfigInvalid" });
});
