import { completeMention } from "../../client/mentions.ts";
import { replaceBefore } from "./draft.ts";
import { closeList } from "./pick.ts";
import { matchChoices } from "./picker.ts";
import { slashCommands } from "./slash-commands.ts";
import type { PickerItem, Tui } from "./tui-context.ts";

/** Opens, changes or closes the completions of what is before the cursor: a command, or a mention of a resource. */
export function complete(tui: Tui): void {
  if (tui.picker?.isCompletion === false) return;
  const items = completionsOf(tui);
  if (items.length === 0) return closeList(tui);
  tui.picker = { items, title: "", isCompletion: true };
  tui.state = { ...tui.state, list: { title: "", query: undefined, choices: items, selected: 0 } };
}

function completionsOf(tui: Tui): readonly PickerItem[] {
  const { draft } = tui.state;
  const before = draft.text.slice(0, draft.cursor);
  const insertAs = (length: number, text: string) => () => {
    tui.state = { ...tui.state, draft: replaceBefore(tui.state.draft, length, text) };
  };
  if (/^\/[a-z-]*$/.test(before)) {
    const items = Object.entries(slashCommands).map(([name, { help }]) => ({
      label: `/${name}`,
      detail: help,
      choose: insertAs(before.length, `/${name} `),
    }));
    return matchChoices(items, before);
  }
  const mention = completeMention(before, tui.resources);
  const { word = "", candidates = [] } = mention ?? {};
  return candidates.map(({ mention: name, resource }) => ({
    label: name,
    detail: resource.type,
    choose: insertAs(word.length, `${name} `),
  }));
}
