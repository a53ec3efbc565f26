import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import * as vscode from "vscode";
import type { ResourceListing } from "../../../server/protocol/resource.ts";
import type { Row } from "../../../extension/features/resources/rows.ts";
import { findResource } from "../../../extension/features/resources/find-resource.ts";
import { createResourceTree, type ResourceTree } from "../../../extension/features/resources/tree.ts";
import { commit, fetched, git, local, npm } from "../resources/listing.ts";
import { fakeServer } from "../../support/editor/fake-server.ts";

interface Setup {
  listings?: ResourceListing[];
  fileCount?: number;
  selected?: string[];
  progress?: string;
}

/** The view's rows over a server that answers from here. */
function openTree({ listings = [git, npm, local], fileCount = 2, selected = [], progress }: Setup = {}) {
  const entries = Array.from({ length: fileCount }, (_, index) => ({
    name: `${index}.ts`,
    type: "file",
    sizeBytes: 1,
  }));
  const server = fakeServer({
    listResources: () => ({ resources: listings }),
    listFiles: () => ({ resource: "demo", revision: commit, entries }),
  });
  const [selection, refreshing] = [new vscode.EventEmitter<void>(), new vscode.EventEmitter<string>()];
  const tree = createResourceTree({
    server,
    selection: { names: selected, onDidChange: selection.event },
    refresher: { progressOf: (name) => (name === "demo" ? progress : undefined), onDidChange: refreshing.event },
    log: { warn() {} },
  });
  return { tree, server, selection, refreshing };
}

async function itemsBelow(tree: ResourceTree, row?: Row): Promise<vscode.TreeItem[]> {
  const rows = (await tree.getChildren(row)) ?? [];
  return Promise.all(rows.map(async (child) => tree.getTreeItem(child)));
}

async function resourceRow(tree: ResourceTree): Promise<Row | undefined> {
  return (await tree.getChildren(undefined))?.[0];
}

suite("the tree of resources", () => {
  test("asks nothing of the server before it is seen", async () => {
    const { tree, server } = openTree();
    tree.refresh();
    assert.deepEqual(server.calls, []);
    await tree.getChildren(undefined);
    assert.deepEqual(server.calls, ["listResources"]);
  });

  test("has a row for each resource, with its kind and state", async () => {
    const { tree } = openTree({ listings: [{ ...git, ...fetched, revision: commit }, npm, local] });
    const items = await itemsBelow(tree);
    assert.deepEqual(
      items.map(({ label, contextValue, collapsibleState }) => [label, contextValue, collapsibleState]),
      [
        ["demo", "resource.git.ready", vscode.TreeItemCollapsibleState.Collapsed],
        ["zod", "resource.package.absent", vscode.TreeItemCollapsibleState.None],
        ["lib", "resource.local.ready", vscode.TreeItemCollapsibleState.Collapsed],
      ],
    );
    assert.match(String(items[0]?.description), /^main@0123456 · /);
    assert.equal(items[0]?.accessibilityInformation?.label, "demo, Git repository, main@0123456, ready");
  });

  test("does not trust what a hover says", async () => {
    const { tree } = openTree({ listings: [{ ...git, specialNotes: "[x](command:citewell.clear)" }] });
    const tooltip = (await itemsBelow(tree))[0]?.tooltip;
    assert.ok(tooltip instanceof vscode.MarkdownString);
    assert.ok(tooltip.isTrusted !== true && tooltip.supportHtml !== true);
    assert.ok(tooltip.value.includes("\\[x\\]\\(command\\:"));
  });

  test("ticks what questions use", async () => {
    const ticks = async (selected: string[]) =>
      (await itemsBelow(openTree({ selected }).tree)).map(({ checkboxState }) =>
        typeof checkboxState === "object" ? checkboxState.state : checkboxState,
      );
    assert.deepEqual(await ticks([]), [1, 1, 1]);
    assert.deepEqual(await ticks(["zod"]), [0, 1, 0]);
    assert.deepEqual(await ticks(["gone"]), [1, 1, 1]);
  });

  test("shows what a refresh does, in its row alone", async () => {
    const { tree, refreshing } = openTree({ progress: "Receiving" });
    const changes: (Row | undefined | null | void | Row[])[] = [];
    tree.onDidChangeTreeData?.((row) => changes.push(row));
    const row = await resourceRow(tree);
    refreshing.fire("demo");
    assert.deepEqual(changes, [row]);
    const [item] = await itemsBelow(tree);
    assert.equal(item?.contextValue, "resource.git.refreshing");
    assert.match(String(item?.description), /Receiving$/);
  });

  test("ticks boxes in the rows that are there, without a look at the server", async () => {
    const { tree, server, selection } = openTree();
    const rows = await tree.getChildren(undefined);
    const changes: (Row | undefined | null | void | Row[])[] = [];
    tree.onDidChangeTreeData?.((row) => changes.push(row));
    selection.fire();
    assert.deepEqual(changes, [rows]);
    assert.deepEqual(server.calls, ["listResources"]);
  });

  test("keeps the rows that are there when they are listed anew", async () => {
    const listings = [git, npm];
    const { tree, server } = openTree({ listings });
    const rows = await tree.getChildren(undefined);
    const refresh = async () => {
      const changed = new Promise((resolve) => tree.onDidChangeTreeData?.(resolve));
      tree.refresh();
      return changed;
    };
    listings[1] = { ...npm, ...fetched };
    assert.deepEqual(await refresh(), rows);
    assert.equal((await itemsBelow(tree))[1]?.contextValue, "resource.package.ready");
    listings.push(local);
    server.calls.length = 0;
    assert.equal(await refresh(), undefined);
    assert.equal((await tree.getChildren(undefined))?.[1], rows?.[1]);
    assert.deepEqual(server.calls, ["listResources"]);
  });

  test("opens files in the snapshot that was listed", async () => {
    const { tree } = openTree({ listings: [{ ...git, ...fetched, revision: commit }] });
    const [file] = await itemsBelow(tree, await resourceRow(tree));
    assert.equal(file?.command?.command, "vscode.open");
    assert.equal(file?.resourceUri?.toString(true), `citewell:/demo/0.ts?revision=${commit}`);
  });

  test("opens files of a local folder in place", async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(folder !== undefined);
    const { tree } = openTree({ listings: [{ ...local, path: folder.fsPath }] });
    const [file] = await itemsBelow(tree, await resourceRow(tree));
    assert.equal(file?.resourceUri?.toString(), vscode.Uri.joinPath(folder, "0.ts").toString());
  });

  test("shows a huge folder a page at a time", async () => {
    const { tree } = openTree({ listings: [{ ...git, ...fetched, revision: commit }], fileCount: 1500 });
    const row = await resourceRow(tree);
    const before = await itemsBelow(tree, row);
    assert.deepEqual([before.length, before.at(-1)?.label], [201, "… 1,300 more"]);
    assert.ok(row?.type === "resource");
    tree.showMore(row);
    assert.equal((await itemsBelow(tree, row)).at(-1)?.label, "… 300 more");
  });

  test("is empty, and says why, if the server cannot list", async () => {
    const { tree } = openTree();
    const failing = createResourceTree({
      server: {
        request: () => Promise.reject(new Error("gone")),
      },
      selection: { names: [], onDidChange: new vscode.EventEmitter<void>().event },
      refresher: { progressOf: () => undefined, onDidChange: new vscode.EventEmitter<string>().event },
      log: { warn() {} },
    });
    const told: (string | undefined)[] = [];
    failing.onDidList((error) => told.push(error?.message));
    assert.deepEqual(await failing.getChildren(undefined), []);
    assert.deepEqual(told, ["gone"]);
    tree.dispose();
  });
});

suite("the resource that a command is for", () => {
  const row = (listing: ResourceListing): Row => ({ type: "resource", listing });
  const find = async (target: unknown, selected?: Row) => {
    const { tree } = openTree({ listings: [git, npm] });
    return findResource(target, { tree, selected });
  };

  test("is that of the row, before what is selected", async () => {
    assert.deepEqual(await find(row(npm), row(git)), npm);
    assert.deepEqual(await find(npm.name, row(git)), npm);
  });

  test("is the one that is selected, where none is named", async () => {
    assert.deepEqual(await find(undefined, row(git)), git);
  });

  test("is reported as gone if the row is older than the configuration", async () => {
    await assert.rejects(find(row(local)), { tag: "ResourceNotFound", message: /"[^"]+" is configured any more/ });
  });
});

suite("the commands of resources that ask nothing", () => {
  const run = async (command: string, ...args: unknown[]) =>
    vscode.commands.executeCommand(`citewell.${command}`, ...args);

  test("a folder of the explorer is added, its name copied, and it is removed again", async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(folder !== undefined);
    const source = vscode.Uri.joinPath(folder, "src");
    const own = vscode.Uri.joinPath(folder, "citewell.config.jsonc");
    await rm(own.fsPath, { force: true });
    await run("addFolder", source, [source]);
    assert.ok((await readFile(own.fsPath, "utf8")).includes('"src"'));
    await run("copyResourceName", "src");
    assert.equal(await vscode.env.clipboard.readText(), "src");
    await run("refreshResource", "src");
    await run("removeResource", "src");
    assert.ok(!(await readFile(own.fsPath, "utf8")).includes('"src"'));
    await vscode.workspace.fs.delete(own);
  });
});
