import { errorBodyOf } from "../../client/error-body.ts";
import type { LineHistory } from "../prompt/history.ts";
import type { Notice, PickerItem, PromptContext } from "../prompt/prompt-context.ts";
import type { Screen } from "./modes.ts";
import type { ColumnRange, Place, Size, TuiState } from "./state.ts";
import type { View } from "./view.ts";

/** The running full-screen view; what handles input changes `state` and repaints. */
export interface Tui extends PromptContext {
  state: TuiState;
  /** What the open list holds, and what choosing one of them does. */
  picker: Picker | undefined;
  /** The entry of the history in the prompt; -1 is the user's own draft. */
  historyIndex: number;
  /** The id of the turn that a second Escape stops; any other key clears it, with the message that asks for Escape. */
  turnToStop: string | undefined;
  /** Where the mouse button was pressed, and the columns that a drag from there selects. */
  pressedAt: (Place & { within: ColumnRange }) | undefined;
  /** `provider/model` of the next question. */
  model: string;
  readonly history: LineHistory;
  readonly view: View;
  readonly screen: Screen;
  size(): Size;
  repaint(): void;
  /** Draws every cell again. */
  redraw(): void;
  /** Reads the model and the resources again. */
  refresh(): Promise<void>;
  /** Runs something that needs the normal screen, and comes back. */
  outside(work: () => Promise<void>): Promise<void>;
}

/** The open list with its items. */
export interface Picker {
  items: readonly PickerItem[];
  /** Completes the prompt, whose text is the query; otherwise the list has a query of its own. */
  isCompletion: boolean;
  title: string;
}

/** Shows a line above the prompt; empty text removes it. */
export function notify(tui: Tui, text: string, mark: Notice["mark"] = "dim"): void {
  tui.state = { ...tui.state, notice: text === "" ? undefined : { text, mark } };
}

/** Work that the keyboard does not wait for. A failure is shown. */
export function background(tui: Tui, work: void | Promise<void>): void {
  if (work === undefined) return;
  work.catch((error: unknown) => notify(tui, errorBodyOf(error).error, "bad")).finally(() => tui.repaint());
}
