import { describe, expect, test } from "vitest";
import type { Row } from "../../../cli/tui/grid.ts";
import { createRowMaker, type Segment } from "../../../cli/tui/segments.ts";
import { type Anchor, createTranscript } from "../../../cli/tui/transcript.ts";

/** Each segment's lines hold its key and their number; at width 5 each takes twice as many. */
function segment(key: string, count: number): Segment {
  const make = (factor: number) =>
    Array.from({ length: count * factor }, (_, index) => [{ text: `${key}${index}`, marks: [] }]);
  const [narrow, wide] = [make(2), make(1)];
  return { key, isTight: true, isSettled: true, lines: (width) => (width < 10 ? narrow : wide) };
}

const textOf = (row: Row) =>
  row
    .map(({ text }) => text)
    .join("")
    .trim();

function open(...segments: Segment[]) {
  const transcript = createTranscript(segments, createRowMaker());
  const viewport = { width: 20, height: 3, selected: undefined };
  return {
    transcript,
    viewport,
    show: (anchor: Anchor, width = 20) => {
      const { rows, below } = transcript.show(anchor, { ...viewport, width });
      return { rows: rows.map(textOf), below };
    },
  };
}

describe("a transcript", () => {
  test("follows its end", () => {
    const { show } = open(segment("a", 2), segment("b", 3));
    expect(show(undefined)).toEqual({ rows: ["b0", "b1", "b2"], below: 0 });
    expect(open(segment("a", 2)).show(undefined)).toEqual({ rows: ["a0", "a1"], below: 0 });
  });

  test("stays where it is read while text arrives, and counts what is below", () => {
    const anchor = { key: "a", row: 1 };
    expect(open(segment("a", 2), segment("b", 3)).show(anchor)).toEqual({ rows: ["a1", "b0", "b1"], below: 1 });
    expect(open(segment("a", 2), segment("b", 9)).show(anchor)).toEqual({ rows: ["a1", "b0", "b1"], below: 7 });
  });

  test("stays in the same part at another width", () => {
    expect(open(segment("a", 4), segment("b", 3)).show({ key: "b", row: 0 }, 5).rows[0]).toBe("b0");
  });

  test("scrolls over segments, not beyond its ends", () => {
    const { transcript, viewport, show } = open(segment("a", 2), segment("b", 1), segment("c", 4));
    const up = transcript.scroll(undefined, -2, viewport);
    expect(show(up).rows).toEqual(["b0", "c0", "c1"].map((row) => row).slice(0));
    expect(show(transcript.scroll(up, -Infinity, viewport)).rows).toEqual(["a0", "a1", "b0"]);
    expect(transcript.scroll(up, 99, viewport)).toBeUndefined();
  });

  test("reveals a row only when it is out of sight", () => {
    const { transcript, viewport, show } = open(segment("a", 5), segment("b", 9));
    const find = ({ key }: Segment) => (key === "b" ? 4 : undefined);
    const top = transcript.scroll(undefined, -Infinity, viewport);
    const revealed = transcript.reveal(top, find, viewport);
    expect(show(revealed).rows).toContain("b4");
    expect(transcript.reveal(revealed, find, viewport)).toEqual(revealed);
  });
});
