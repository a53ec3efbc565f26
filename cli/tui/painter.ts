import type { Style } from "../render/style.ts";
import type { Terminal } from "../terminal.ts";
import { drawFrame } from "./draw.ts";
import type { Frame } from "./grid.ts";

/** Brings the screen up to date. */
export interface Painter {
  /** For a key: in the same turn. */
  now(): void;
  /** For the stream: within a frame. */
  later(): void;
  /** Draws every cell, as after a resize or another program's output. */
  redraw(): void;
  stop(): void;
}

/** The stream repaints at most so often: 30 frames a second. */
const frameMs = 33;

export function createPainter(
  { stdout }: Pick<Terminal, "stdout">,
  { style, shown: first, draw }: { style: Style; shown: Frame; draw: () => Frame },
): Painter {
  let shown: Frame | undefined = first;
  let timer: NodeJS.Timeout | undefined;
  let paintedAt = 0;
  let isStopped = false;

  function now(): void {
    if (isStopped) return;
    clearTimeout(timer);
    timer = undefined;
    // A terminal that cannot keep up gets the newest frame when it can.
    if (stdout.writableNeedDrain) return void stdout.once("drain", now);
    const next = draw();
    const output = drawFrame(shown, next, style);
    shown = next;
    paintedAt = performance.now();
    if (output !== "") stdout.write(output);
  }

  return {
    now,
    later() {
      timer ??= setTimeout(now, Math.max(0, paintedAt + frameMs - performance.now()));
    },
    redraw() {
      shown = undefined;
      now();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
