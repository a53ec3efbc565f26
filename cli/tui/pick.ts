import { edit, emptyDraft, insert, paste, shownText } from "./draft.ts";
import type { TerminalInput } from "./input.ts";
import { matchChoices } from "../prompt/picker.ts";
import type { PickerItem } from "../prompt/prompt-context.ts";
import type { Picker, Tui } from "./tui-context.ts";

/** Opens a list with a query of its own. */
export function openPicker(tui: Tui, title: string, items: readonly PickerItem[]): void {
  tui.picker = { items, title, isCompletion: false };
  tui.state = { ...tui.state, list: { title, query: emptyDraft, choices: items, selected: 0 } };
}

/** Replaces the items of the open list; its query and the chosen row stay. */
export function updateItems(tui: Tui, items: readonly PickerItem[]): void {
  const { list } = tui.state;
  if (tui.picker === undefined || list === undefined) return;
  tui.picker = { ...tui.picker, items };
  const query = list.query === undefined ? undefined : shownText(list.query);
  tui.state = { ...tui.state, list: { ...list, choices: found(tui.picker, query) } };
}

/** Closes the open list, if any. */
export function closeList(tui: Tui): void {
  tui.picker = undefined;
  tui.state = { ...tui.state, list: undefined };
}

/** The chosen item of the open list; undefined if none is selected. */
export function chosenItem({ state: { list }, picker }: Tui): PickerItem | undefined {
  if (list === undefined || picker === undefined) return undefined;
  return found(picker, list.query === undefined ? undefined : shownText(list.query))[list.selected];
}

/** Moves the choice; wraps around. */
export function moveChoice(tui: Tui, by: number): void {
  const { list } = tui.state;
  if (list === undefined || list.choices.length === 0) return;
  // Without a selected row, up begins at the last one.
  const from = Math.max(list.selected, by < 0 ? 0 : -1);
  const selected = (from + by + list.choices.length) % list.choices.length;
  tui.state = { ...tui.state, list: { ...list, selected } };
}

/** Changes the query of a picker; false when the input does not edit. */
export function editQuery(tui: Tui, input: TerminalInput): boolean {
  const { list } = tui.state;
  const { picker } = tui;
  if (list?.query === undefined || picker === undefined) return false;
  const query =
    input.type === "text"
      ? insert(list.query, input.text)
      : input.type === "paste"
        ? paste(list.query, input.text)
        : input.type === "key"
          ? edit(list.query, input.key)
          : undefined;
  if (query === undefined) return false;
  tui.state = { ...tui.state, list: { ...list, query, choices: found(picker, shownText(query)), selected: 0 } };
  return true;
}

function found({ items }: Picker, query: string | undefined): readonly PickerItem[] {
  return query === undefined ? items : matchChoices(items, query);
}
