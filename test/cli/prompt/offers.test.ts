import { expect, test } from "vitest";
import { tuiWorld } from "../../support/tui-world.ts";

const project = `//- app/package.json
{ "name": "app", "dependencies": { "tiny": "^1.2.0" } }
//- app/index.js
import { tinyDelay } from "tiny";
//- app/node_modules/tiny/package.json
{ "name": "tiny", "version": "1.2.3" }
//- app/node_modules/tiny/index.js
export const tinyDelay = 1;
`;

test.each([
  ["on the full screen", [], /^❯/m],
  ["line by line", ["--screen-reader"], /^You:/m],
] as const)("%s, a dependency that the question names is offered, and + asks about it", async (_, args, prompt) => {
  await using it = await tuiWorld(() => "Fine.");
  await it.folder.write(`${project}//- .home/citewell.config.jsonc\n${JSON.stringify(it.model.config)}`);
  await using screen = await it.start({ args: [...args], cwd: "app", prompt });
  screen.ask("What is tiny for?");
  await screen.shows("installed here: tiny 1.2.3; type + to ask about it as well");
  screen.ask("+");
  await expect.poll(() => it.model.requests.length).toBe(2);
  const [first, second] = it.model.requests.map(({ system }) => system);
  expect(first).not.toContain("- npm:tiny: ");
  expect(second).toContain("- npm:tiny: ");
});
