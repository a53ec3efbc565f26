import type * as vscode from "vscode";
import { createContext } from "./create-context.ts";
import { registerChat } from "./features/chat/chat.ts";
import { registerCitations } from "./features/citations/citations.ts";
import { registerEditorModels } from "./features/editor-models.ts";
import { registerLanguageTools } from "./features/language-tools.ts";
import { registerMcp } from "./features/mcp.ts";
import { registerModels } from "./features/models.ts";
import { registerParticipant } from "./features/participant.ts";
import { registerResources } from "./features/resources/resources.ts";
import { registerServer } from "./features/server.ts";
import { registerThreads } from "./features/threads.ts";
import { registerUpgrade } from "./features/upgrade.ts";
import { registerUriHandler } from "./features/uri-handler.ts";

/** A table of contents: the shared services, then one line per feature. */
export function activate(context: vscode.ExtensionContext): void {
  const citewell = createContext(context);
  const citations = registerCitations(citewell);
  const chat = registerChat(citewell, { citations });
  const resources = registerResources(citewell, { chat, citations });
  context.subscriptions.push(registerServer(citewell), citations, chat, registerThreads(citewell, { chat }));
  context.subscriptions.push(resources, registerUriHandler({ resources }));
  const editorModels = registerEditorModels(citewell);
  context.subscriptions.push(editorModels, registerModels(citewell), registerParticipant(citewell, { editorModels }));
  context.subscriptions.push(registerLanguageTools(citewell), registerMcp(citewell), registerUpgrade());
}
