import * as vscode from "vscode";
import type { ThreadSummary } from "../../server/protocol/threads.ts";
import { byPlace } from "../../client/thread-place.ts";
import type { Citewell } from "../context.ts";
import { showError } from "../server-error.ts";
import { type ChatFeature, showDocument } from "./chat/chat.ts";
import { formatAge } from "./resources/amounts.ts";

/** What commands of a row are called with: the row itself, or just its id from elsewhere. */
interface ThreadRow {
  id: string;
}

/** The heading above the conversations of other projects. */
interface ElsewhereRow {
  elsewhere: readonly ThreadSummary[];
  isExpanded: boolean;
}

/** The tree of kept conversations, the one used last first; those of other projects are below a heading. */
export function registerThreads(citewell: Citewell, { chat }: { chat: ChatFeature }): vscode.Disposable {
  const { server, changes } = citewell;
  const changed = new vscode.EventEmitter<void>();

  const view = vscode.window.createTreeView<ThreadSummary | ElsewhereRow>("citewell.threads", {
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getChildren: async (row) => (row === undefined ? listRows() : "elsewhere" in row ? [...row.elsewhere] : []),
      getTreeItem: (row) => ("elsewhere" in row ? toHeading(row) : toTreeItem(row)),
    },
  });

  async function listRows(): Promise<(ThreadSummary | ElsewhereRow)[]> {
    const { here, elsewhere } = byPlace(await listThreads());
    return elsewhere.length === 0 ? [...here] : [...here, { elsewhere, isExpanded: here.length === 0 }];
  }

  /** A failure is shown in the view, in place of the rows. */
  async function listThreads(): Promise<ThreadSummary[]> {
    try {
      const { threads } = await server.request("listThreads", {});
      view.message = "";
      return threads;
    } catch (error) {
      view.message = error instanceof Error ? error.message : String(error);
      return [];
    }
  }

  async function remove(id: string): Promise<void> {
    const { threads } = await server.request("listThreads", {});
    const title = threads.find((thread) => thread.id === id)?.title ?? id;
    const confirm = vscode.l10n.t("Delete");
    const message = vscode.l10n.t("Delete the conversation “{0}”?", title);
    const detail = vscode.l10n.t("It cannot be brought back. Export it first if you want to keep it.");
    if ((await vscode.window.showWarningMessage(message, { modal: true, detail }, confirm)) !== confirm) return;
    await server.request("deleteThread", { id });
    await chat.forget(id);
    changes.fire("threads");
  }

  /** The row of a menu; a command from the palette asks which one. */
  const onThread = (action: (id: string) => Promise<void>) => async (row: unknown) => {
    const id = isRow(row) ? row.id : await pickThread(citewell);
    if (id !== undefined) await action(id);
  };

  const commands = {
    searchThreads: onThread((id) => chat.resume(id)),
    resumeThread: onThread((id) => chat.resume(id)),
    deleteThread: onThread(remove),
    exportThread: onThread(async (id) => showDocument("markdown", await chat.threadMarkdown(id))),
  };

  return vscode.Disposable.from(
    view,
    changed,
    changes.onDidChangeThreads(() => changed.fire()),
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(`citewell.${name}`, (row: unknown) => run(row).catch(showError)),
    ),
  );
}

function toHeading({ isExpanded }: ElsewhereRow): vscode.TreeItem {
  const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(vscode.l10n.t("Other projects"), isExpanded ? Expanded : Collapsed);
  item.contextValue = "elsewhere";
  item.iconPath = new vscode.ThemeIcon("history");
  return item;
}

function toTreeItem({ id, title, updatedAt, turnCount, resources }: ThreadSummary): vscode.TreeItem {
  const age = formatAge(Date.now() - Date.parse(updatedAt), vscode.l10n);
  const asked = resources.join(", ");
  const item = new vscode.TreeItem(title);
  item.id = id;
  item.contextValue = "thread";
  item.iconPath = new vscode.ThemeIcon("comment-discussion");
  item.description = asked === "" ? age : `${asked} · ${age}`;
  item.tooltip = [title, vscode.l10n.t("Questions: {0}", turnCount), asked, age]
    .filter((part) => part !== "")
    .join("\n");
  item.accessibilityInformation = {
    label: vscode.l10n.t("{0}, about {1}, {2}, questions: {3}", title, asked, age, turnCount),
  };
  item.command = { command: "citewell.resumeThread", title: vscode.l10n.t("Resume Conversation"), arguments: [{ id }] };
  return item;
}

interface ThreadItem extends vscode.QuickPickItem {
  id: string;
}

/** Finds a conversation by its title and all its questions; these are read while the list is shown already. */
async function pickThread({ server }: Citewell): Promise<string | undefined> {
  const { threads } = await server.request("listThreads", {});
  const picker = vscode.window.createQuickPick<ThreadItem>();
  picker.title = vscode.l10n.t("History");
  picker.placeholder = vscode.l10n.t("Search titles and questions");
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.items = toQuickPicks(threads, new Map());
  let isOpen = true;

  async function addQuestions(): Promise<void> {
    picker.busy = true;
    const questions = new Map<string, string[]>();
    for (const { id } of threads.filter(({ turnCount }) => turnCount > 1)) {
      if (!isOpen) return;
      const { turns } = await server.request("getThread", { id });
      questions.set(
        id,
        turns.slice(1).map(({ question }) => question),
      );
    }
    const [active] = picker.activeItems;
    picker.items = toQuickPicks(threads, questions);
    picker.activeItems = picker.items.filter(({ id }) => id === active?.id);
  }

  return new Promise((resolve) => {
    picker.onDidAccept(() => {
      resolve(picker.selectedItems[0]?.id);
      picker.hide();
    });
    picker.onDidHide(() => {
      isOpen = false;
      resolve(undefined);
      picker.dispose();
    });
    picker.show();
    // Without the questions the titles can be searched all the same.
    void addQuestions()
      .catch(() => undefined)
      .finally(() => (picker.busy = false));
  });
}

/** This project's conversations first; a separator has no id. */
function toQuickPicks(
  threads: readonly ThreadSummary[],
  questions: ReadonlyMap<string, readonly string[]>,
): ThreadItem[] {
  const { here, elsewhere } = byPlace(threads);
  const toItem = (thread: ThreadSummary) => toQuickPick(thread, questions.get(thread.id) ?? []);
  const heading = { id: "", label: vscode.l10n.t("Other projects"), kind: vscode.QuickPickItemKind.Separator };
  return [...here.map(toItem), ...(elsewhere.length === 0 ? [] : [heading, ...elsewhere.map(toItem)])];
}

function toQuickPick({ id, title, updatedAt, resources }: ThreadSummary, questions: readonly string[]): ThreadItem {
  const detail = questions.map((question) => question.replace(/\s+/g, " ").slice(0, 200)).join(" · ");
  const age = formatAge(Date.now() - Date.parse(updatedAt), vscode.l10n);
  return {
    id,
    label: title,
    description: [...resources, age].join(" · "),
    ...(detail === "" ? {} : { detail: detail.slice(0, 2000) }),
  };
}

function isRow(value: unknown): value is ThreadRow {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";
}
