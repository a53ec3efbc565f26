import { scrollSource, showClickedCitation } from "./cited.ts";
import type { TerminalInput } from "./input.ts";
import { selectedText } from "./selection.ts";
import { copy } from "../prompt/copy.ts";
import { gutterWidth } from "./source-pane.ts";
import type { ColumnRange, Place } from "./state.ts";
import { background, type Tui } from "./tui-context.ts";

/** The wheel scrolls, a drag selects and copies, a click on a citation shows its lines. */
export function handleMouse(tui: Tui, { action, column, row }: Extract<TerminalInput, { type: "mouse" }>): void {
  const place = { column, row };
  const { wheelRows, mouse, copyOnSelect } = tui.preferences;
  if (mouse === "wheel" && !action.startsWith("wheel")) return;
  switch (action) {
    case "wheel-up":
    case "wheel-down": {
      const by = action === "wheel-up" ? -wheelRows : wheelRows;
      return isInPane(tui, place) ? scrollSource(tui, by) : scroll(tui, by);
    }
    case "press":
      tui.pressedAt = { ...place, within: columnsAt(tui, place) };
      tui.state = { ...tui.state, selection: undefined };
      return;
    case "drag":
      if (tui.pressedAt === undefined) return;
      tui.state = { ...tui.state, selection: { from: tui.pressedAt, to: place, within: tui.pressedAt.within } };
      return;
    case "release": {
      tui.pressedAt = undefined;
      if (tui.state.selection !== undefined) {
        if (copyOnSelect) copySelection(tui);
        return;
      }
      const frame = tui.view.draw(tui.state, tui.size());
      const citation = frame.rows[row]?.[column]?.citation;
      if (citation !== undefined) background(tui, showClickedCitation(tui, citation));
    }
  }
}

/** Whether a place is in the cited lines. */
function isInPane({ state, size, view }: Tui, { column, row }: Place): boolean {
  const { pane } = view.transcript(state, size());
  return pane !== undefined && column >= pane.left && row >= pane.top && row < pane.top + pane.height;
}

/** A selection stays in the transcript, or in the cited lines, whose line numbers it does not take. */
function columnsAt(tui: Tui, place: Place): ColumnRange {
  const { columns, rows } = tui.size();
  const { pane, viewport } = tui.view.transcript(tui.state, { columns, rows });
  const { source } = tui.state;
  if (source !== undefined && pane !== undefined && isInPane(tui, place))
    return { start: pane.left + gutterWidth(source), end: columns };
  return { start: 0, end: place.row < viewport.height ? viewport.width : columns };
}

/** Copies the selected text; false without a selection. */
export function copySelection(tui: Tui): boolean {
  const { selection } = tui.state;
  if (selection === undefined) return false;
  const frame = tui.view.draw({ ...tui.state, selection: undefined }, tui.size());
  background(tui, copy(tui, selectedText(frame, selection), "the selection"));
  return true;
}

/** Scrolls the transcript down by rows; negative is up. */
export function scroll(tui: Tui, by: number): void {
  const { transcript, viewport } = tui.view.transcript(tui.state, tui.size());
  tui.state = { ...tui.state, anchor: transcript.scroll(tui.state.anchor, by, viewport), selection: undefined };
}
