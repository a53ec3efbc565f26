import type { Row } from "./grid.ts";
import type { RowMaker, RowOptions, Segment } from "./segments.ts";

/** The first row that is shown; undefined follows the end. It stays what it is when text arrives or the width changes. */
export type Anchor = { key: string; row: number } | undefined;

/** The part of the screen that shows the transcript. */
export interface Viewport extends RowOptions {
  height: number;
}

/** The visible rows. */
export interface Shown {
  rows: readonly Row[];
  /** Rows after those shown. */
  below: number;
}

/** The transcript in a viewport. */
export interface Transcript {
  show(anchor: Anchor, viewport: Viewport): Shown;
  /** Down by so many rows; negative is up. */
  scroll(anchor: Anchor, by: number, viewport: Viewport): Anchor;
  /** The nearest anchor that shows the first row of a segment that `find` accepts. */
  reveal(anchor: Anchor, find: (segment: Segment) => number | undefined, viewport: Viewport): Anchor;
}

interface Position {
  index: number;
  row: number;
}

/** A transcript of these segments. */
export function createTranscript(segments: readonly Segment[], maker: RowMaker): Transcript {
  const rowsAt = (index: number, options: RowOptions): readonly Row[] => {
    const segment = segments[index];
    return segment === undefined ? [] : maker.rows(segment, { ...options, isFirst: index === 0 });
  };

  /** The last position from which the rest fills the viewport; the start where all fits. */
  function endPosition(viewport: Viewport): Position {
    let missing = viewport.height;
    for (let index = segments.length - 1; index >= 0; index--) {
      const count = rowsAt(index, viewport).length;
      if (count >= missing) return { index, row: count - missing };
      missing -= count;
    }
    return { index: 0, row: 0 };
  }

  function positionOf(anchor: Anchor, viewport: Viewport): Position {
    const end = endPosition(viewport);
    const index = anchor === undefined ? -1 : segments.findIndex(({ key }) => key === anchor.key);
    if (anchor === undefined || index === -1) return end;
    const row = Math.min(anchor.row, Math.max(0, rowsAt(index, viewport).length - 1));
    return isBefore({ index, row }, end) ? { index, row } : end;
  }

  function toAnchor(position: Position, viewport: Viewport): Anchor {
    const segment = segments[position.index];
    if (segment === undefined || !isBefore(position, endPosition(viewport))) return undefined;
    return { key: segment.key, row: position.row };
  }

  function move({ index, row }: Position, by: number, viewport: Viewport): Position {
    let position = { index, row: row + by };
    while (position.row < 0 && position.index > 0) {
      const before = rowsAt(position.index - 1, viewport).length;
      position = { index: position.index - 1, row: position.row + before };
    }
    while (position.index < segments.length - 1 && position.row >= rowsAt(position.index, viewport).length) {
      position = { index: position.index + 1, row: position.row - rowsAt(position.index, viewport).length };
    }
    return { ...position, row: Math.max(0, position.row) };
  }

  return {
    show(anchor, viewport) {
      const { index: first, row } = positionOf(anchor, viewport);
      const rows: Row[] = rowsAt(first, viewport).slice(row);
      let index = first + 1;
      for (; index < segments.length && rows.length < viewport.height; index++) rows.push(...rowsAt(index, viewport));
      let below = Math.max(0, rows.length - viewport.height);
      if (anchor !== undefined) for (; index < segments.length; index++) below += rowsAt(index, viewport).length;
      return { rows: rows.slice(0, viewport.height), below };
    },
    scroll: (anchor, by, viewport) => toAnchor(move(positionOf(anchor, viewport), by, viewport), viewport),
    reveal(anchor, find, viewport) {
      const index = segments.findIndex((segment) => find(segment) !== undefined);
      const segment = segments[index];
      if (segment === undefined) return anchor;
      const row = find(segment) ?? 0;
      const top = positionOf(anchor, viewport);
      const bottom = move(top, viewport.height - 1, viewport);
      const target = { index, row };
      if (!isBefore(target, top) && !isBefore(bottom, target)) return anchor;
      return toAnchor(move(target, -Math.floor(viewport.height / 3), viewport), viewport);
    },
  };
}

function isBefore(a: Position, b: Position): boolean {
  return a.index < b.index || (a.index === b.index && a.row < b.row);
}
