import * as vscode from "vscode";
import { packageReference, packageTypes } from "../../../server/protocol/kinds/names.ts";
import type { ResourceListing } from "../../../server/protocol/resource.ts";
import type { Chat, Citations, Citewell } from "../../context.ts";
import { showError } from "../../server-error.ts";
import { askUpgrade } from "../upgrade.ts";
import { selectionAfter } from "./chosen.ts";
import { clearFetched } from "./clear.ts";
import { openConfig, watchConfig } from "./config-files.ts";
import { createDragAndDrop } from "./drag-and-drop.ts";
import type { Edits } from "./edits.ts";
import { findResource, nameOf } from "./find-resource.ts";
import { copyName, openInBrowser, revealResource } from "./open.ts";
import type { Parts } from "./parts.ts";
import { createRefresher, type Refresher } from "./refresher.ts";
import { refreshAll, refreshOne } from "./refresh.ts";
import { isRow, resourcesView, type Row } from "./rows.ts";
import { createResourceTree, type ResourceTree } from "./tree.ts";

export interface Resources extends vscode.Disposable {
  /** Adds or opens what a link from elsewhere names, once the person has agreed to it. */
  followLink(uri: vscode.Uri): Promise<void>;
}

/** The view `citewell.resources` and its commands. */
export function registerResources(
  citewell: Citewell,
  { chat, citations }: { chat: Chat; citations: Citations },
): Resources {
  const refresher = createRefresher(citewell);
  const tree = createResourceTree({ ...citewell, refresher });
  const fetch = async (name: string) => refreshOne(name, { refresher });
  const parts: Parts = { ...citewell, chat, citations, tree, fetch, stopFetch: refresher.stop, showError };
  let loading: Promise<Edits> | undefined;
  const edits = () => (loading ??= load());
  async function load(): Promise<Edits> {
    const { createEdits } = await import("./edits.ts");
    return createEdits(parts);
  }

  const view = vscode.window.createTreeView(resourcesView, {
    treeDataProvider: tree,
    dragAndDropController: createDragAndDrop({
      add: async (dropped) => (await edits()).addDropped(dropped).catch(showError),
    }),
    manageCheckboxStateManually: true,
    showCollapseAll: true,
  });
  const disposables = [
    view,
    tree,
    refresher,
    ...followChanges(parts, view),
    ...registerCommands(parts, { view, refresher, edits }),
  ];
  return {
    followLink: async (uri) => (await edits()).followLink(uri),
    dispose: () => disposables.forEach((disposable) => disposable.dispose()),
  };
}

/** Refreshes the view, and sets its message. */
function followChanges({ server, changes, selection, tree }: Parts, view: vscode.TreeView<Row>): vscode.Disposable[] {
  const config = watchConfig(() => changes.fire("resources"));
  let hasFailed = false;
  return [
    config,
    changes.onDidChangeResources(tree.refresh),
    // A question may have fetched a resource.
    changes.onDidChangeThreads(tree.refresh),
    vscode.workspace.onDidGrantWorkspaceTrust(tree.refresh),
    // The notification reaches the server over the same connection, before the request for the list.
    vscode.workspace.onDidChangeWorkspaceFolders(() => changes.fire("resources")),
    server.onDidChangeState((state) => {
      if (state === "running" && hasFailed) tree.refresh();
    }),
    tree.onDidList((error) => {
      hasFailed = error !== undefined;
      showProblem(view, tree, error);
      if (error === undefined) void config.watchGlobal(server);
    }),
    view.onDidChangeCheckboxState(({ items }) => {
      const ticked = items.flatMap(([row, state]) =>
        row.type === "resource"
          ? [{ name: row.listing.name, isChecked: state === vscode.TreeItemCheckboxState.Checked }]
          : [],
      );
      const { listings } = tree;
      const { names, isNone } = selectionAfter(ticked, { selection: selection.names, listings });
      if (isNone) {
        void vscode.window.showInformationMessage(
          vscode.l10n.t("With no box checked, questions use the open project and the resources you configured."),
        );
      }
      selection.set(names).catch(showError);
    }),
  ];
}

function showProblem(view: vscode.TreeView<Row>, tree: ResourceTree, error: Error | undefined): void {
  const { listings } = tree;
  const failures = listings.filter(({ state, failure }) => state === "failed" || failure !== null).length;
  const tooltip =
    failures === 1
      ? vscode.l10n.t("1 resource could not be fetched")
      : vscode.l10n.t("{0} resources could not be fetched", failures);
  view.badge = error !== undefined || failures === 0 ? undefined : { value: failures, tooltip };
  const count = error === undefined ? listings.length : 0;
  void vscode.commands.executeCommand("setContext", "citewell.hasResources", count > 0);
  void vscode.commands.executeCommand(
    "setContext",
    "citewell.resourcesState",
    error === undefined ? "listed" : "failed",
  );
}

interface CommandNeeds {
  view: vscode.TreeView<Row>;
  refresher: Refresher;
  edits(): Promise<Edits>;
}

function registerCommands(parts: Parts, { view, refresher, edits }: CommandNeeds): vscode.Disposable[] {
  const { chat, tree, fetch } = parts;
  const run = (id: string, action: (...args: unknown[]) => Promise<unknown>) =>
    vscode.commands.registerCommand(`citewell.${id}`, (...args: unknown[]) => action(...args).catch(showError));
  /** On the row of the menu, the one that is named or has the focus, or one that the person picks. */
  const onResource = (id: string, action: (listing: ResourceListing) => Promise<unknown>) =>
    run(id, async (target) => {
      const listing = await findResource(target, { tree, selected: view.selection[0] });
      if (listing !== undefined) await action(listing);
    });
  return [
    run("addResource", async () => (await edits()).add()),
    run("addFolder", async (uri, uris) => (await edits()).addFolders(chosenUris(uri, uris))),
    run("addDependencies", async () => (await edits()).addDependencies()),
    run("refreshAll", () => refreshAll({ tree, refresher })),
    run("clear", () => clearFetched(parts)),
    run("manageTrust", async () => vscode.commands.executeCommand("workbench.trust.manage")),
    run("openConfig", () => openConfig(parts)),
    run("stopRefresh", async (target) => refresher.stop(nameOf(target))),
    run("showMoreFiles", async (target) => {
      if (isRow(target) && (target.type === "resource" || target.type === "folder")) tree.showMore(target);
    }),
    onResource("refreshResource", ({ name }) => fetch(name)),
    onResource("fetchResource", ({ name }) => fetch(name)),
    onResource("editNotes", async (listing) => (await edits()).editNotes(listing)),
    onResource("editSearchPaths", async (listing) => (await edits()).editSearchPaths(listing)),
    onResource("pinResource", async (listing) => (await edits()).pin(listing)),
    onResource("removeResource", async (listing) => (await edits()).remove(listing)),
    onResource("revealResource", revealResource),
    onResource("openResourceInBrowser", openInBrowser),
    onResource("copyResourceName", copyName),
    onResource("askAboutResource", ({ name }) => chat.compose(`@${name} `)),
    onResource("compareVersions", async (listing) => {
      const { compareVersions } = await import("./compare-versions.ts");
      await compareVersions(listing, parts);
    }),
    onResource("askAboutUpgrade", async ({ type, package: name }) => {
      const ecosystem = packageTypes.find((one) => one === type);
      if (ecosystem !== undefined && name !== null) await askUpgrade(packageReference(ecosystem, name));
    }),
  ];
}

/** What an explorer passes: what was clicked, and all that is selected. */
function chosenUris(uri: unknown, uris: unknown): vscode.Uri[] {
  const chosen: unknown[] = Array.isArray(uris) && uris.length > 0 ? uris : [uri];
  return chosen.filter((item) => item instanceof vscode.Uri);
}
