import { expect, test } from "vitest";
import { localApp } from "../../support/connect.ts";
import { temporaryFolder } from "../../support/folder.ts";

test("lists what the workspace depends on, what to add of it, and what is there already", async () => {
  await using folder = await temporaryFolder(`//- package.json
{ "dependencies": { "left-pad": "*", "is-odd": "*", "gone": "*" } }
//- node_modules/left-pad/package.json
{ "name": "left-pad", "version": "1.3.0" }
//- node_modules/is-odd/package.json
{ "name": "is-odd", "version": "2.0.0" }
//- .home/citewell.config.jsonc
{ "resources": [{ "type": "npm", "name": "odd", "package": "is-odd" }] }
`);
  await using app = localApp(folder.path);
  expect(await app.listDependencies({})).toEqual({
    dependencies: [
      {
        name: "gone",
        version: null,
        wanted: "*",
        isAdded: false,
        spec: { type: "npm", name: "gone", package: "gone" },
      },
      { name: "is-odd", version: "2.0.0", isAdded: true, spec: { type: "npm", name: "is-odd", package: "is-odd" } },
      {
        name: "left-pad",
        version: "1.3.0",
        isAdded: false,
        spec: { type: "npm", name: "left-pad", package: "left-pad" },
      },
    ],
  });
});

test("without a package.json there is nothing to list", async () => {
  await using folder = await temporaryFolder();
  await using app = localApp(folder.path);
  expect(await app.listDependencies({})).toEqual({ dependencies: null });
});
