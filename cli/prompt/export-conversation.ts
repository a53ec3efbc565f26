import { rm, writeFile } from "node:fs/promises";
import { codeOf, messageOf } from "../../server/errors.ts";
import { toAbsolutePath } from "../../server/lib/absolute-path.ts";
import { conversationMarkdown } from "../../client/thread-markdown.ts";
import type { PromptContext } from "./prompt-context.ts";

export const nothingToWrite = "there is no answer yet";

/** Writes the conversation as Markdown to the named file, by default one named after the first question; never over another. */
export async function exportConversation(context: PromptContext, argument: string): Promise<void> {
  const { cwd, homeDirectory } = context.terminal;
  const { conversation } = context.session;
  const markdown = conversationMarkdown(conversation);
  if (markdown === undefined) return context.notify(nothingToWrite, "warning");
  const name = argument === "" ? `${slugOf(conversation.turns[0]?.question ?? "")}.md` : argument;
  const file = toAbsolutePath(name, { folder: cwd, homeDirectory });
  try {
    await writeFile(file, markdown, { flag: "wx" });
    context.notify(`exported to ${file}`, "good");
  } catch (error) {
    const isThere = codeOf(error) === "EEXIST";
    // A full disk leaves a part of it.
    if (!isThere) await rm(file, { force: true });
    context.notify(
      isThere ? `${file} already exists: /export FILE` : `cannot write ${file}: ${messageOf(error)}`,
      "bad",
    );
  }
}

/** `how-are-routes-matched`: letters and digits of the question, at most 50. */
function slugOf(question: string): string {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join("-").slice(0, 50).replace(/-$/, "") || "conversation";
}
