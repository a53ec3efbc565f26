import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { build, type BuildOptions } from "esbuild";

/** A bundled script. */
export interface Bundled extends AsyncDisposable {
  /** Starts the script in a new process with one JSON argument. */
  start(input: unknown): Script;
}

/** A running script. */
export interface Script extends AsyncDisposable {
  process: ChildProcess;
  /** Resolves with the first line with this prefix; rejects if the script ends first. */
  line(start: string): Promise<string>;
}

/** Globals that CommonJS packages expect. */
export const commonJs = `import { createRequire as __createRequire } from "node:module";
import { fileURLToPath as __fileURLToPath } from "node:url";
const require = __createRequire(import.meta.url);
const __filename = __fileURLToPath(import.meta.url);`;

/** Bundles a script of `test/support` into one file, because Node 20 cannot run TypeScript. */
export async function bundle(script: string, options: Pick<BuildOptions, "plugins"> = {}): Promise<Bundled> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-bundle-"));
  const outfile = path.join(folder, "script.mjs");
  await build({
    entryPoints: [path.join(import.meta.dirname, script)],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    mainFields: ["module", "main"],
    banner: { js: commonJs },
    logLevel: "error",
    ...options,
  });
  return {
    start: (input) => startScript(outfile, input),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

function startScript(file: string, input: unknown): Script {
  const child = spawn(process.execPath, [file, JSON.stringify(input)], { stdio: ["pipe", "pipe", "inherit"] });
  const seen: string[] = [];
  const waiting = new Set<() => void>();
  const tell = () => {
    for (const look of waiting) look();
  };
  createInterface(child.stdout).on("line", (text) => {
    seen.push(text);
    tell();
  });
  child.on("close", tell);
  return {
    process: child,
    line: (start) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = seen.find((text) => text.startsWith(start));
          const isOver = child.exitCode !== null || child.signalCode !== null;
          if (found === undefined && !isOver) return;
          waiting.delete(look);
          if (found === undefined) reject(new Error(`the script ended without "${start}": ${seen.join(" | ")}`));
          else resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
    },
  };
}
