import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ScriptedModel } from "../test/support/scripted-model.ts";

/** Starts `citewell serve` with a model and one resource: the folder `tree` in `folder`, which also gets its home. */
export function serveTree(folder: string, { config }: Pick<ScriptedModel, "config">): ChildProcess {
  const home = path.join(folder, "home");
  mkdirSync(home);
  const resources = [{ type: "local", name: "tree", path: path.join(folder, "tree") }];
  writeFileSync(path.join(home, "citewell.config.jsonc"), JSON.stringify({ ...config, resources }));
  return spawn(process.execPath, ["dist/citewell.mjs", "serve", "--port", "0", "--quiet"], {
    env: { ...process.env, CITEWELL_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Reads the address of `citewell serve` from its output. */
export async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the server has no output");
  const [line] = await once(stdout, "data");
  return String(line)
    .replace(/^listening on /, "")
    .trim();
}
