import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { displayWidth } from "../../../cli/render/width.ts";
import { type Draft, edit, emptyDraft, insert, paste, shownCursor, shownText } from "../../../cli/tui/draft.ts";
import type { Frame } from "../../../cli/tui/grid.ts";
import { firstState, type Size, type TuiState } from "../../../cli/tui/state.ts";
import { createView } from "../../../cli/tui/view.ts";
import { newTurn } from "../../../client/conversation.ts";
import { plainStyle } from "../../support/plain-style.ts";

const style = { ...plainStyle, color: true, links: true };

/** A key, typed text, a paste, a chunk of the answer, or a resize. */
type Step =
  | { type: "key"; key: string }
  | { type: "text" | "paste" | "chunk"; text: string }
  | { type: "resize"; size: Size };

const text = fc.constantFrom("a", "word ", "漢字", "e\u0301", "👩‍👩‍👧‍👦", "かな入力", "x".repeat(50), "\n", "two\nlines\n");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant("key" as const),
    key: fc.constantFrom("left", "right", "home", "end", "backspace", "delete", "ctrl+w", "ctrl+left", "ctrl+u"),
  }),
  fc.record({ type: fc.constantFrom("text" as const, "paste" as const, "chunk" as const), text }),
  fc.record({ type: fc.constant("paste" as const), text: fc.constant("many\n".repeat(30)) }),
  fc.record({
    type: fc.constant("resize" as const),
    size: fc.record({ columns: fc.integer({ min: 40, max: 200 }), rows: fc.integer({ min: 8, max: 60 }) }),
  }),
);

function applyToDraft(draft: Draft, one: Step): Draft {
  if (one.type === "key") return edit(draft, one.key) ?? draft;
  if (one.type === "text") return insert(draft, one.text);
  return one.type === "paste" ? paste(draft, one.text) : draft;
}

function withChunk({ turns, ...state }: TuiState, chunk: string): TuiState {
  const [turn = newTurn({ id: "1", question: "Why?", askedAt: "2026-01-01T00:00:00.000Z" })] = turns;
  return { ...state, turns: [{ ...turn, answer: { ...turn.answer, text: turn.answer.text + chunk } }] };
}

/** The text of a row up to a column, and from it on. */
function cutRow({ rows }: Frame, row: number, column: number): [string, string] {
  const textOf = (from: number, to?: number) =>
    (rows[row] ?? [])
      .slice(from, to)
      .map((cell) => cell.text)
      .join("");
  return [textOf(2, column), textOf(column).trimEnd()];
}

/** Removes the joiners of emoji. */
const drawn = (value: string) => value.replaceAll("\u200D", "");

describe("while the prompt has the focus", () => {
  test("the cursor is at the insertion point after any key, chunk and resize, and nothing else is drawn on its right", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
        const view = createView(style);
        let size: Size = { columns: 80, rows: 24 };
        let state = firstState;
        for (const one of steps) {
          if (one.type === "resize") size = one.size;
          else if (one.type === "chunk") state = withChunk(state, one.text);
          else state = { ...state, draft: applyToDraft(state.draft, one) };
          const frame = view.draw(state, size);
          expect(frame.cursor).toBeDefined();
          const { column, row } = frame.cursor ?? { column: 0, row: 0 };
          const whole = shownText(state.draft);
          const at = shownCursor(state.draft);
          const [before, after] = cutRow(frame, row, column);
          expect(drawn(whole.slice(0, at)).slice(-before.length || whole.length)).toBe(before);
          expect(drawn(whole.slice(at)).slice(0, after.length)).toBe(after);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("a picker's query has the cursor", () => {
    const query = insert(emptyDraft, "漢字 x");
    const list = { title: "resume", query, choices: [{ label: "one" }], selected: 0 };
    const { cursor, rows } = createView(style).draw({ ...firstState, list }, { columns: 80, rows: 24 });
    const row = (rows[cursor?.row ?? 0] ?? []).map((cell) => cell.text).join("");
    expect(row.trimEnd()).toBe("resume: 漢字 x");
    expect(cursor?.column).toBe(displayWidth("resume: 漢字 x"));
  });

  test("the cursor is hidden while the answer is read", () => {
    expect(
      createView(style).draw({ ...firstState, focus: "answer" }, { columns: 80, rows: 24 }).cursor,
    ).toBeUndefined();
  });
});
