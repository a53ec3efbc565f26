import * as vscode from "vscode";
import type { Citewell } from "../context.ts";
import type { EditorModelsFeature } from "./editor-models.ts";
import { followupsFor } from "./participant/followups.ts";

/** `@citewell` in the editor's own chat; absent where the editor has none. */
export function registerParticipant(
  citewell: Citewell,
  { editorModels }: { editorModels: EditorModelsFeature },
): vscode.Disposable {
  if (!("chat" in vscode) || !("createChatParticipant" in vscode.chat)) return new vscode.Disposable(() => {});
  const participant = vscode.chat.createChatParticipant("citewell.ask", async (request, context, stream, token) => {
    const { answerRequest } = await import("./participant/answer.ts");
    return answerRequest(request, { context, stream, token, citewell, editorModels });
  });
  participant.iconPath = vscode.Uri.joinPath(citewell.extension.extensionUri, "media", "citewell.svg");
  participant.followupProvider = {
    provideFollowups: followupsFor,
  };
  // Nothing is sent anywhere: who reports a fault finds in the log which answer it was.
  const feedback = participant.onDidReceiveFeedback(({ kind, result }) => {
    const isHelpful = kind === vscode.ChatResultFeedbackKind.Helpful;
    citewell.log.info("chat feedback", { isHelpful, thread: result.metadata?.["thread"] });
  });
  return vscode.Disposable.from(participant, feedback);
}
