import { type IPty, spawn } from "@lydell/node-pty";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { type IBufferLine, Terminal } from "@xterm/headless";
import { citewellFile, cliEnvironment } from "./cli.ts";
import { insideOf, type Multiplexer } from "./multiplexers.ts";

/** The built command line in a terminal emulator. */
export interface TerminalScreen extends AsyncDisposable {
  /** The visible rows, without trailing blanks. */
  rows(): string[];
  /** The visible rows as runs of the same look. */
  runs(): TextRun[][];
  /** All rows, with those above the visible ones. */
  scrollback(): string[];
  /** Resolves when the screen contains the text or matches the expression. */
  shows(text: string | RegExp): Promise<void>;
  /** Resolves when it does not any more. */
  hides(text: string | RegExp): Promise<void>;
  type(keys: string): void;
  resize(size: { columns: number; rows: number }): Promise<void>;
  signal(name: "SIGTERM" | "SIGHUP" | "SIGUSR2"): void;
  /** The column and row of the cursor, 0-based. */
  cursor(): { column: number; row: number };
  /** What a program must leave as it found it. */
  modes(): { isAlternate: boolean; mouse: string; isCursorHidden: boolean };
  /** All output so far, with escape sequences. */
  output(): string;
  pid: number;
  exit: Promise<number>;
}

export interface ScreenOptions {
  cwd: string;
  env?: Record<string, string>;
  columns?: number;
  rows?: number;
  /** An interactive shell with job control, in which `eval "$CITEWELL"` is the command line. */
  isShell?: boolean;
  /** Runs the command line inside it. */
  inside?: Multiplexer | undefined;
}

/** Text of one look. */
export interface TextRun {
  text: string;
  isBold: boolean;
  isDim: boolean;
  isInverse: boolean;
  isUnderlined: boolean;
  /** One of the sixteen colours; undefined for the terminal's own. */
  color: number | undefined;
}

/** Runs the built command line in xterm's emulator, whose answers to queries it receives. */
export function openTerminal(
  args: readonly string[],
  { cwd, env = {}, columns = 80, rows = 24, isShell = false, inside }: ScreenOptions,
): TerminalScreen {
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1000 });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  const command = [process.execPath, citewellFile, ...args];
  const started = inside === undefined ? undefined : insideOf(inside, command);
  const [file = "", ...rest] = started?.command ?? (isShell ? ["/bin/sh", "-i"] : command);
  const forShell = { PS1: "$ ", CITEWELL: command.map((part) => `'${part}'`).join(" ") };
  const pty: IPty = spawn(file, rest, {
    name: env["TERM"] ?? "xterm-256color",
    cols: columns,
    rows,
    cwd,
    env: cliEnvironment(cwd, { LANG: "C.UTF-8", ...(isShell ? forShell : {}), ...env }),
  });
  let output = "";
  let isCursorHidden = false;
  for (const [final, isHidden] of [
    ["h", false],
    ["l", true],
  ] as const) {
    // The emulator has no public state for it.
    terminal.parser.registerCsiHandler({ prefix: "?", final }, (parameters) => {
      if (parameters.includes(25)) isCursorHidden = isHidden;
      return false;
    });
  }
  const watchers = new Set<() => void>();
  pty.onData((data) => {
    output += data;
    terminal.write(data, () => watchers.forEach((watch) => watch()));
  });
  terminal.onData((data) => pty.write(data));
  // What was written last is on the screen then.
  const exit = new Promise<number>((resolve) =>
    pty.onExit(({ exitCode }) => terminal.write("", () => resolve(exitCode))),
  );
  const rowsFrom = (first: number, count: number) =>
    Array.from({ length: count }, (_, row) =>
      (terminal.buffer.active.getLine(first + row)?.translateToString(true) ?? "").trimEnd(),
    );
  const visible = () => rowsFrom(terminal.buffer.active.viewportY, terminal.rows);
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const watch = () => {
        // A frame may arrive in pieces; a terminal shows it when it is whole.
        if (terminal.modes.synchronizedOutputMode || !isSo()) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
    });
  const has = (text: string | RegExp) => {
    const screen = visible().join("\n");
    return typeof text === "string" ? screen.includes(text) : text.test(screen);
  };
  return {
    rows: visible,
    runs: () =>
      Array.from({ length: terminal.rows }, (_, row) =>
        runsOf(terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row)),
      ),
    scrollback: () => rowsFrom(0, terminal.buffer.active.length),
    shows: (text) => until(() => has(text)),
    hides: (text) => until(() => !has(text)),
    type: (keys) => pty.write(keys),
    async resize(size) {
      terminal.resize(size.columns, size.rows);
      pty.resize(size.columns, size.rows);
    },
    signal: (name) => pty.kill(name),
    cursor: () => ({ column: terminal.buffer.active.cursorX, row: terminal.buffer.active.cursorY }),
    modes: () => ({
      isAlternate: terminal.buffer.active.type === "alternate",
      mouse: terminal.modes.mouseTrackingMode,
      isCursorHidden,
    }),
    output: () => output,
    pid: pty.pid,
    exit,
    async [Symbol.asyncDispose]() {
      started?.end();
      pty.kill("SIGKILL");
      await exit;
      terminal.dispose();
    },
  };
}

function runsOf(line: IBufferLine | undefined): TextRun[] {
  const runs: TextRun[] = [];
  for (let column = 0; column < (line?.length ?? 0); column++) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const run: TextRun = {
      text: cell.getChars() || " ",
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
      isInverse: cell.isInverse() !== 0,
      isUnderlined: cell.isUnderline() !== 0,
      color: cell.isFgPalette() ? cell.getFgColor() : undefined,
    };
    const last = runs.at(-1);
    if (last !== undefined && looksOf(last) === looksOf(run)) last.text += run.text;
    else runs.push(run);
  }
  return runs;
}

function looksOf(run: TextRun): string {
  return JSON.stringify({ ...run, text: "" });
}
