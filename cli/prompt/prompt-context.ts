import type { Session } from "../../client/session.ts";
import type { Lookups } from "../../server/config/language/lookups.ts";
import type { ResourceListing } from "../../server/protocol/resource.ts";
import type { ConnectedApp } from "../app/open-app.ts";
import type { Style } from "../render/style.ts";
import type { Terminal } from "../terminal.ts";
import type { Choice } from "./picker.ts";
import type { Preferences } from "./preferences.ts";

/** One line about what just happened. */
export interface Notice {
  text: string;
  mark: "dim" | "good" | "warning" | "bad";
}

/** An item that can be chosen, unless it is only read. */
export interface PickerItem extends Choice {
  /** @param numbers those of further choices in the lists that this one opens */
  choose?(numbers: string): void | Promise<void>;
}

/**
 * A conversation at the terminal, for the commands that are typed at its prompt. The full screen and the line mode each
 * implement it: a command does not know which of them shows its outcome.
 */
export interface PromptContext {
  readonly app: ConnectedApp;
  readonly session: Session;
  /** What completions look up, within a time limit; undefined for a server elsewhere. */
  readonly lookups: ((signal: AbortSignal) => Lookups) | undefined;
  /** The URL of `--server`. */
  readonly server: string | undefined;
  readonly style: Style;
  readonly terminal: Terminal;
  /** Those that were listed last. */
  resources: readonly ResourceListing[];
  preferences: Preferences;
  /** For `/help`. */
  readonly keys: readonly Choice[];
  notify(text: string, mark?: Notice["mark"]): void;
  /**
   * Lists the items. Where the list stays open, the result replaces its items and returns whether it is still open.
   */
  pick(title: string, items: readonly PickerItem[]): ((items: readonly PickerItem[]) => boolean) | undefined;
  /** Makes the next question one about the resource. */
  mention(name: string): void;
  /** Asks about these resources as well as those that the question mentions. */
  ask(question: string, resources?: readonly string[]): void | Promise<void>;
  /** Runs a command of the command line, with its own dialogue. */
  runProgram(args: readonly string[]): Promise<void>;
  setMouse(isOn: boolean): void;
  quit(): void;
}

/** Lists the items, or chooses the one whose number is given: `/resources 2`, and `2 1` in the list that this opens. */
export function choose(
  context: PromptContext,
  { title, items, numbers }: { title: string; items: readonly PickerItem[]; numbers: string },
): void | Promise<void> {
  const [number, rest = ""] = numbers.split(/\s+(.*)/);
  if (number === undefined || number === "") return void context.pick(title, items);
  const item = items[Number(number) - 1];
  if (item === undefined) return context.notify(`${title}: there is no ${number} in the list`, "warning");
  return item.choose?.(rest);
}
