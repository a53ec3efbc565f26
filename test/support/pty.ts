import { type IPty, spawn } from "@lydell/node-pty";
import { citewellFile, cliEnvironment } from "./cli.ts";

export interface PtySession {
  /** All that was written so far, with its escape sequences. */
  output(): string;
  /** Resolves when the output holds this text. */
  sees(text: string): Promise<void>;
  /** Keys, as the terminal sends them. */
  type(keys: string): void;
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
  const watchers = new Set<() => void>();
  pty.onData((data) => {
    output += data;
    for (const watcher of watchers) watcher();
  });
  const session: PtySession = {
    output: () => output,
    sees: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!output.includes(text)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    type: (keys) => pty.write(keys),
    exit: new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode))),
  };
  return session;
}
