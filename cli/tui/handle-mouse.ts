import { scrollSource, showClickedCitation } from "./cited.ts";
import type { TerminalInput } from "./input.ts";
import { selectedText } from "./selection.ts";
import { copy } from "./copy.ts";
import type { Place } from "./state.ts";
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
      tui.pressedAt = place;
      tui.state = { ...tui.state, selection: undefined };
      return;
    case "drag":
      if (tui.pressedAt !== undefined) tui.state = { ...tui.state, selection: { from: tui.pressedAt, to: place } };
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

/** Whether a place is in the cited lines, beside or below the transcript. */
function isInPane({ state, size, view }: Tui, { column, row }: Place): boolean {
  const { columns, rows } = size();
  const { viewport } = view.transcript(state, { columns, rows });
  const isBeside = viewport.width < columns;
  return state.source !== undefined && (isBeside ? column >= viewport.width : row >= viewport.height);
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
