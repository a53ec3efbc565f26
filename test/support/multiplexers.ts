import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";

/** A program between the command line and the terminal. */
export type Multiplexer = "tmux" | "screen";

const all: readonly Multiplexer[] = ["tmux", "screen"];

/** Those in `PATH`. */
export const multiplexers = all.filter((name) =>
  (process.env["PATH"] ?? "").split(path.delimiter).some((folder) => existsSync(path.join(folder, name))),
);

/** A command that runs another one in a session of its own, without status line and settings of this machine. */
export function insideOf(name: Multiplexer, command: readonly string[]): { command: string[]; end(): void } {
  const session = `citewell-${randomUUID()}`;
  if (name === "screen") {
    return {
      command: ["screen", "-U", "-c", "/dev/null", "-S", session, ...command],
      end: () => void spawnSync("screen", ["-S", session, "-X", "quit"]),
    };
  }
  const tmux = ["tmux", "-L", session, "-f", "/dev/null"];
  return {
    command: [...tmux, "start-server", ";", "set", "-g", "status", "off", ";", "new-session", ...command],
    end: () => void spawnSync("tmux", ["-L", session, "kill-server"]),
  };
}
