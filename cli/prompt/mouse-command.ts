import { isWheelRows, type Preferences, savePreferences } from "./preferences.ts";
import type { PromptContext } from "./prompt-context.ts";

/** `/mouse` toggles; `/mouse on`, `wheel` or `off`, `/mouse copy on` or `off` and `/mouse speed 5` set a preference. */
export async function changeMouse(context: PromptContext, argument: string): Promise<void> {
  const { preferences } = context;
  const change = parseChange(argument, preferences);
  if (change === undefined) return context.notify(`/mouse ${argument}: use ${usage}`, "warning");
  const changed = { ...preferences, ...change };
  context.preferences = changed;
  context.setMouse(changed.mouse !== "off");
  await savePreferences(changed, context.terminal);
  context.notify(describe(changed));
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
