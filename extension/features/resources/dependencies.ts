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
  const { dependencies, skipped = [] } = await parts.server.request("listDependencies", {});
  if (dependencies === null)
    return showMessage(
      vscode.l10n.t("There is no manifest of a package manager in this workspace, such as package.json."),
    );
  if (dependencies.length === 0 && skipped.length === 0)
    return showMessage(vscode.l10n.t("The package.json of this workspace names no dependency."));
  const missing = dependencies.filter(({ isAdded }) => !isAdded);
  if (missing.length === 0 && skipped.length === 0)
    return showMessage(vscode.l10n.t("Every dependency of this workspace is a resource already."));
  const chosen = await vscode.window.showQuickPick<DependencyItem>(itemsOf(dependencies, skipped), {
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

/** Those that cannot be added are listed with the reason; choosing one has no effect. */
function itemsOf(
  dependencies: readonly Dependency[],
  skipped: NonNullable<DependencyList["skipped"]>,
): DependencyItem[] {
  const item = (dependency: Dependency): DependencyItem => ({
    label: dependency.isAdded ? `$(check) ${dependency.name}` : dependency.name,
    description: dependency.version ?? dependency.spec.version ?? dependency.wanted ?? vscode.l10n.t("latest"),
    dependency,
  });
  const group = (label: string, items: readonly DependencyItem[]): DependencyItem[] =>
    items.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
  const reasons = skipped.map(({ name, reason }) => ({ label: `$(circle-slash) ${name}`, description: reason }));
  return [
    ...dependencies.filter(({ isAdded }) => !isAdded).map(item),
    ...group(vscode.l10n.t("already added"), dependencies.filter(({ isAdded }) => isAdded).map(item)),
    ...group(vscode.l10n.t("cannot be added"), reasons),
  ];
}

function showMessage(message: string): void {
  void vscode.window.showInformationMessage(message);
}
