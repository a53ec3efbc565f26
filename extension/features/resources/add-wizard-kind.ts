import * as vscode from "vscode";
import { PackageName } from "../../../server/protocol/kinds/npm.ts";
import { parseTyped } from "../../../server/protocol/typed-reference.ts";
import type { Draft } from "./draft.ts";
import { showInvisible } from "./markdown.ts";
import { kindOf, kinds } from "../../../server/protocol/kinds/kinds.ts";
import { kindNames } from "../../../server/protocol/kinds/names.ts";
import { isOneOff } from "../../../server/protocol/reference.ts";
import { answerOf, type Answered, type Place } from "./steps.ts";
import { canReadFolders } from "./trust.ts";

interface KindItem extends vscode.QuickPickItem {
  draft: Draft;
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
  pick.activeItems = kinds.filter((item) => item.draft.kind === draft.kind);
  const showStepCount = ([item]: readonly KindItem[]) => {
    pick.totalSteps = stepCount(item?.draft.kind) - (item?.draft.isNamed === true ? 1 : 0);
  };
  showStepCount(pick.activeItems.length > 0 ? pick.activeItems : kinds);
  return answerOf<Draft>(pick, (answer) => {
    pick.onDidChangeActive(showStepCount);
    pick.onDidChangeValue((text) => {
      pick.items = [...foundItems(text), ...kinds];
    });
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      if (chosen === undefined) return;
      const isSame = chosen.draft.kind === draft.kind && chosen.draft.isNamed !== true && draft.isNamed !== true;
      answer({ type: "next", draft: isSame ? draft : chosen.draft });
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

/** What the text itself names. A bare word can only be a package. */
function foundItems(text: string): KindItem[] {
  if (text.trim() === "") return [];
  const found = parseTyped(text);
  const reference =
    found.type === "name" && PackageName.safeParse(found.name).success ? parseTyped(`npm:${found.name}`) : found;
  if (!isOneOff(reference) || (!kindOf(reference).isFetched && !canReadFolders())) return [];
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
