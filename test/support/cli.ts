import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text as readText } from "node:stream/consumers";
import path from "node:path";

/** The built command line. */
export const citewellFile = path.resolve(import.meta.dirname, "../../dist/citewell.mjs");

/** The environment of a run. */
export interface CliOptions {
  /** The working directory, also the home of configuration and data. */
  cwd: string;
  env?: Record<string, string>;
  /** Piped input; default: empty, as with `</dev/null`. */
  stdin?: string;
  /** A copy of the built command line. */
  file?: string | undefined;
  /** Another Node; default: that of the tests. */
  node?: string;
}

/** Exit code and output. */
export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the built command line without a terminal and waits for its exit. */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const child = startCli(args, options);
  const [stdout, stderr, [code]] = await Promise.all([
    child.stdout === null ? "" : readText(child.stdout),
    child.stderr === null ? "" : readText(child.stderr),
    once(child, "close"),
  ]);
  return { code, stdout, stderr };
}

/** Starts the command line, for tests that signal it or stop reading. */
export function startCli(
  args: readonly string[],
  { cwd, env = {}, stdin, file = citewellFile, node = process.execPath }: CliOptions,
): ChildProcess {
  const child = spawn(node, [file, ...args], {
    cwd,
    env: cliEnvironment(cwd, env),
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  if (stdin !== undefined) child.stdin?.end(stdin);
  return child;
}

/** A minimal environment, so that the machine's settings do not affect tests. */
export function cliEnvironment(cwd: string, env: Record<string, string> = {}): Record<string, string> {
  const kept = ["PATH", "SystemRoot", "TEMP", "TMP"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), HOME: cwd, CITEWELL_HOME: path.join(cwd, ".home"), LANG: "C.UTF-8", ...env };
}
