import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { configPaths } from "../../server/config/paths.ts";
import { replaceFile } from "../../server/lib/replace-file.ts";
import type { Terminal } from "../terminal.ts";

/** What the user has chosen for conversations at the terminal. */
export interface Preferences {
  screenReader: boolean;
  /** `wheel` ignores clicks and drags; `off` leaves the mouse to the terminal. */
  mouse: "on" | "wheel" | "off";
  /** Rows per turn of the wheel. */
  wheelRows: number;
  /** Whether a selection is copied on release; otherwise Ctrl+C copies it. */
  copyOnSelect: boolean;
}

/**
 * Reads the stored preferences; a field that is missing or wrong has its default. Synchronous and without zod, because
 * the first frame waits for it.
 */
export function readPreferences(terminal: Terminal): Preferences {
  const { screenReader, mouse, wheelRows, copyOnSelect } = readObject(fileOf(terminal));
  return {
    screenReader: screenReader === true,
    mouse: mouse === "wheel" || mouse === "off" ? mouse : "on",
    wheelRows: typeof wheelRows === "number" && isWheelRows(wheelRows) ? wheelRows : 3,
    copyOnSelect: copyOnSelect !== false,
  };
}

/** Whether a number of rows per turn of the wheel is allowed. */
export function isWheelRows(rows: number): boolean {
  return Number.isInteger(rows) && rows >= 1 && rows <= 50;
}

function readObject(file: string): Partial<Record<keyof Preferences, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Stores the preferences. @throws errors of `fs` */
export async function savePreferences(preferences: Preferences, terminal: Terminal): Promise<void> {
  const file = fileOf(terminal);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, `${JSON.stringify(preferences, undefined, 2)}\n`, { mode: 0o600 });
}

/** The file is beside the user's configuration file. */
function fileOf(terminal: Terminal): string {
  return path.join(path.dirname(configPaths(terminal).globalFile), "terminal.json");
}
