import * as vscode from "vscode";
import type { Chat, Citations, Citewell } from "../../context.ts";
import { showError } from "../../server-error.ts";
import { accessibilityHelp } from "./accessibility-help.ts";
import type { Attachment } from "../../../server/protocol/attachment.ts";
import { attachmentOf, readAttachment, readSymbol } from "./attachment.ts";
import type { ChatHost } from "./chat-host.ts";
import { chosenNames, toSelection } from "../resources/chosen.ts";

/** The chat as the history uses it as well. */
export interface ChatFeature extends Chat, vscode.Disposable {
  /** @throws ServerError (ThreadNotFound) */
  threadMarkdown(id: string): Promise<string>;
  /** A thread is gone: a chat that shows it begins anew. */
  forget(thread: string): Promise<void>;
}

/** The view and its commands. What they need is loaded with the first of them, and the server starts then. */
export function registerChat(citewell: Citewell, { citations }: { citations: Citations }): ChatFeature {
  let loading: Promise<ChatHost> | undefined;
  const host = () => (loading ??= load());

  async function load(): Promise<ChatHost> {
    const { createChatHost } = await import("./chat-host.ts");
    return createChatHost(citewell, { citations, showError });
  }

  async function copy(text: string | undefined): Promise<void> {
    if (text !== undefined) await vscode.env.clipboard.writeText(text);
  }

  /** Outlives the focus: an editor tab with the chat is no text editor. */
  let lastEditor = vscode.window.activeTextEditor;
  const editorToRead = () => (lastEditor?.document.isClosed === true ? undefined : lastEditor);

  async function attach(attachment: Attachment | undefined): Promise<void> {
    if (attachment === undefined) await (await host()).compose();
    else await (await host()).attach(attachment);
  }

  const askSelection = () => attach(readAttachment(editorToRead(), citations));
  const fileOf = (editor: vscode.TextEditor | undefined) => editor && attachmentOf(editor.document, undefined);

  /** What the cursor points at; what is added already, gives way to its whole file. */
  async function addToQuestion(): Promise<void> {
    const editor = editorToRead();
    const pointed = await readSymbol(editor, { ...citations, server: citewell.server });
    const isAdded = pointed !== undefined && (await host()).hasAttached(pointed);
    await attach(isAdded ? fileOf(editor) : pointed);
  }

  /** Asks why lines are there: those of the selection, else the definition at the cursor, with the commits of them. */
  async function whyHere(): Promise<void> {
    const editor = editorToRead();
    const lines = await readSymbol(editor, { ...citations, server: citewell.server });
    if (editor === undefined || lines === undefined) return attach(undefined);
    await (await host()).askWhy(editor.document, lines);
  }

  async function addFile(uri: unknown): Promise<void> {
    const isChosen = uri instanceof vscode.Uri;
    await attach(
      isChosen ? attachmentOf(await vscode.workspace.openTextDocument(uri), undefined) : fileOf(editorToRead()),
    );
  }

  const commands: Record<string, (...args: unknown[]) => Promise<void>> = {
    newChat: async () => (await host()).newChat(),
    async ask(question) {
      const asked = typeof question === "string" ? question : await askForQuestion();
      if (asked !== undefined && asked.trim() !== "") await (await host()).ask(asked);
    },
    askSelection,
    // Menus show no category, so its title names Citewell.
    askSelectionInMenu: askSelection,
    addToQuestion,
    whyHere,
    addFile,
    addFileInMenu: addFile,
    openChatInEditor: async () => (await host()).showInEditor(),
    stop: async () => (await host()).stop(),
    retry: async () => (await host()).retry(),
    copyAnswer: async () => copy((await host()).lastAnswer()),
    copyConversation: async () => copy(await (await host()).conversationMarkdown()),
    exportConversation: async () => showDocument("markdown", await (await host()).conversationMarkdown()),
    nextCitation: async () => (await host()).move("next-citation"),
    previousCitation: async () => (await host()).move("previous-citation"),
    nextTurn: async () => (await host()).move("next-turn"),
    previousTurn: async () => (await host()).move("previous-turn"),
    showLastTrace: async () => showDocument("json", (await host()).lastTrace()),
    accessibilityHelp: async () => void (await vscode.window.showTextDocument(helpUri, { preview: true })),
    chooseResources: () => chooseResources(citewell),
  };

  const registrations = [
    vscode.window.registerWebviewViewProvider("citewell.chat", {
      resolveWebviewView: async (view) => (await host()).resolve(view),
    }),
    vscode.window.registerWebviewPanelSerializer("citewell.chatEditor", {
      deserializeWebviewPanel: async (panel) => (await host()).adopt(panel),
    }),
    vscode.window.onDidChangeActiveTextEditor((editor) => {
      if (editor !== undefined) lastEditor = editor;
    }),
    // The document is of a content provider, so that it is read-only and closing it asks nothing.
    vscode.workspace.registerTextDocumentContentProvider(helpUri.scheme, {
      provideTextDocumentContent: accessibilityHelp,
    }),
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(`citewell.${name}`, (...args: unknown[]) => run(...args).catch(showError)),
    ),
  ];

  return {
    ask: async (question, options) => (await host()).ask(question, options),
    compose: async (text) => (await host()).compose(text),
    resume: async (thread) => (await host()).resume(thread),
    threadMarkdown: async (id) => (await host()).threadMarkdown(id),
    async forget(thread) {
      // A chat that was never opened shows nothing.
      if (loading !== undefined) (await loading).forget(thread);
    },
    dispose() {
      registrations.forEach((registration) => registration.dispose());
      void loading?.then((loaded) => loaded.dispose());
    },
  };
}

const helpUri = vscode.Uri.from({ scheme: "citewell-help", path: "/Citewell Accessibility Help.md" });

/** A new document that is saved nowhere; nothing opens where there is nothing to show, and that is said. */
export async function showDocument(language: "markdown" | "json", content: string | undefined): Promise<void> {
  if (content === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t("There is no conversation yet."));
    return;
  }
  const document = await vscode.workspace.openTextDocument({ language, content });
  await vscode.window.showTextDocument(document, { preview: true });
}

function askForQuestion(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t("Ask Citewell"),
    prompt: vscode.l10n.t("Name resources with @, such as @express or @npm:zod."),
    placeHolder: vscode.l10n.t("How does …?"),
  });
}

/**
 * Lets the user choose the resources that questions without mentions are about. None chosen means the usual ones.
 * @throws ServerError
 */
async function chooseResources({ server, selection }: Citewell): Promise<void> {
  const { resources } = await server.request("listResources", {});
  const usual = new Set(chosenNames(selection.names, resources));
  const items = resources.map(({ name, type, specialNotes }) => ({
    label: name,
    description: type,
    ...(specialNotes === null ? {} : { detail: specialNotes }),
    picked: usual.has(name),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    matchOnDescription: true,
    title: vscode.l10n.t("Resources for Questions"),
    placeHolder: vscode.l10n.t("Questions without mentions are about these resources"),
  });
  if (chosen !== undefined) await selection.set(toSelection(new Set(chosen.map(({ label }) => label)), resources));
}
