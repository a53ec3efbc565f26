import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text as readText } from "node:stream/consumers";
import path from "node:path";

/** What ships, as `npm test` has just built it. */
export const citewellFile = path.resolve(import.meta.dirname, "../../dist/citewell.mjs");

export interface CliOptions {
  /** The working directory, and the home of configuration and data. */
  cwd: string;
  env?: Record<string, string>;
  /** What is piped in; without it standard input is empty, as with `</dev/null`. */
  stdin?: string;
}

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the built command line to its end, in a home of its own and with no terminal. */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const child = startCli(args, options);
  const [stdout, stderr, [code]] = await Promise.all([
    child.stdout === null ? "" : readText(child.stdout),
    child.stderr === null ? "" : readText(child.stderr),
    once(child, "close"),
  ]);
  return { code, stdout, stderr };
}

/** Starts it, for tests that signal it or stop reading. */
export function startCli(args: readonly string[], { cwd, env = {}, stdin }: CliOptions): ChildProcess {
  const child = spawn(process.execPath, [citewellFile, ...args], {
    cwd,
    env: cliEnvironment(cwd, env),
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  if (stdin !== undefined) child.stdin?.end(stdin);
  return child;
}

/** Little more than PATH, so that the machine's own settings do not change what a test sees. */
export function cliEnvironment(cwd: string, env: Record<string, string> = {}): Record<string, string> {
  const kept = ["PATH", "SystemRoot", "TEMP", "TMP"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), HOME: cwd, CITEWELL_HOME: path.join(cwd, ".home"), LANG: "C.UTF-8", ...env };
}
