import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Locator } from "playwright-core";
import { type Editor, startEditor } from "../../support/editor/editor.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";

/** More than one page of the tree. */
const hugeFolder = Object.fromEntries(
  Array.from({ length: 230 }, (_, index) => [`huge/${String(index).padStart(3, "0")}.md`, `${index}\n`]),
);

const files = `
//- package.json
{ "name": "demo", "dependencies": { "left": "^1.0.0", "right": "^2.0.0" } }
//- node_modules/left/package.json
{ "name": "left", "version": "1.2.3" }
//- node_modules/left/index.js
export const left = 1;
//- node_modules/right/package.json
{ "name": "right", "version": "2.0.0" }
//- manifest/package.json
{
  "dependencies": {
    "right": "^2.0.0"
  }
}
//- lib/retry.ts
export const attempts = 5;
`;

let git: GitServer;
let editor: Editor;
let globalConfig: string;
let projectConfig = "";
/** An earlier try has asked for the rest of the huge folder. */
let areAllShown = false;

beforeAll(async () => {
  git = await startGitServer();
  await git.commit("demo", { "README.md": "# Demo\n", "src/main.ts": "export const answer = 42;\n", ...hugeFolder });
  editor = await startEditor({
    workspace: files,
    config: {
      allowHosts: ["localhost"],
      resources: [
        { type: "local", name: "lib", path: "../../workspace/lib" },
        { type: "git", name: "broken", url: git.url("nothing"), branch: "main" },
      ],
    },
    env: { GIT_SSL_CAINFO: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    settings: { "workbench.hover.delay": 500 },
  });
  globalConfig = path.join(editor.server.citewellHome, "citewell.config.jsonc");
  projectConfig = path.join(editor.workspace, "citewell.config.jsonc");
  await editor.page.getByRole("tab", { name: "Citewell" }).click();
  await row("broken").waitFor();
  // Folded, it leaves room for all rows: only those in sight are there.
  await editor.page.getByRole("button", { name: "Chat Section" }).click();
});
afterAll(async () => {
  await editor?.stop();
  await git?.[Symbol.asyncDispose]();
});

function row(name: string): Locator {
  return tree().getByRole("treeitem", { name: new RegExp(`^${name}`) });
}

/** The row comes, told as a screen reader tells it. */
async function checkRow(label: string): Promise<void> {
  await row(label).waitFor();
  expect(await row(label).isVisible()).toBe(true);
}

function tree(): Locator {
  return editor.page.getByRole("tree", { name: "Resources" });
}

function toast(text: string | RegExp): Locator {
  return editor.page.locator(".notifications-toasts .notification-toast").filter({ hasText: text });
}

/** Clicks. The hover of a row covers the next one for as long as the pointer rests. */
async function press(target: Locator, button: "left" | "right" = "left"): Promise<void> {
  await editor.page.mouse.move(800, 400);
  await editor.page.locator(".monaco-hover:visible").first().waitFor({ state: "hidden" });
  await target.click({ button });
}

/** Clicks until that is shown. */
async function click(target: Locator, shown: Locator, button?: "left" | "right"): Promise<void> {
  await editor.act(() => press(target, button), shown);
}

const expanded = (name: string) => row(name).and(editor.page.locator('[aria-expanded="true"]'));
const folded = (name: string) => row(name).and(editor.page.locator('[aria-expanded="false"]'));

async function toggle(name: string, shown: Locator): Promise<void> {
  if (await shown.isVisible()) return;
  await click(row(name).locator(".monaco-icon-label"), shown);
}

async function chooseFromMenu(name: string, item: string): Promise<void> {
  const offered = editor.page.getByRole("menuitem", { name: item });
  await click(row(name), offered, "right");
  // A menu does not take clicks for the first moment; Enter takes the item that has the focus.
  await offered.hover();
  await editor.page.locator(".monaco-menu .action-item.focused").filter({ hasText: item }).waitFor();
  await editor.page.keyboard.press("Enter");
}

test("rows show the state of each resource", async () => {
  expect(await row("lib").getAttribute("aria-label")).toBe("lib, Local folder, lib, ready");
  expect(await row("broken").getAttribute("aria-label")).toBe("broken, Git repository, main, not fetched yet");
});

test("a click on a row unfolds it, and another folds it", async () => {
  await toggle("lib", expanded("lib"));
  await toggle("lib", folded("lib"));
  expect(await row("lib").getAttribute("aria-expanded")).toBe("false");
});

test("a repository is added by keyboard alone, to the project and then to every project", async () => {
  const { keyboard } = editor.page;
  await row("demo").waitFor({ state: "detached" });
  const input = editor.page.locator(".quick-input-widget");
  await editor.runCommand("Citewell: Add Resource…");
  await input.getByText("Choose what to add").or(input.getByRole("textbox")).first().waitFor();
  await editor.page.getByRole("option", { name: /Git repository/ }).waitFor();
  await keyboard.type(`git clone ${git.url("demo")}.git`);
  await editor.page.getByRole("option", { name: `Add ${git.url("demo")}` }).waitFor();
  await editor.screenshot("resources-wizard-1");
  await keyboard.press("Enter");
  await input.getByText("Add Resource (2/4)").waitFor();
  await keyboard.press("Control+A");
  await keyboard.type("-x");
  await input.getByText("A branch must not start with '-'.").waitFor();
  await keyboard.press("Control+A");
  await keyboard.type("main");
  await keyboard.press("Enter");
  await input.getByText("Add Resource (3/4)").waitFor();
  await keyboard.press("Enter");
  await input.getByText("Add Resource (4/4)").waitFor();
  await keyboard.press("Control+A");
  await keyboard.type("lib");
  await input.getByText("There is a resource of this name already.").waitFor();
  await keyboard.press("Control+A");
  await keyboard.type("demo");
  await keyboard.press("Enter");
  await row("demo, Git repository, main@[0-9a-f]{7}, ready").waitFor();
  // What is added belongs to the project in front of one; the message says so.
  await toast("Added the resource demo to this project.").waitFor();
  await editor.screenshot("resources-added");
  expect(await readFile(projectConfig, "utf8")).toContain(git.url("demo"));
  expect(await readFile(globalConfig, "utf8")).not.toContain(git.url("demo"));
  // Its new file goes with it. In one test, as the message goes after seconds.
  await toast("Added the resource demo").getByRole("button", { name: "Use in Every Project" }).click();
  await expect.poll(() => readFile(globalConfig, "utf8")).toContain(git.url("demo"));
  expect(await readdir(path.dirname(projectConfig))).not.toContain("citewell.config.jsonc");
  await row("demo, Git repository, main@[0-9a-f]{7}, ready").waitFor();
});

test("what cannot be added says why, and Enter does not leave the step", async () => {
  const { keyboard } = editor.page;
  const input = editor.page.locator(".quick-input-widget");
  const option = (name: string) => editor.page.getByRole("option", { name });
  await editor.runCommand("Citewell: Add Resource…");
  await option("npm package").waitFor();
  for (const { typed, offered } of [
    { typed: "../missing", offered: "There is no folder ../missing" },
    { typed: "how does it work?", offered: "Not a resource name" },
    { typed: "owner/project", offered: "Add https://github.com/owner/project" },
    { typed: "./lib", offered: "Add ./lib" },
    { typed: "./libs", offered: "There is no folder ./libs" },
  ]) {
    await keyboard.press("Control+A");
    await keyboard.type(typed);
    await option(offered).waitFor();
  }
  await keyboard.press("Enter");
  await editor.screenshot("resources-wizard-missing");
  await option("There is no folder ./libs").waitFor();
  expect(await input.getByText("Add Resource (1/").count()).toBe(1);
  await keyboard.press("Escape");
});

test("what is on disk of it can be browsed, a page at a time, and opens read-only", async () => {
  await toggle("demo", expanded("demo"));
  await row("huge").waitFor();
  await toggle("huge", folded("huge"));
  await toggle("src", expanded("src"));
  await row("main.ts, file").click();
  await editor.page.locator(".editor-instance").getByText("export const answer = 42;").waitFor();
  await editor.page.locator(".tab").filter({ hasText: "main.ts" }).waitFor();
  await toggle("huge", expanded("huge"));
  await checkRow("000.md, file");
  await editor.screenshot("resources-files");
  const { keyboard } = editor.page;
  await tree().focus();
  await keyboard.press("End");
  await checkRow("README.md, file");
  if (areAllShown) await checkRow("229.md, file");
  else {
    await tree().getByText("… 30 more").click();
    areAllShown = true;
    await checkRow("200.md, file");
  }
  await tree().focus();
  await keyboard.press("Home");
  await checkRow("lib");
  await toggle("demo", folded("demo"));
});

test("a refresh brings the newest commit", async () => {
  const commit = await git.commit("demo", { "NEW.md": "new\n" });
  await chooseFromMenu("demo", "Refresh Resource");
  await checkRow(`demo, Git repository, main@${commit.slice(0, 7)}, ready`);
});

test("notes are edited, and the rest of the entry stays as it is written", async () => {
  await chooseFromMenu("lib", "Edit Notes…");
  const input = editor.page.locator(".quick-input-widget");
  await input.getByText("What the model should know about it").waitFor();
  // Into the field itself: keys alone go wherever the focus is.
  await input.getByRole("textbox").fill("The retries.");
  await input.getByRole("textbox").press("Enter");
  await expect.poll(() => readFile(globalConfig, "utf8")).toMatch(/"specialNotes": ?"The retries\."/);
  expect(await readFile(globalConfig, "utf8")).toContain('"path":"../../workspace/lib"');
});

test("a repository is pinned to the commit that is on disk", async () => {
  await row("demo, Git repository, main@").waitFor();
  await chooseFromMenu("demo", "Pin Resource to This Revision");
  await checkRow("demo, Git repository, pinned to [0-9a-f]{7}");
});

test("downloaded copies are deleted after confirmation, and local folders stay", async () => {
  await editor.runCommand("Citewell: Delete Downloaded Copies of Resources");
  await editor.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await checkRow("demo, Git repository, .*not fetched yet");
  await checkRow("lib, Local folder, lib, ready");
});

test("a failure is shown with its reason, in the row and as a badge", async () => {
  await row("broken").hover();
  await row("broken").getByRole("button", { name: "Fetch Resource" }).click();
  await toast(/no repository|not found/i).waitFor();
  await checkRow("broken, Git repository, main, failed");
  await editor.page.locator(".activitybar .badge-content").filter({ hasText: "1" }).waitFor();
  await editor.act(async () => {
    await row("lib").hover();
    await row("broken").locator(".monaco-icon-label").hover();
  }, editor.page.locator(".monaco-hover").getByText("It could not be fetched"));
  await editor.screenshot("resources-failed");
});

test("a removal can be taken back to the letter", async () => {
  const before = await readFile(globalConfig, "utf8");
  await chooseFromMenu("broken", "Remove Resource");
  await row("broken").waitFor({ state: "detached" });
  expect(await readFile(globalConfig, "utf8")).not.toContain("broken");
  await toast("Removed the resource broken").getByRole("button", { name: "Undo" }).click();
  await row("broken").waitFor();
  expect(await readFile(globalConfig, "utf8")).toBe(before);
});

test("dependencies are added at the versions that are installed", async () => {
  await editor.runCommand("Citewell: Add Dependencies…");
  const { page } = editor;
  await page.locator(".quick-input-list").getByText("left").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await page.getByText("1 Selected").waitFor();
  await page.keyboard.press("Enter");
  await checkRow("left, npm package, 1.2.3 · installed, ready");
});

test("boxes choose what questions use; none is the usual ones", async () => {
  const ticked = (name: string) => row(name).getByRole("checkbox", { checked: true });
  const said = toast("With no box checked");
  // When none is left, all are ticked again: a box is no sign that its click counted.
  await editor.act(async () => {
    for (const name of ["workspace", "lib", "broken", "demo", "left"])
      if (!(await said.isVisible()) && (await ticked(name).isVisible())) await press(row(name).getByRole("checkbox"));
  }, said);
  await expect.poll(() => ticked("lib").isVisible()).toBe(true);
});

test("what an upgrade breaks is asked from the menu of a package, and from the hover of its line", async () => {
  const { page } = editor;
  await chooseFromMenu("left", "What Breaks If I Upgrade?");
  await editor.chat.getByText("What breaks if I upgrade npm:left?").first().waitFor();
  const ask = page.getByRole("menuitem", { name: "Ask About Resource" });
  await click(row("lib"), ask, "right");
  expect(await page.getByRole("menuitem", { name: "What Breaks If I Upgrade?" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+P");
  await editor.pick("manifest/package.json", /package\.json/);
  const offered = page.locator(".monaco-hover").getByText("What breaks for me?");
  await editor.act(async () => {
    await page.mouse.move(0, 0);
    await page.locator(".view-line").getByText('"right"').hover();
  }, offered);
  await offered.click();
  await editor.chat.getByText("What breaks if I upgrade right?").first().waitFor();
  await editor.screenshot("upgrade-hover");
});
