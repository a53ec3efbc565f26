import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";

const retry = "export const attempts = 5;\nexport const wait = 100;\n";

let git: GitServer;
let editor: Editor;
beforeAll(async () => {
  git = await startGitServer();
  await git.commit("demo", { "src/retry.ts": retry });
  await git.git("demo", ["tag", "v1.0.0", "main"]);
  await git.commit("demo", { "src/retry.ts": retry.replace("5", "3"), "src/fresh.ts": "export const fresh = 1;\n" });
  await git.git("demo", ["tag", "v2.0.0", "main"]);
  editor = await startEditor({
    workspace: `//- retry.ts\n${retry}`,
    config: {
      allowHosts: ["localhost"],
      resources: [{ type: "git", name: "demo", url: git.url("demo"), branch: "main" }],
    },
    env: { GIT_SSL_CAINFO: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
  });
  const inWorkspace = (...args: string[]) =>
    execFileSync("git", ["-C", editor.workspace, "-c", "user.name=A", "-c", "user.email=a@a.example", ...args]);
  inWorkspace("init", "--quiet");
  inWorkspace("add", ".");
  inWorkspace("commit", "--quiet", "-m", "One");
  await writeFile(path.join(editor.workspace, "retry.ts"), retry.replace("100", "200"));
  await editor.page.getByRole("tab", { name: "Citewell" }).click();
});
afterAll(async () => {
  await editor?.stop();
  await git?.[Symbol.asyncDispose]();
});

/** The editor's diff with that title, and its two texts. */
async function diffTexts(title: string): Promise<string[]> {
  await editor.page.getByRole("tab", { name: title }).waitFor();
  const sides = editor.page.locator(".monaco-diff-editor .view-lines");
  await sides.nth(1).waitFor();
  await editor.page.locator(".monaco-diff-editor .view-line").first().waitFor();
  const texts = await sides.allInnerTexts();
  return texts.map((text) => text.replaceAll("\u00a0", " "));
}

async function choose(resource: string): Promise<void> {
  await editor.runCommand("Citewell: Compare Two Versions…");
  await editor.pick(resource);
}

/** The list of files is there; the text above it. */
async function listed(start: string): Promise<string> {
  const title = editor.page.locator(".quick-input-title").filter({ hasText: start });
  await title.waitFor();
  return title.innerText();
}

test("a repository: the tags are offered, the changed files listed, and one is shown beside its old version", async () => {
  await choose("demo");
  const tag = editor.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "v1.0.0" });
  await tag.waitFor();
  await editor.pick("v1.0.0");
  expect(await listed("demo v1.0.0 →")).toContain("2 files differ (1 changed, 1 added)");
  await editor.screenshot("compare-files");
  await editor.pick("retry.ts");
  const [before, after] = await diffTexts("retry.ts (v1.0.0 ↔");
  expect(before).toContain("attempts = 5");
  expect(after).toContain("attempts = 3");
  await editor.screenshot("compare-diff");
});

test("a file that one version lacks is shown as it is in the other, read-only", async () => {
  await choose("demo");
  await editor.pick("v1.0.0");
  await listed("demo v1.0.0 →");
  await editor.pick("fresh.ts");
  await editor.page.getByRole("tab", { name: "fresh.ts" }).waitFor();
  const line = editor.page.locator(".view-line").filter({ hasText: "fresh" });
  await line.waitFor();
  expect((await line.innerText()).replaceAll("\u00a0", " ")).toBe("export const fresh = 1;");
});

test("the open folder is compared with a revision, as it is now", async () => {
  await choose("workspace");
  await editor.page
    .locator(".quick-input-message")
    .filter({ hasText: "The commit, branch or tag to compare with" })
    .waitFor();
  await editor.page.keyboard.press("Enter");
  await listed("workspace HEAD → as it is now");
  await editor.pick("retry.ts");
  const [before, after] = await diffTexts("retry.ts (HEAD ↔ as it is now)");
  expect(before).toContain("wait = 100");
  expect(after).toContain("wait = 200");
});

test("what cannot be compared is said", async () => {
  await choose("demo");
  await editor.pick("v9");
  const toast = editor.page.locator(".notification-toast").filter({ hasText: "no branch or tag" });
  await toast.waitFor();
  expect(await toast.innerText()).toContain("v9");
});
