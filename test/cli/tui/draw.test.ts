import { Unicode11Addon } from "@xterm/addon-unicode11";
import { Terminal } from "@xterm/headless";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Span } from "../../../cli/render/spans.ts";
import { drawFrame } from "../../../cli/tui/draw.ts";
import { type Frame, type Row, toRow } from "../../../cli/tui/grid.ts";

const style = { color: true, links: true };
const columns = 24;
const rowCount = 10;

/** Text as answers have it, and what terminals disagree about. */
const piece = fc.constantFrom("a", "word ", "漢字", "é", "e\u0301", "👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "  ", "─", "x".repeat(30));
const span: fc.Arbitrary<Span> = fc.record({
  text: fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("")),
  marks: fc.subarray(["bold", "dim", "inverse", "citation"] as const, { maxLength: 2 }),
  href: fc.option(fc.constant("https://example.com/a"), { nil: undefined }),
});
const line = fc.array(span, { maxLength: 3 });

/** Frames that follow each other as in use: scrolled, grown, changed in one row, or other altogether. */
const frames = fc
  .array(fc.tuple(fc.integer({ min: -12, max: 12 }), fc.array(line, { minLength: 1, maxLength: 30 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((steps) => {
    const pool: Row[] = [];
    let top = 0;
    return steps.map(([by, lines]): Frame => {
      pool.push(...lines.map((spans) => toRow(spans, columns)));
      top = Math.max(0, Math.min(top + by, pool.length - 1));
      const shown = pool.slice(top, top + rowCount);
      const blank = Array.from({ length: rowCount - shown.length }, () => toRow([], columns));
      return { columns, rows: [...shown, ...blank], cursor: { column: 1, row: Math.abs(by) % rowCount } };
    });
  });

function openEmulator() {
  const terminal = new Terminal({ cols: columns, rows: rowCount, allowProposedApi: true });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  const write = (data: string) => new Promise<void>((resolve) => terminal.write(data, resolve));
  const screen = () =>
    Array.from({ length: rowCount }, (_, row) => terminal.buffer.active.getLine(row)?.translateToString(true) ?? "");
  const cursor = () => ({ column: terminal.buffer.active.cursorX, row: terminal.buffer.active.cursorY });
  return { write, screen, cursor };
}

const textOf = (row: Row) =>
  row
    .map(({ text }) => text)
    .join("")
    .trimEnd();

test("after any frames the screen equals the last, and a full repaint changes nothing", async () => {
  const property = fc.asyncProperty(frames, async (steps) => {
    const emulator = openEmulator();
    await emulator.write("\u001B[?7l");
    let shown: Frame | undefined;
    for (const next of steps) {
      await emulator.write(drawFrame(shown, next, style));
      shown = next;
      expect(emulator.screen().map((row) => row.trimEnd())).toEqual(next.rows.map(textOf));
      expect(emulator.cursor()).toEqual(next.cursor);
    }
    const before = emulator.screen();
    if (shown !== undefined) await emulator.write(drawFrame(undefined, shown, style));
    expect(emulator.screen()).toEqual(before);
  });
  await fc.assert(property, { numRuns: 150 });
});

test("the same frame is not written again, and nothing is ever cleared", () => {
  const frame: Frame = { columns, rows: [toRow([{ text: "a", marks: [] }], columns)], cursor: { column: 0, row: 0 } };
  expect(drawFrame(frame, { ...frame }, style)).toBe("");
  expect(drawFrame(undefined, frame, style)).not.toMatch(/\[[23]J/);
});

test("a link is opened once a row, and its rows share an id", () => {
  const href = "https://example.com/a";
  const row = toRow(
    [
      { text: "see ", marks: [] },
      { text: "a link", marks: ["bold"], href },
    ],
    columns,
  );
  const output = drawFrame(undefined, { columns, rows: [row, row] }, style);
  const opened = [...output.matchAll(/\]8;id=(\w+);https:\/\/example\.com\/a/g)].map(([, id]) => id);
  expect(opened).toHaveLength(2);
  expect(new Set(opened).size).toBe(1);
  expect(output.split("\u001B]8;;\u001B\\")).toHaveLength(3);
});

test("rows that moved are moved by the terminal", () => {
  const lines = Array.from({ length: 12 }, (_, index) => toRow([{ text: `${index}`.repeat(20), marks: [] }], columns));
  const first: Frame = { columns, rows: lines.slice(0, 10) };
  const scrolled: Frame = { columns, rows: lines.slice(1, 11) };
  expect(drawFrame(first, scrolled, style).length).toBeLessThan(100);
});
