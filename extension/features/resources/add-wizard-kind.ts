import * as vscode from "vscode";
import { PackageName } from "../../../server/protocol/kinds/packages.ts";
import { gitHubUrl, parseTyped } from "../../../server/protocol/typed-reference.ts";
import { sentence } from "../../sentence.ts";
import { pathExists } from "../chat/path-exists.ts";
import type { Draft } from "./draft.ts";
import { showInvisible } from "./markdown.ts";
import { kindOf, kinds, pathOf } from "../../../server/protocol/kinds/kinds.ts";
import { kindNames } from "../../../server/protocol/kinds/names.ts";
import { isOneOff, type Reference } from "../../../server/protocol/reference.ts";
import { answerOf, type Answered, type Place } from "./steps.ts";
import { canReadFolders } from "./trust.ts";

interface KindItem extends vscode.QuickPickItem {
  /** Undefined if the text cannot be added: the item says why. */
  draft?: Draft;
}

/** The first step: a kind, or the thing itself, typed or pasted. */
export async function askForKind(
  draft: Draft,
  { title, step, stepCount }: Place & { stepCount(kind: Draft["kind"]): number },
): Promise<Answered<Draft>> {
  const pick = vscode.window.createQuickPick<KindItem>();
  const kinds = kindItems();
  pick.title = title;
  pick.step = step;
  pick.placeholder = vscode.l10n.t("Choose what to add, or paste an address, a path or a package");
  pick.ignoreFocusOut = true;
  pick.items = kinds;
  pick.activeItems = kinds.filter((item) => item.draft?.kind === draft.kind);
  // While nothing in the list can be added, the count stays.
  const showStepCount = ([item]: readonly KindItem[]) => {
    if (item?.draft === undefined) return;
    pick.totalSteps = stepCount(item.draft.kind) - (item.draft.isNamed === true ? 1 : 0);
  };
  showStepCount(pick.activeItems.length > 0 ? pick.activeItems : kinds);
  return answerOf<Draft>(pick, (answer) => {
    pick.onDidChangeActive(showStepCount);
    pick.onDidChangeValue((text) => {
      const found = foundItems(text);
      // A fault comes last: the text may also be the beginning of a kind's label.
      pick.items = found.some((item) => item.draft === undefined) ? [...kinds, ...found] : [...found, ...kinds];
    });
    pick.onDidAccept(() => {
      const chosen = pick.selectedItems[0]?.draft;
      if (chosen === undefined) return;
      const isSame = chosen.kind === draft.kind && chosen.isNamed !== true && draft.isNamed !== true;
      answer({ type: "next", draft: isSame ? draft : chosen });
    });
  });
}

function kindItems(): KindItem[] {
  const offered = kindNames.filter((kind) => kinds[kind].isFetched || canReadFolders());
  return offered.map((kind) => ({
    label: kinds[kind].label(vscode.l10n),
    iconPath: new vscode.ThemeIcon(kinds[kind].icon),
    detail: kinds[kind].summary(vscode.l10n),
    draft: { kind },
  }));
}

/** What the text itself names, or why it cannot be added. A bare word can only be a package. */
function foundItems(text: string): KindItem[] {
  if (text.trim() === "") return [];
  const reference = readTyped(text);
  if (!isOneOff(reference)) return reference.type === "invalid" ? [faultItem(sentence(reference.reason))] : [];
  if (!kindOf(reference).isFetched && !canReadFolders()) return [];
  const path = pathOf(reference);
  if (path !== undefined && !pathExists(path)) {
    return [faultItem(vscode.l10n.t("There is no folder {0}", showInvisible(path)))];
  }
  return [
    {
      label: vscode.l10n.t("Add {0}", showInvisible(reference.canonical)),
      iconPath: new vscode.ThemeIcon("add"),
      description: kindOf(reference).label(vscode.l10n),
      alwaysShow: true,
      draft: { kind: reference.type, isNamed: true, reference },
    },
  ];
}

function readTyped(text: string): Reference {
  const found = parseTyped(text);
  if (found.type !== "name") return found;
  const isPackage = PackageName.safeParse(found.name).success;
  return parseTyped(isPackage ? `npm:${found.name}` : (gitHubUrl(found.name) ?? found.name));
}

function faultItem(label: string): KindItem {
  return { label, iconPath: new vscode.ThemeIcon("warning"), alwaysShow: true };
}
