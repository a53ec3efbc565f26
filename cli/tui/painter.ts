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
  /** Draws everything again, as after a resize or another program's output. */
  redraw(): void;
  stop(): void;
}

/** The stream repaints at most so often: 30 frames a second. */
const frameMs = 33;

/** Paints full-screen frames; `shown` is on the screen already. */
export function createPainter(
  terminal: Pick<Terminal, "stdout">,
  { style, shown: first, draw }: { style: Style; shown: Frame; draw: () => Frame },
): Painter {
  let shown: Frame | undefined = first;
  const { now, later, stop } = throttle(terminal, () => {
    const next = draw();
    const output = drawFrame(shown, next, style);
    shown = next;
    if (output !== "") terminal.stdout.write(output);
  });
  return {
    now,
    later,
    stop,
    redraw() {
      shown = undefined;
      now();
    },
  };
}

/** Calls `paint` at once or within a frame, and only when the terminal has taken what was written before. */
export function throttle(
  { stdout }: Pick<Terminal, "stdout">,
  paint: () => void,
): Pick<Painter, "now" | "later" | "stop"> {
  let timer: NodeJS.Timeout | undefined;
  let paintedAt = 0;
  let isStopped = false;

  function now(): void {
    if (isStopped) return;
    clearTimeout(timer);
    timer = undefined;
    if (stdout.writableNeedDrain) return void stdout.once("drain", now);
    paint();
    paintedAt = performance.now();
  }

  return {
    now,
    later() {
      timer ??= setTimeout(now, Math.max(0, paintedAt + frameMs - performance.now()));
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
