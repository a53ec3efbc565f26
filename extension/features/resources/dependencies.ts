import * as vscode from "vscode";
import type { DependencyList } from "../../../server/protocol/resource.ts";
import { addSpecs } from "./add.ts";
import type { Parts } from "./parts.ts";

type Dependency = NonNullable<DependencyList["dependencies"]>[number];

interface DependencyItem extends vscode.QuickPickItem {
  dependency?: Dependency;
}

/** Adds what the workspace depends on, at the versions that it has installed. */
export async function addDependencies(parts: Parts): Promise<void> {
  const { dependencies } = await parts.server.request("listDependencies", {});
  if (dependencies === null) return showMessage(vscode.l10n.t("There is no package.json in this workspace."));
  if (dependencies.length === 0)
    return showMessage(vscode.l10n.t("The package.json of this workspace names no dependency."));
  const missing = dependencies.filter(({ isAdded }) => !isAdded);
  if (missing.length === 0)
    return showMessage(vscode.l10n.t("Every dependency of this workspace is a resource already."));
  const chosen = await vscode.window.showQuickPick<DependencyItem>(itemsOf(dependencies), {
    title: vscode.l10n.t("Add Dependencies"),
    placeHolder: vscode.l10n.t("Choose the packages to add as resources"),
    canPickMany: true,
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  const specs = (chosen ?? []).flatMap(({ dependency }) =>
    dependency === undefined || dependency.isAdded ? [] : [dependency.spec],
  );
  await addSpecs(specs, parts);
}

function itemsOf(dependencies: readonly Dependency[]): DependencyItem[] {
  const item = (dependency: Dependency): DependencyItem => ({
    label: dependency.isAdded ? `$(check) ${dependency.name}` : dependency.name,
    description: dependency.version ?? dependency.spec.version ?? vscode.l10n.t("latest"),
    dependency,
  });
  const added = dependencies.filter(({ isAdded }) => isAdded);
  const missing = dependencies.filter(({ isAdded }) => !isAdded);
  if (added.length === 0) return missing.map(item);
  const separator = { label: vscode.l10n.t("already added"), kind: vscode.QuickPickItemKind.Separator };
  return [...missing.map(item), separator, ...added.map(item)];
}

function showMessage(message: string): void {
  void vscode.window.showInformationMessage(message);
}
