import { isWheelRows, type Preferences, savePreferences } from "./preferences.ts";
import { notify, type Tui } from "./tui-context.ts";

/** `/mouse` toggles; `/mouse on`, `wheel` or `off`, `/mouse copy on` or `off` and `/mouse speed 5` set a preference. */
export async function changeMouse(tui: Tui, argument: string): Promise<void> {
  const { preferences } = tui;
  const change = parseChange(argument, preferences);
  if (change === undefined) return notify(tui, `/mouse ${argument}: use ${usage}`, "warning");
  const changed = { ...preferences, ...change };
  tui.preferences = changed;
  tui.screen.setMouse(changed.mouse !== "off");
  await savePreferences(changed, tui.terminal);
  notify(tui, describe(changed));
}

const usage = "on, wheel, off, copy on, copy off, or speed and a number";

function parseChange(text: string, { mouse }: Preferences): Partial<Preferences> | undefined {
  const [word = "", value = ""] = text.split(/\s+/);
  if (word === "") return { mouse: mouse === "off" ? "on" : "off" };
  if (word === "on" || word === "wheel" || word === "off") return { mouse: word };
  if (word === "copy" && (value === "on" || value === "off")) return { copyOnSelect: value === "on" };
  const rows = Number(value);
  return word === "speed" && isWheelRows(rows) ? { wheelRows: rows } : undefined;
}

function describe({ mouse, wheelRows, copyOnSelect }: Preferences): string {
  if (mouse === "off") return "the terminal has the mouse: drag to select";
  const rows = wheelRows === 1 ? "1 row" : `${wheelRows} rows`;
  if (mouse === "wheel") return `the wheel scrolls ${rows}; clicks are ignored`;
  return `the wheel scrolls ${rows}; ${copyOnSelect ? "a drag copies" : "a drag selects, Ctrl+C copies"}`;
}
