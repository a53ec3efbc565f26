import { copyText } from "./clipboard.ts";
import { notify, type Tui } from "./tui-context.ts";

/** Copies, and says where the text went. */
export async function copy(tui: Tui, text: string, what: string): Promise<void> {
  const copied = await copyText(text, tui.terminal);
  if (copied.to === "clipboard") notify(tui, `copied ${what}`, "good");
  else if (copied.to === "terminal") notify(tui, `sent ${what} to the terminal's clipboard`);
  else notify(tui, `no clipboard was found: ${what} is in ${copied.file}`, "warning");
}
