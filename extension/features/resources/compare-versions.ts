import path from "node:path";
import * as vscode from "vscode";
import {
  type ComparedSide,
  type Comparison,
  describeFile,
  summarizeComparison,
} from "../../../server/protocol/compare.ts";
import type { ResourceListing } from "../../../server/protocol/resource.ts";
import { toUri } from "../citations/texts.ts";
import type { Parts } from "./parts.ts";

/** The most files of each change in the list. */
const listed = 1000;

/** Asks for another version of a resource, then which of the changed files to show, and shows both versions of it. */
export async function compareVersions(
  listing: ResourceListing,
  { server, changes }: Pick<Parts, "server" | "changes">,
): Promise<void> {
  const other = await askForVersion(listing, { server });
  if (other === undefined || other === "") return;
  // What is there now is the newer one of a repository, and the one that a package is upgraded from.
  const [before, after] = listing.package !== null ? [listing.name, other] : [`${listing.name}@${other}`, listing.name];
  const title = vscode.l10n.t("Comparing {0} with {1}", listing.name, other);
  const comparison = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (_progress, token) => server.request("compare", { before, after, limit: listed }, { token }),
  );
  // It may have been fetched for that.
  changes.fire("resources");
  const file = await askForFile(comparison);
  if (file !== undefined) await showFile(file, comparison);
}

async function askForVersion(listing: ResourceListing, { server }: Pick<Parts, "server">): Promise<string | undefined> {
  const title = vscode.l10n.t("Compare {0} With", listing.name);
  if (listing.url !== null) return askForRevision(title, listing.url, { server });
  const [prompt, placeHolder] =
    listing.package !== null
      ? [vscode.l10n.t("The other version of the package: a version, a range or a tag."), "latest"]
      : [vscode.l10n.t("The commit, branch or tag to compare with."), "HEAD"];
  const text = await vscode.window.showInputBox({
    title,
    prompt,
    placeHolder,
    value: placeHolder,
    ignoreFocusOut: true,
  });
  return text?.trim() || undefined;
}

/** The tags and branches of a repository; what is typed besides may be a commit. */
async function askForRevision(
  title: string,
  url: string,
  { server }: Pick<Parts, "server">,
): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem>();
  pick.title = title;
  pick.placeholder = vscode.l10n.t("A tag or a branch, or type the id of a commit");
  pick.ignoreFocusOut = true;
  pick.busy = true;
  const toItems = (names: readonly string[], icon: string) =>
    names.map((label) => ({ label, iconPath: new vscode.ThemeIcon(icon) }));
  let items: vscode.QuickPickItem[] = [];
  const offer = () => {
    const typed = pick.value.trim();
    const isListed = typed === "" || items.some(({ label }) => label === typed);
    // At the end: the editor knows rows by their place, and may still show the list before this one.
    pick.items = isListed ? items : [...items, { label: typed, iconPath: new vscode.ThemeIcon("git-commit") }];
  };
  const source = new vscode.CancellationTokenSource();
  const list = async () => {
    try {
      const { tags, branches } = await server.request("listBranches", { url }, { token: source.token });
      items = [...toItems(tags.toReversed(), "tag"), ...toItems(branches, "git-branch")];
      offer();
    } catch {
      // What is typed can be compared with the history on disk.
    }
    pick.busy = false;
  };
  void list();
  try {
    return await new Promise<string | undefined>((resolve) => {
      pick.onDidChangeValue(offer);
      pick.onDidAccept(() => {
        const typed = pick.value.trim();
        const isWhole = items.some(({ label }) => label === typed);
        resolve((isWhole ? typed : pick.selectedItems[0]?.label) ?? typed);
      });
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    source.cancel();
    pick.dispose();
  }
}

type File = Comparison["files"][number];

/** The changed files: sources first. */
async function askForFile(comparison: Comparison): Promise<File | undefined> {
  const summary = summarizeComparison(comparison);
  const files = comparison.files.filter(({ isText }) => isText);
  if (files.length === 0) {
    void vscode.window.showInformationMessage(summary);
    return undefined;
  }
  const items = files
    .toSorted((a, b) => Number(a.isAside) - Number(b.isAside))
    .map((file) => ({
      label: path.posix.basename(file.path),
      description: describeFile(file),
      iconPath: new vscode.ThemeIcon(icons[file.change]),
      file,
    }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: summary,
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return chosen?.file;
}

const icons = {
  removed: "diff-removed",
  renamed: "diff-renamed",
  changed: "diff-modified",
  added: "diff-added",
} as const satisfies Record<File["change"], string>;

/** Both versions beside each other, or the only one. */
async function showFile({ change, path: file, from = file }: File, { before, after }: Comparison): Promise<void> {
  const [old, now] = [uriIn(before, from), uriIn(after, file)];
  if (change === "added" || change === "removed") {
    await vscode.commands.executeCommand("vscode.open", change === "added" ? now : old);
    return;
  }
  const title = vscode.l10n.t("{0} ({1} ↔ {2})", path.posix.basename(file), before.version, after.version);
  await vscode.commands.executeCommand("vscode.diff", old, now, title);
}

function uriIn({ resource, commit: revision }: ComparedSide, file: string): vscode.Uri {
  return toUri({ resource, path: file, ...(revision === undefined ? {} : { revision }) });
}
