import os from "node:os";
import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import { isPackage } from "../../../server/protocol/kinds/package.ts";
import type { ResourceListing } from "../../../server/protocol/resource.ts";
import type { Selection, Server } from "../../context.ts";
import { toServerError } from "../../server-error.ts";
import { chosenNames } from "./chosen.ts";
import { listFolder } from "./files.ts";
import { formatCount, formatSize } from "./amounts.ts";
import { escapeMarkdown, showInvisible } from "./markdown.ts";
import type { Refresher } from "./refresher.ts";
import type { RowContext } from "./row-text.ts";
import { type EntryRow, type MoreRow, type ResourceRow, type Row, rowId } from "./rows.ts";

/** The rows of `citewell.resources`. The server is not called before the view is visible. */
export interface ResourceTree extends vscode.TreeDataProvider<Row>, vscode.Disposable {
  /** The resources as last listed. */
  readonly listings: readonly ResourceListing[];
  /** The list as it is now, whether or not the view is seen. @throws ServerError */
  load(): Promise<readonly ResourceListing[]>;
  /** Fires after each listing for the view, with the error if it failed. */
  readonly onDidList: vscode.Event<Error | undefined>;
  /** Lists the resources again, if the view has been visible, and draws them. */
  refresh(): void;
  /** Shows more of a huge folder. */
  showMore(parent: ResourceRow | EntryRow): void;
}

/** How many entries of a folder are shown at first, and how many more each time. */
const pageLength = 200;

/** Creates the tree view of the resources. */
export function createResourceTree({
  server,
  selection,
  log,
  refresher,
}: {
  server: Pick<Server, "request">;
  selection: Pick<Selection, "names" | "onDidChange">;
  log: Pick<vscode.LogOutputChannel, "warn">;
  refresher: Pick<Refresher, "progressOf" | "onDidChange">;
}): ResourceTree {
  const changed = new vscode.EventEmitter<Row | Row[] | undefined>();
  const listed = new vscode.EventEmitter<Error | undefined>();
  /** Rows by name, in the order of the last listing for the view; undefined before the first. */
  let rows: ReadonlyMap<string, ResourceRow> | undefined;
  /** The key is the id of the folder's row. */
  const shownCounts = new Map<string, number>();
  let listings: readonly ResourceListing[] = [];
  let listingCount = 0;
  let isListedAhead = false;

  const load = async () => {
    const { resources } = await server.request("listResources", {});
    listings = resources;
    return resources;
  };

  const listRows = async (): Promise<void> => {
    const current = ++listingCount;
    const known = (rows ??= new Map());
    let failure: Error | undefined;
    const found = await load().catch((error: unknown) => {
      failure = toServerError(error);
      log.warn(`resources cannot be listed: ${failure.message}`);
      return [];
    });
    // An older listing that ends late says nothing of how things are.
    if (current !== listingCount) return;
    rows = new Map(found.map((listing) => [listing.name, withListing(known.get(listing.name), listing)]));
    listed.fire(failure);
  };

  /** VS Code drops all rows until it has new ones, with the targets of menus and boxes: refresh it last. */
  const refresh = async (): Promise<void> => {
    if (rows === undefined) return;
    const before = rows;
    await listRows();
    isListedAhead = !isDeepStrictEqual([...rows.keys()], [...before.keys()]);
    changed.fire(isListedAhead ? undefined : [...rows.values()]);
  };

  const rootRows = async (): Promise<ResourceRow[]> => {
    if (!isListedAhead) await listRows();
    isListedAhead = false;
    return [...(rows?.values() ?? [])];
  };

  const filesBelow = async (parent: ResourceRow | EntryRow): Promise<Row[]> => {
    const entries = await listFolder(parent, { server });
    const count = shownCounts.get(rowId(parent)) ?? pageLength;
    const rest = entries.length - count;
    return rest > 0 ? [...entries.slice(0, count), { type: "more", parent, count: rest }] : entries;
  };

  const resourceItem = async ({ listing }: ResourceRow): Promise<vscode.TreeItem> => {
    const { describeRow, iconOf, spokenRow, tooltipOf } = await import("./row-text.ts");
    const { name, type, state } = listing;
    const context = rowContext(refresher.progressOf(name));
    const isRefreshing = context.progress !== undefined;
    const isBrowsable = state === "ready" || state === "stale";
    const item = new vscode.TreeItem(
      name,
      isBrowsable ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
    );
    const { id, color } = iconOf(listing, isRefreshing);
    item.iconPath = new vscode.ThemeIcon(id, color === undefined ? undefined : new vscode.ThemeColor(color));
    item.description = showInvisible(describeRow(listing, context));
    item.tooltip = new vscode.MarkdownString(tooltipOf(listing, context));
    const kind = listing.origin === "project" ? "project" : isPackage(listing) ? "package" : type;
    item.contextValue = `resource.${kind}.${isRefreshing ? "refreshing" : state}`;
    // A row with a check box unfolds at its arrow only, unless it has a command of its own.
    if (isBrowsable) item.command = { command: "list.toggleExpand", title: vscode.l10n.t("Unfold") };
    item.checkboxState = checkbox(chosenNames(selection.names, listings).includes(name));
    item.accessibilityInformation = { label: spokenRow(listing, context) };
    return item;
  };

  const listeners = [
    selection.onDidChange(() => changed.fire([...(rows?.values() ?? [])])),
    refresher.onDidChange((name) => {
      const row = rows?.get(name);
      if (row !== undefined) changed.fire(row);
    }),
  ];
  return {
    onDidChangeTreeData: changed.event,
    onDidList: listed.event,
    get listings() {
      return listings;
    },
    load,
    refresh: () => void refresh(),
    showMore(parent) {
      shownCounts.set(rowId(parent), (shownCounts.get(rowId(parent)) ?? pageLength) + 5 * pageLength);
      changed.fire(parent);
    },
    async getChildren(row) {
      if (row === undefined) return rootRows();
      if (row.type === "file" || row.type === "more") return [];
      return filesBelow(row);
    },
    getParent: (row) => (row.type === "resource" ? undefined : row.parent),
    async getTreeItem(row) {
      const item =
        row.type === "resource" ? await resourceItem(row) : row.type === "more" ? moreItem(row) : entryItem(row);
      item.id = rowId(row);
      return item;
    },
    dispose() {
      for (const listener of [...listeners, changed, listed]) listener.dispose();
    },
  };
}

/** The same row with it, where there is one: it stays the one that was clicked or is open. */
function withListing(row: ResourceRow | undefined, listing: ResourceListing): ResourceRow {
  if (row === undefined) return { type: "resource", listing };
  row.listing = listing;
  return row;
}

function rowContext(progress: string | undefined): RowContext {
  const home = os.homedir();
  const shortPath = (path: string) => {
    const isWhole = vscode.workspace.workspaceFolders?.some(({ uri }) => uri.fsPath === path) ?? false;
    if (isWhole) return vscode.l10n.t("this workspace");
    const inWorkspace = vscode.workspace.asRelativePath(path, false);
    return inWorkspace.startsWith(home) ? `~${inWorkspace.slice(home.length)}` : inWorkspace;
  };
  return { l10n: vscode.l10n, locale: vscode.env.language, now: Date.now(), progress, shortPath };
}

function checkbox(isChecked: boolean): NonNullable<vscode.TreeItem["checkboxState"]> {
  return isChecked
    ? { state: vscode.TreeItemCheckboxState.Checked, tooltip: vscode.l10n.t("Questions use it") }
    : { state: vscode.TreeItemCheckboxState.Unchecked, tooltip: vscode.l10n.t("Questions do not use it") };
}

function entryItem({ type, name, path, sizeBytes, uri }: EntryRow): vscode.TreeItem {
  const isFile = type === "file";
  const { None, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(showInvisible(name), isFile ? None : Collapsed);
  item.resourceUri = uri;
  item.iconPath = isFile ? vscode.ThemeIcon.File : vscode.ThemeIcon.Folder;
  item.contextValue = type;
  const size = sizeBytes === null ? "" : ` (${formatSize(sizeBytes, vscode.env.language)})`;
  item.tooltip = new vscode.MarkdownString(`${escapeMarkdown(path)}${escapeMarkdown(size)}`);
  const label = isFile ? vscode.l10n.t("{0}, file", name) : vscode.l10n.t("{0}, folder", name);
  item.accessibilityInformation = { label };
  if (isFile) item.command = { command: "vscode.open", title: vscode.l10n.t("Open"), arguments: [uri] };
  return item;
}

function moreItem({ parent, count }: MoreRow): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t("… {0} more", formatCount(count, vscode.env.language)));
  item.tooltip = vscode.l10n.t("Show more of this folder");
  item.command = { command: "citewell.showMoreFiles", title: vscode.l10n.t("Show More"), arguments: [parent] };
  return item;
}
