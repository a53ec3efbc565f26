import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { findPrograms, isProgram } from "../find-program.ts";
import type { McpCommand } from "./clients.ts";
import type { Terminal } from "../terminal.ts";

/** How to start this program on this computer, and what may stop that from working. */
export interface OwnCommand {
  command: McpCommand;
  warnings: readonly string[];
}

type RunningProgram = Pick<Terminal, "env" | "homeDirectory" | "platform" | "program">;

/** Absolute on both ends: clients start it in folders of their own, with a PATH of their own, and no shell. */
export function ownCommand(terminal: RunningProgram): OwnCommand {
  const file = realpathSync(terminal.program.file);
  const runtime = stableRuntime(terminal);
  const command = { command: runtime, args: [file, "mcp"] };
  const warnings = [
    ...(versioned.test(toSlashes(runtime)) ? [`${runtime} belongs to one version of Node and goes with it`] : []),
    ...(toSlashes(file).includes("/_npx/") ? [`${file} is in npm's cache, which may be emptied`] : []),
  ];
  if (!("electron" in process.versions)) return { command, warnings };
  return { command: { ...command, env: { ELECTRON_RUN_AS_NODE: "1" } }, warnings };
}

/**
 * The entry for a file that several people share: it names nothing of this computer. Undefined where `citewell` on
 * PATH is not this program, and on Windows, where it is a script that not every client can start.
 */
export function portableCommand(terminal: Terminal): McpCommand | undefined {
  if (terminal.platform === "win32") return undefined;
  const [first] = findPrograms("citewell", terminal);
  if (first === undefined || realpathSync(first) !== realpathSync(terminal.program.file)) return undefined;
  return { command: "citewell", args: ["mcp"] };
}

/** Whether git ignores the file, so that it is this user's own. */
export async function isIgnored(file: string, { cwd, signal }: Pick<Terminal, "cwd" | "signal">): Promise<boolean> {
  try {
    await promisify(execFile)("git", ["check-ignore", "--quiet", "--", file], { cwd, signal });
    return true;
  } catch {
    // No repository, no git, or not ignored.
    return false;
  }
}

/** Folders that are named for a version (version managers, Homebrew, archives), or made for one shell. */
const versioned = /\/[^/]*\d+\.\d+\.\d+[^/]*\/|\/fnm_multishells\//;

/** Programs that start the version in use: `~/.volta/bin/node`, and the shims of asdf, mise and nodenv. */
const shim = /\/(?:shims|\.volta\/bin)\/node(?:\.exe)?$/;

/**
 * A path of the running Node that an upgrade keeps, where there is one: `/opt/homebrew/bin/node` for Homebrew's
 * `Cellar/node/24.1.0/bin/node`, a shim, or an alias of nvm or fnm.
 */
function stableRuntime({ program: { runtime }, homeDirectory, ...terminal }: RunningProgram): string {
  if (!versioned.test(toSlashes(runtime)) || "electron" in process.versions) return runtime;
  const aliases = [".nvm/current/bin/node", ".local/share/fnm/aliases/default/bin/node"];
  const candidates = [
    ...findPrograms("node", terminal),
    ...aliases.map((file) => path.join(homeDirectory, file)).filter(isProgram),
  ];
  const real = realpathSync(runtime);
  const stable = candidates.find((candidate) => {
    const name = toSlashes(candidate);
    return !versioned.test(name) && (shim.test(name) || realpathSync(candidate) === real);
  });
  return stable ?? runtime;
}

function toSlashes(file: string): string {
  return file.replaceAll("\\", "/");
}
