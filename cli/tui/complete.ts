import { argumentWord, completeArgument, type Completions, completeWord } from "../prompt/complete.ts";
import type { PickerItem } from "../prompt/prompt-context.ts";
import { replaceBefore } from "./draft.ts";
import { closeList } from "./pick.ts";
import { background, type Tui } from "./tui-context.ts";

/** Opens, changes or closes the completions of what is before the cursor: a command, its argument, or a mention. */
export function complete(tui: Tui): void {
  const before = textBefore(tui);
  const later = completeArgument(before, tui);
  if (later !== undefined) return background(tui, completeLater(tui, later));
  const { typed, items } = completeWord(before, tui);
  const toItem = ({ label, detail, word }: (typeof items)[number]) => ({
    label,
    detail,
    choose: () => replace(tui, typed, word),
  });
  showList(tui, items.map(toItem), 0);
}

const textBefore = ({ state: { draft } }: Tui) => draft.text.slice(0, draft.cursor);

async function completeLater(tui: Tui, later: Promise<Completions>): Promise<void> {
  const { draft } = tui.state;
  const { items } = await later;
  // Drafts never change: another one was typed meanwhile.
  if (tui.state.draft !== draft) return;
  // The word before the cursor as it is when one is chosen: the list may be of a letter before.
  const toItem = ({ label, detail, word }: (typeof items)[number]) => ({
    label,
    detail,
    choose: () => replace(tui, argumentWord(textBefore(tui)), word),
  });
  // Nothing is selected: Enter runs the command.
  showList(tui, items.map(toItem), -1);
}

function replace(tui: Tui, typed: string, word: string): void {
  tui.state = { ...tui.state, draft: replaceBefore(tui.state.draft, typed.length, word) };
}

function showList(tui: Tui, items: readonly PickerItem[], selected: number): void {
  if (tui.picker?.isCompletion === false) return;
  if (items.length === 0) return closeList(tui);
  tui.picker = { items, title: "", isCompletion: true };
  tui.state = { ...tui.state, list: { title: "", query: undefined, choices: items, selected } };
}
