import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { toUriParts } from "../../../extension/features/citations/uris.ts";
import { contentHash } from "../../../server/lib/content-hash.ts";
import type { Citation } from "../../../server/protocol/citation.ts";
import { threadTurn } from "../../support/thread-turn.ts";

const cited = "// Waits.\nexport function retryDelay(times: number) {\n  return 100 * times;\n}\n";
const home = process.env["CITEWELL_HOME"] ?? "";

suite("citations", () => {
  let folder = "";
  suiteSetup(async () => {
    folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "citewell-citations-")));
    await write(path.join(folder, "src/retry.ts"), cited);
    const resources = [{ type: "local", name: "@team/lib", path: folder }];
    await write(path.join(home, "citewell.config.jsonc"), JSON.stringify({ resources }));
  });
  suiteTeardown(async () => {
    await rm(folder, { recursive: true });
    await rm(path.join(home, "citewell.config.jsonc"));
  });
  teardown(() => vscode.commands.executeCommand("workbench.action.closeAllEditors"));

  test("a cited file opens read-only at its revision, in its language, by a URI that can be written down", async () => {
    await keep({ resource: "@team/lib", path: "src/kept.ts" });
    const uri = vscode.Uri.from(toUriParts({ resource: "@team/lib", path: "src/kept.ts", revision: "r1" }));
    const again = vscode.Uri.parse(uri.toString());
    assert.equal(again.toString(), uri.toString());
    const document = await vscode.workspace.openTextDocument(again);
    assert.equal(document.getText(), cited);
    assert.equal(document.languageId, "typescript");
    const { size, type, permissions } = await vscode.workspace.fs.stat(uri);
    assert.deepEqual([size, type, permissions], [cited.length, vscode.FileType.File, vscode.FilePermission.Readonly]);
    assert.equal(vscode.workspace.fs.isWritableFileSystem("citewell"), false);
    await assert.rejects(Promise.resolve(vscode.workspace.fs.writeFile(uri, Buffer.from("x"))), /citewell|permission/i);
  });

  test("a commit, and a file at it, open read-only, also of the project's own files", async () => {
    const git = (...args: string[]) => {
      const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
      return execFileSync("git", [...author, ...args], { cwd: folder, encoding: "utf8" }).trim();
    };
    git("init", "--quiet");
    await write(path.join(folder, "src/retry.ts"), "// Gave up.\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "Give up");
    await write(path.join(folder, "src/retry.ts"), cited);
    git("commit", "--quiet", "-a", "-m", "Retry");
    const revision = git("rev-parse", "HEAD");
    const before = git("rev-parse", "HEAD^");
    try {
      const commit = vscode.Uri.from(toUriParts({ resource: "@team/lib", path: "", revision }));
      const document = await vscode.workspace.openTextDocument(commit);
      assert.match(document.getText(), / by Ada[^]*\n {2}\| Retry\n {2}src\/retry\.ts\n {4}-1\|\/\/ Gave up\./);
      assert.doesNotMatch(document.getText(), /example\.com/);
      const { type, permissions } = await vscode.workspace.fs.stat(commit);
      assert.deepEqual([type, permissions], [vscode.FileType.File, vscode.FilePermission.Readonly]);
      const old = vscode.Uri.from(toUriParts({ resource: "@team/lib", path: "src/retry.ts", revision: before }));
      assert.equal((await vscode.workspace.openTextDocument(old)).getText(), "// Gave up.\n");
    } finally {
      await rm(path.join(folder, ".git"), { recursive: true });
    }
  });

  test("lists a folder of a resource, and reports a missing one", async () => {
    const root = vscode.Uri.from(toUriParts({ resource: "@team/lib", path: "" }));
    assert.deepEqual(await vscode.workspace.fs.readDirectory(root), [["src", vscode.FileType.Directory]]);
    const missing = vscode.Uri.from(toUriParts({ resource: "@team/lib", path: "src/no.ts" }));
    await assert.rejects(Promise.resolve(vscode.workspace.fs.readFile(missing)), /no file "src\/no\.ts"/);
  });

  test("re-checking a conversation opens what is picked: the file itself, with nothing selected", async () => {
    const thread = await keep({ resource: "@team/lib", path: "src/retry.ts" });
    const editor = await recheckAndOpen(thread);
    assert.equal(editor.document.uri.toString(), vscode.Uri.file(path.join(folder, "src/retry.ts")).toString());
    assert.deepEqual([editor.selection.start.line, editor.selection.isEmpty], [1, true]);
  });

  test("once the file has changed the lines open as they were cited, and a note says so and leads on", async () => {
    const thread = await keep({ resource: "@team/lib", path: "src/retry.ts" });
    await write(path.join(folder, "src/retry.ts"), "// Something else.\n");
    const editor = await recheckAndOpen(thread);
    assert.equal(editor.document.uri.scheme, "citewell");
    assert.equal(editor.document.getText(), cited);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      "vscode.executeCodeLensProvider",
      editor.document.uri,
      5,
    );
    const own = lenses.filter(({ command }) => command?.title.includes("it "));
    assert.deepEqual(
      own.map(({ command, range }) => [range.start.line, command?.title]),
      [
        [1, "This file has changed since it was cited: compare"],
        [1, "Open as it is now"],
      ],
    );
    await write(path.join(folder, "src/retry.ts"), cited);
  });

  test("the permanent link of the selected lines is copied", async () => {
    const [resource, revision] = ["https://github.com/team/lib", "c".repeat(40)];
    await keep({ resource, revision, path: "src/retry.ts" });
    const uri = vscode.Uri.from(toUriParts({ resource, revision, path: "src/retry.ts" }));
    const selection = new vscode.Range(1, 0, 3, 0);
    await vscode.window.showTextDocument(uri, { selection });
    await vscode.commands.executeCommand("citewell.copyPermalink");
    assert.equal(
      await vscode.env.clipboard.readText(),
      `https://github.com/team/lib/blob/${revision}/src/retry.ts#L2-L3`,
    );
  });

  test("without a selection the permanent link is that of the cited lines", async () => {
    const [resource, revision] = ["https://github.com/team/lib", "d".repeat(40)];
    await recheckAndOpen(await keep({ resource, revision, path: "src/retry.ts" }));
    await vscode.commands.executeCommand("citewell.copyPermalink");
    assert.equal(
      await vscode.env.clipboard.readText(),
      `https://github.com/team/lib/blob/${revision}/src/retry.ts#L2-L4`,
    );
  });

  test("a cited file of a package is compared with the one that the workspace has installed", async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    await write(path.join(workspace, "package.json"), JSON.stringify({ dependencies: { pad: "*" } }));
    await write(path.join(workspace, "node_modules/pad/package.json"), '{ "name": "pad", "version": "2.0.0" }');
    await write(path.join(workspace, "node_modules/pad/src/retry.ts"), "// 2.0.0\n");
    try {
      const file = { resource: "npm:pad@1.0.0", revision: "1.0.0", path: "src/retry.ts" };
      await keep(file);
      const uri = vscode.Uri.from(toUriParts(file));
      await vscode.commands.executeCommand("citewell.compareWithInstalled", uri);
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      assert.ok(input instanceof vscode.TabInputTextDiff);
      assert.equal(input.original.toString(), uri.toString());
      assert.equal(Buffer.from(await vscode.workspace.fs.readFile(input.modified)).toString(), "// 2.0.0\n");
    } finally {
      await rm(path.join(workspace, "package.json"));
      await rm(path.join(workspace, "node_modules"), { recursive: true });
    }
  });

  test("what a file cites is verified: problems, a fix for what moved, again when it is saved, and cleared", async () => {
    const file = path.join(folder, "answer.md");
    const moved = '[[@team/lib:src/retry.ts#L1 "return 100 * times"]]';
    await write(file, `One ${moved}.\nTwo [[@team/lib:src/retry.ts#L99]], and [[@team/lib:src/retry.ts#L2]].\n`);
    const document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("citewell.verifyFile");
    const codes = () => vscode.languages.getDiagnostics(document.uri).map(({ code }) => code);
    assert.deepEqual(codes(), ["relocated", "out-of-range"]);
    const hovers = () => hoverAt(document, document.getText().indexOf("src/retry.ts#L2]]"));
    assert.deepEqual(await hovers(), ["Citewell: verified"]);
    assert.deepEqual(await hoverAt(document, document.getText().indexOf("#L99")), []);
    const [first] = vscode.languages.getDiagnostics(document.uri);
    assert.ok(first !== undefined);
    assert.equal(document.getText(first.range), moved);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      document.uri,
      first.range,
    );
    const fix = actions.find(({ title }) => title.includes("#L3"));
    assert.ok(fix?.edit !== undefined);
    await vscode.workspace.applyEdit(fix.edit);
    const isVerifiedAgain = new Promise<void>((resolve) => {
      const listener = vscode.languages.onDidChangeDiagnostics(() => {
        if (codes().length > 1) return;
        listener.dispose();
        resolve();
      });
    });
    await document.save();
    await isVerifiedAgain;
    assert.deepEqual(codes(), ["out-of-range"]);
    assert.deepEqual(await hovers(), ["Citewell: verified"]);
    await vscode.commands.executeCommand("citewell.clearVerification");
    assert.deepEqual(codes(), []);
    assert.deepEqual(await hovers(), []);
  });
});

async function hoverAt(document: vscode.TextDocument, offset: number): Promise<string[]> {
  const at = document.positionAt(offset);
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", document.uri, at);
  return hovers.flatMap(({ contents }) =>
    contents.map((content) => (typeof content === "string" ? content : content.value)),
  );
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

let threadCount = 0;

/** A conversation that cites lines 2 to 4 of a file, which is kept with it. */
async function keep(place: Pick<Citation, "resource" | "path"> & { revision?: string }): Promise<string> {
  const citation = { id: "c1", startLine: 2, endLine: 4, state: "verified", revision: "r1", ...place } as const;
  const text = cited.split("\n").slice(1, 4).join("\n");
  const file = contentHash(cited);
  const turn = threadTurn({
    citations: [citation],
    cited: [{ citation: "c1", file, text: contentHash(text), length: text.length }],
  });
  const id = String(threadCount++).padStart(12, "0");
  await write(path.join(home, "data/cited", file), cited);
  await write(path.join(home, "data/threads", `${id}.jsonl`), `${JSON.stringify(turn)}\n`);
  return id;
}

/** Picks the first citation that is offered; its editor is then the active one. */
async function recheckAndOpen(thread: string): Promise<vscode.TextEditor> {
  const rechecked = Promise.resolve(vscode.commands.executeCommand("citewell.recheckThread", thread)).then(() => true);
  // The list cannot be seen from here: one that is not there yet accepts nothing.
  const accept = async () => {
    await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
    return sleep(50, false);
  };
  while (!(await Promise.race([rechecked, accept()])));
  const editor = vscode.window.activeTextEditor;
  assert.ok(editor !== undefined);
  return editor;
}
