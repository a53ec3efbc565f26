import { writeSync } from "node:fs";
import type { Terminal } from "../terminal.ts";

/** What the program needs of the process that owns the terminal. */
export interface ScreenOptions extends Pick<Terminal, "stdin" | "stdout"> {
  /** Uses the normal screen, whose scrollback, wheel and selection stay the terminal's own. */
  isInline: boolean;
  /** Whether mouse events are requested. */
  hasMouse: boolean;
}

/**
 * The terminal in raw mode, on the alternate screen unless it is inline. It is restored on every exit that a process
 * can catch.
 */
export interface Screen extends Disposable {
  enter(): void;
  leave(): void;
  setMouse(isOn: boolean): void;
}

/** xterm control sequences: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html */
const modes = {
  alternateScreen: "?1049",
  /** Off, so that a disagreement about widths cannot push a row down. */
  autowrap: "?7",
  bracketedPaste: "?2004",
  focusEvents: "?1004",
  mouse: "?1000",
  mouseDrag: "?1002",
  mouseCoordinates: "?1006",
  /** Off: else the wheel sends arrow keys, which would walk the history. */
  wheelAsArrows: "?1007",
} as const;
const set = (mode: string) => `\u001B[${mode}h`;
const reset = (mode: string) => `\u001B[${mode}l`;
/** https://sw.kovidgoyal.net/kitty/keyboard-protocol/#progressive-enhancement: disambiguate escape codes. */
const keyboard = { push: "\u001B[>1u", pop: "\u001B[<u" } as const;
/** File descriptor 1. */
const standardOutput = 1;
const mouseOn = set(modes.mouse) + set(modes.mouseDrag) + set(modes.mouseCoordinates);
const mouseOff = reset(modes.mouseDrag) + reset(modes.mouse) + reset(modes.mouseCoordinates);

/** Prepares the screen; `enter` changes the terminal. */
export function openScreen({ stdin, stdout, isInline, hasMouse: hasMouseAtFirst }: ScreenOptions): Screen {
  let isEntered = false;
  let hasMouse = hasMouseAtFirst && !isInline;

  function enter(): void {
    if (isEntered) return;
    isEntered = true;
    stdin.setRawMode(true);
    stdin.resume();
    const whole = set(modes.alternateScreen) + reset(modes.autowrap) + reset(modes.wheelAsArrows);
    stdout.write(
      (isInline ? "" : whole) +
        set(modes.bracketedPaste) +
        set(modes.focusEvents) +
        keyboard.push +
        (hasMouse ? mouseOn : ""),
    );
  }

  /** Synchronous: it must be through before the process ends. */
  function leave(): void {
    if (!isEntered) return;
    isEntered = false;
    const whole = set(modes.autowrap) + "\u001B[0m" + reset(modes.alternateScreen);
    const sequence =
      (isInline ? "" : mouseOff) +
      keyboard.pop +
      reset(modes.focusEvents) +
      reset(modes.bracketedPaste) +
      (isInline ? "" : whole) +
      "\u001B[?25h";
    try {
      writeSync(standardOutput, sequence);
      stdin.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
  }

  process.on("exit", leave);
  return {
    enter,
    leave,
    setMouse(isOn) {
      hasMouse = isOn && !isInline;
      if (isEntered && !isInline) stdout.write(hasMouse ? mouseOn : mouseOff);
    },
    [Symbol.dispose]() {
      leave();
      process.off("exit", leave);
    },
  };
}
