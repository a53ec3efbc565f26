import { completeMention } from "../../client/mentions.ts";
import type { Completion } from "./completion.ts";
import { replaceBefore } from "./draft.ts";
import { closeList } from "./pick.ts";
import { matchChoices } from "./picker.ts";
import { slashCommands } from "./slash-commands.ts";
import { background, type PickerItem, type Tui } from "./tui-context.ts";
import { lastWord } from "../input/words.ts";

/** Opens, changes or closes the completions of what is before the cursor: a command, its argument, or a mention. */
export function complete(tui: Tui): void {
  const later = argumentCompletions(tui);
  if (later === undefined) showList(tui, completionsOf(tui), 0);
  else background(tui, completeLater(tui, later));
}

async function completeLater(tui: Tui, later: Promise<readonly Completion[]>): Promise<void> {
  const { draft } = tui.state;
  const completions = await later;
  // Drafts never change: another one was typed meanwhile.
  if (tui.state.draft !== draft) return;
  const items = completions.map((completion) => ({ ...completion, choose: () => replaceWord(tui, completion) }));
  // Nothing is selected: Enter runs the command.
  showList(tui, items, -1);
}

function showList(tui: Tui, items: readonly PickerItem[], selected: number): void {
  if (tui.picker?.isCompletion === false) return;
  if (items.length === 0) return closeList(tui);
  tui.picker = { items, title: "", isCompletion: true };
  tui.state = { ...tui.state, list: { title: "", query: undefined, choices: items, selected } };
}

/** Undefined where the text before the cursor is not the argument of a command that completes it. */
function argumentCompletions(tui: Tui): Promise<readonly Completion[]> | undefined {
  const argument = argumentOf(tui);
  return argument === undefined ? undefined : slashCommands[argument.command]?.complete?.(argument.text, tui);
}

function argumentOf({ state: { draft } }: Tui): { command: string; text: string } | undefined {
  const [, command = "", text] = /^\/([a-z-]+)\s+(.*)$/.exec(draft.text.slice(0, draft.cursor)) ?? [];
  return text === undefined || !Object.hasOwn(slashCommands, command) ? undefined : { command, text };
}

/** Replaces the word before the cursor as it is now: the list may be of a letter before. */
function replaceWord(tui: Tui, { word }: Completion): void {
  const { raw = "" } = lastWord(argumentOf(tui)?.text ?? "") ?? {};
  tui.state = { ...tui.state, draft: replaceBefore(tui.state.draft, raw.length, word) };
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
