import { copyText } from "./clipboard.ts";
import type { PromptContext } from "./prompt-context.ts";

/** Copies, and says where the text went. */
export async function copy(context: PromptContext, text: string, what: string): Promise<void> {
  const copied = await copyText(text, { ...context.terminal, isPlain: context.style.linear });
  if (copied.to === "clipboard") context.notify(`copied ${what}`, "good");
  else if (copied.to === "terminal") context.notify(`sent ${what} to the terminal's clipboard`);
  else context.notify(`no clipboard was found: ${what} is in ${copied.file}`, "warning");
}
