import { rm, writeFile } from "node:fs/promises";
import { codeOf, messageOf } from "../../server/errors.ts";
import { toAbsolutePath } from "../../server/lib/absolute-path.ts";
import { conversationMarkdown } from "../../client/thread-markdown.ts";
import { notify, type Tui } from "./tui-context.ts";

export const nothingToWrite = "there is no answer yet";

/** Writes the conversation as Markdown to the named file, by default one named after the first question; never over another. */
export async function exportConversation(tui: Tui, argument: string): Promise<void> {
  const { cwd, homeDirectory } = tui.terminal;
  const markdown = conversationMarkdown(tui.session.conversation);
  if (markdown === undefined) return notify(tui, nothingToWrite, "warning");
  const name = argument === "" ? `${slugOf(tui.state.turns[0]?.question ?? "")}.md` : argument;
  const file = toAbsolutePath(name, { folder: cwd, homeDirectory });
  try {
    await writeFile(file, markdown, { flag: "wx" });
    notify(tui, `exported to ${file}`, "good");
  } catch (error) {
    const isThere = codeOf(error) === "EEXIST";
    // A full disk leaves a part of it.
    if (!isThere) await rm(file, { force: true });
    notify(tui, isThere ? `${file} already exists: /export FILE` : `cannot write ${file}: ${messageOf(error)}`, "bad");
  }
}

/** `how-are-routes-matched`: letters and digits of the question, at most 50. */
function slugOf(question: string): string {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join("-").slice(0, 50).replace(/-$/, "") || "conversation";
}
