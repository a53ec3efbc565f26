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

test.each([
  [
    "the default guide of that name",
    "",
    [
      ["typescript", false],
      ["zod", true],
    ],
  ],
  [
    "a repository of that name in the user's list",
    '{ "resources": [{ "type": "git", "name": "typescript", "url": "https://host.example/o/typescript" }] }',
    [
      ["typescript", true],
      ["zod", false],
    ],
  ],
])("with %s, a dependency is there already only if somebody chose it", async (_what, list, expected) => {
  await using folder = await temporaryFolder(`//- package.json
{ "devDependencies": { "typescript": "6.0.3", "zod": "4.1.0" } }
${list === "" ? "" : `//- .home/citewell.config.jsonc\n${list}\n`}`);
  await using app = localApp(folder.path);
  const { dependencies } = await app.listDependencies({});
  expect(dependencies?.map(({ name, isAdded }) => [name, isAdded])).toEqual(expected);
});

test("peer dependencies are listed, as they are installed; optional ones are not", async () => {
  await using folder = await temporaryFolder(`//- package.json
{ "peerDependencies": { "arrow": ">=15", "left-pad": "*" }, "peerDependenciesMeta": { "left-pad": { "optional": true } } }
//- node_modules/arrow/package.json
{ "name": "arrow", "version": "18.1.0" }
`);
  await using app = localApp(folder.path);
  const { dependencies } = await app.listDependencies({});
  expect(dependencies?.map(({ name, version }) => [name, version])).toEqual([["arrow", "18.1.0"]]);
});

test("without a package.json there is nothing to list", async () => {
  await using folder = await temporaryFolder();
  await using app = localApp(folder.path);
  expect(await app.listDependencies({})).toEqual({ dependencies: null });
});
