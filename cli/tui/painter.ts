import type { Style } from "../render/style.ts";
import type { Terminal } from "../terminal.ts";
import { drawFrame } from "./draw.ts";
import type { Frame } from "./grid.ts";

/** Brings the screen up to date. */
export interface Painter {
  /** Paints in the same turn, for a key. */
  now(): void;
  /** Paints within a frame, for the stream. */
  later(): void;
  /** Draws everything again, as after a resize or another program's output. */
  redraw(): void;
  /** Leaves the terminal to another program until `resume`, even while an answer arrives. */
  pause(): void;
  /** Draws everything again. */
  resume(): void;
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
  const clock = throttle(terminal, () => {
    const next = draw();
    const output = drawFrame(shown, next, style);
    shown = next;
    if (output !== "") terminal.stdout.write(output);
  });
  return {
    ...clock,
    redraw() {
      shown = undefined;
      clock.now();
    },
    resume() {
      shown = undefined;
      clock.resume();
    },
  };
}

/** Calls `paint` at once or within a frame, and only when the terminal has taken what was written before. */
export function throttle({ stdout }: Pick<Terminal, "stdout">, paint: () => void): Omit<Painter, "redraw"> {
  let timer: NodeJS.Timeout | undefined;
  let paintedAt = 0;
  let state: "painting" | "paused" | "stopped" = "painting";

  function now(): void {
    clearTimeout(timer);
    timer = undefined;
    if (state !== "painting") return;
    if (stdout.writableNeedDrain) return void stdout.once("drain", now);
    paint();
    paintedAt = performance.now();
  }

  return {
    now,
    later() {
      timer ??= setTimeout(now, Math.max(0, paintedAt + frameMs - performance.now()));
    },
    pause() {
      state = "paused";
    },
    resume() {
      if (state === "paused") state = "painting";
      now();
    },
    stop() {
      state = "stopped";
      clearTimeout(timer);
    },
  };
}
