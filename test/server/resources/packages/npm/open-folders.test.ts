import path from "node:path";
import { expect, test } from "vitest";
import { chooseVersion } from "../../../../../server/resources/packages/npm/version-choice.ts";
import { findNamedDependencies, readDependencies } from "../../../../../server/resources/packages/dependencies.ts";
import { temporaryFolder } from "../../../../support/folder.ts";

const files = `
//- app/package.json
{ "dependencies": { "@scope/one": "1", "which": "1", "gone": "1" } }
//- app/node_modules/@scope/one/package.json
{ "name": "@scope/one", "version": "1.0.0" }
//- app/node_modules/which/package.json
{ "name": "which", "version": "4.0.0" }
//- site/package.json
{ "devDependencies": { "two": "2", "@scope/one": "9" } }
//- site/node_modules/two/package.json
{ "name": "two", "version": "2.0.0" }
//- site/node_modules/@scope/one/package.json
{ "name": "@scope/one", "version": "9.0.0" }
`;

async function world() {
  const folder = await temporaryFolder(files);
  const [app, site] = [path.join(folder.path, "app"), path.join(folder.path, "site")];
  const location = { cwd: app, folders: [app, site], homeDirectory: folder.path, env: {}, platform: process.platform };
  return { location, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test("a package is read from the first open folder that has it installed", async () => {
  await using made = await world();
  const versionOf = async (name: string) => {
    const choice = await chooseVersion({ package: name }, made.location);
    return choice.type === "installed" ? choice.installed.version : choice.type;
  };
  expect(await versionOf("@scope/one")).toBe("1.0.0");
  expect(await versionOf("two")).toBe("2.0.0");
  const dependencies = await readDependencies(made.location);
  expect(dependencies?.usable.map(({ name }) => name)).toEqual(["@scope/one", "gone", "two", "which"]);
});

test.each([
  { text: "Does @scope/one call two?", expected: ["@scope/one 1.0.0", "two 2.0.0"] },
  { text: "Read src/two/index.ts and @scope/onerous", expected: [] },
  { text: "Compare npm:two with gone.", expected: ["two 2.0.0"] },
  { text: "which file is it", expected: [] },
  { text: "what does `which` return", expected: ["which 4.0.0"] },
])("installed dependencies in “$text”", async ({ text, expected }) => {
  await using made = await world();
  const named = await findNamedDependencies(text, made.location);
  expect(named.map(({ name, version }) => `${name} ${version}`)).toEqual(expected);
});
