import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import * as vscode from "vscode";

suite("activation", () => {
  test("costs little, and starts nothing", async () => {
    // The first activation in a window also loads the editor's own code; in practice other extensions come first.
    await activate("vscode.search-result");
    const small = await activate("vscode.references-view");
    const ours = await activate("citewell.citewell");
    const started = serverProcesses();
    console.log(
      `editor: activate() with its code ${ours.toFixed(0)} ms (aim: at most 50), a small one of the editor's own ${small.toFixed(0)} ms`,
    );
    console.log(`editor: processes started by it: ${started.length} (aim: 0)`);
    assert.deepEqual(started, []);
  });
});

/** Activation time in milliseconds, including the editor's work: loading the code and stored state. */
async function activate(id: string): Promise<number> {
  const extension = vscode.extensions.getExtension<unknown>(id);
  assert.equal(extension?.isActive, false, id);
  const startedAt = performance.now();
  await extension.activate();
  return performance.now() - startedAt;
}

/** Our processes below the extension host, by parent id. Linux only. */
function serverProcesses(): string[] {
  return readdirSync("/proc").filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      // "pid (name) state parent …": https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
      const parent = readFileSync(`/proc/${id}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1];
      return Number(parent) === process.pid && readFileSync(`/proc/${id}/cmdline`, "utf8").includes("citewell.mjs");
    } catch {
      return false;
    }
  });
}
