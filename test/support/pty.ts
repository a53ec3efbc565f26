import { type IPty, spawn } from "@lydell/node-pty";
import { citewellFile, cliEnvironment } from "./cli.ts";

/** A program in a terminal. */
export interface PtySession {
  /** All output so far, with escape sequences. */
  output(): string;
  /** Resolves when the output contains this text. */
  sees(text: string): Promise<void>;
  /** The same, for output after the previous match. */
  seesNext(text: string): Promise<void>;
  /** Sends keys as terminal input. */
  type(keys: string): void;
  kill(signal: "SIGTERM"): void;
  exit: Promise<number>;
}

/** Runs the built command line in a real terminal of 80 columns. */
export function startInTerminal(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
) {
  const pty: IPty = spawn(process.execPath, [citewellFile, ...args], {
    name: "xterm-256color",
    cols: 80,
    rows: 30,
    cwd,
    env: cliEnvironment(cwd, env),
  });
  let output = "";
  let seen = 0;
  const watchers = new Set<() => void>();
  pty.onData((data) => {
    output += data;
    for (const watcher of watchers) watcher();
  });
  const find = (text: string, from: number) =>
    new Promise<number>((resolve) => {
      const look = () => {
        const at = output.indexOf(text, from);
        if (at === -1) return;
        watchers.delete(look);
        resolve(at);
      };
      watchers.add(look);
      look();
    });
  const session: PtySession = {
    output: () => output,
    async sees(text) {
      await find(text, 0);
    },
    async seesNext(text) {
      seen = (await find(text, seen)) + text.length;
    },
    kill: (signal) => pty.kill(signal),
    type: (keys) => pty.write(keys),
    exit: new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode))),
  };
  return session;
}
