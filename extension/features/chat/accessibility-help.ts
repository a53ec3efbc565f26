import * as vscode from "vscode";
import { answerWords } from "../../../server/protocol/answer-words.ts";

/** How to use the chat by keyboard and with a screen reader, as a Markdown document. */
export function accessibilityHelp(): string {
  const { t } = vscode.l10n;
  return [
    `# ${t("Citewell: Accessibility Help")}`,
    t("The Chat view has two parts: the conversation, and below it the box for questions."),
    t(
      "Each question is a heading, with its answer below it. What is going on is announced once, and again when the answer is there, with the number of its citations. The text of an answer is not read out as it arrives.",
    ),
    `## ${t("Keys")}`,
    [
      t("Enter in the box asks the question; Shift+Enter begins a new line."),
      t("Escape, pressed twice while an answer is being written, stops it."),
      t("@ in the box completes the name of a resource or a file, # a file, and / at its start a command."),
      t(
        "Alt+Q, on a Mac Option+Command+A, adds the selected lines or the definition at the cursor of the editor to the question, and pressed again the whole file. It works in the editor and in the chat.",
      ),
      t("Alt+F8 goes to the next citation, Shift+Alt+F8 to the previous one; the editor shows its lines."),
      t("Alt+Page Down goes to the next question, Alt+Page Up to the previous one."),
      t(
        "Enter on a citation goes to the cited lines; with Ctrl, or Command on a Mac, beside the current editor. Space opens them and leaves the focus in the chat.",
      ),
    ]
      .map((line) => `- ${line}`)
      .join("\n"),
    `## ${t("Citations")}`,
    t(
      "A citation is a link whose name holds the file, the lines and its state: verified, relocated, not read in this run, mismatch, out of range, or missing.",
    ).concat(" ", t(answerWords.verifiedMeans)),
    `## ${t("Commands")}`,
    t(
      "Everything can be done by commands as well; they begin with “Citewell:” in the Command Palette. Keys can be changed in the Keyboard Shortcuts editor.",
    ),
  ]
    .join("\n\n")
    .concat("\n");
}
