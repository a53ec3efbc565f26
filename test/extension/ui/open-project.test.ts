import { afterEach, expect, test } from "vitest";
import { type Editor, type EditorOptions, startEditor } from "../../support/editor/editor.ts";
import { startNpmRegistry } from "../../support/npm-registry.ts";

const app = `
//- app/package.json
{ "name": "app", "description": "Sends requests again.", "main": "src/retry.ts" }
//- app/README.md
# App

A request that fails is sent again after a wait.
//- app/src/retry.ts
/** Waits twice as long after each attempt. */
export function waitBeforeRetry(attempt: number): number {
  return 100 * 2 ** attempt;
}
//- site/citewell.config.jsonc
{ "resources": [{ "type": "local", "name": "notes", "path": "./notes" }] }
//- site/notes/styles.md
# Styles
The header is blue.
//- site/page.ts
/** Draws the header of the page. */
export function drawHeader(): string {
  return "<header>";
}
`;

let editor: Editor | undefined;
afterEach(async () => {
  await editor?.stop();
  editor = undefined;
});

/** Opens a window without settings or a configuration of the user's, and types a question at once. */
async function ask(question: string, options: EditorOptions): Promise<Editor> {
  editor = await startEditor({ workspace: app, ...options });
  await editor.openChat();
  const box = editor.chat.getByRole("textbox", { name: "Question" });
  await box.fill(question);
  await box.press("Enter");
  return editor;
}

async function checkCites({ chat }: Editor, file: RegExp): Promise<void> {
  await chat.getByRole("button", { name: "Copy answer" }).waitFor();
  expect(await chat.getByRole("button", { name: file }).count()).toBeGreaterThan(0);
}

const rowNames = async ({ page }: Editor) => {
  const tree = page.getByRole("tree", { name: "Resources" });
  await tree.getByRole("treeitem").first().waitFor();
  const labels = await tree.getByRole("treeitem").evaluateAll((rows) => rows.map((row) => row.ariaLabel ?? ""));
  return labels.map((label) => label.split(",")[0]);
};

test("the first question, typed at once, is about the open project", async () => {
  const window = await ask("How long is the wait before a retry?", { folders: ["app"] });
  await checkCites(window, /retry\.ts:.* verified: citation of .*, in app\./);
  expect(await rowNames(window)).toEqual(["app", "express", "zod", "typescript"]);
  const ticks = window.page.getByRole("tree", { name: "Resources" }).getByRole("checkbox");
  expect(await ticks.evaluateAll((boxes) => boxes.map((box) => box.ariaChecked))).toEqual([
    "true",
    "false",
    "false",
    "false",
  ]);
  await window.screenshot("open-project-dark");
  await window.setTheme("vscode-light");
  await window.screenshot("open-project-light");
});

test("with two folders each is a resource, with its own configuration", async () => {
  const window = await ask("Which function draws the header of the page?", { folders: ["app", "site"] });
  await checkCites(window, /page\.ts:.* verified: citation of .*, in site\./);
  expect(await rowNames(window)).toEqual(["app", "site", "notes", "express", "zod", "typescript"]);
  await window.screenshot("open-project-two-folders");
});

test("an untrusted window answers about the project, and does not read its configuration", async () => {
  const window = await ask("Which function draws the header of the page?", { folders: ["site"], trusted: false });
  await checkCites(window, /page\.ts:.* verified: citation of .*, in site\./);
  expect(await rowNames(window)).toEqual(["site", "express", "zod", "typescript"]);
  await window.screenshot("open-project-untrusted");
});

test("a dependency that the question names is one key away, at its installed version", async () => {
  await using registry = await startNpmRegistry();
  const source = "/** Waits between attempts: 25 ms. */\nexport const pause = () => 25;\n";
  for (const version of ["1.2.0", "2.0.0"])
    registry.publish({
      name: "pausing",
      version,
      files: `//- index.js\n${source}//- package.json\n{"version":"${version}"}`,
    });
  const window = await ask("Where does pausing define the pause between attempts?", {
    workspace: `${app}
//- app/.npmrc
registry=${registry.url}
//- app/package.json
{ "name": "app", "dependencies": { "pausing": "^1.0.0" } }
//- app/node_modules/pausing/package.json
{ "name": "pausing", "version": "1.2.0", "main": "index.js" }
//- app/node_modules/pausing/index.js
${source}`,
    folders: ["app"],
  });
  await window.chat.getByRole("button", { name: "Ask about pausing 1.2.0 as well" }).press("Enter");
  const citation = window.chat.getByRole("button", { name: /index\.js:.* verified: citation of .*, in .*pausing/ });
  await citation.first().waitFor();
  await window.screenshot("open-project-dependency");
  expect(registry.requests.some(({ path }) => path.includes("2.0.0"))).toBe(false);
});

test("a virtual workspace says that it cannot be read", async () => {
  editor = await startEditor({ workspace: app, folders: ["memfs:/remote"] });
  await editor.openChat();
  const heading = editor.chat.getByRole("heading", { name: "This is a virtual workspace" });
  await heading.waitFor();
  expect(await heading.count()).toBe(1);
  await editor.screenshot("open-project-virtual");
});
