import * as vscode from "vscode";
import type { Language } from "../server/protocol/answer-words.ts";

/** The language of the editor's interface. */
export const editorLanguage: Language = {
  say: (sentence, ...values) => vscode.l10n.t(sentence, ...values),
  locale: vscode.env.language,
};
