import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import * as vscode from "vscode";

suite("activation", () => {
  test("costs little, and starts nothing", async () => {
    const extension = vscode.extensions.getExtension<unknown>("citewell.citewell");
    const before = childProcesses();
    assert.equal(extension?.isActive, false);
    const startedAt = performance.now();
    await extension.activate();
    const ms = performance.now() - startedAt;
    console.log(`editor: activate() with its code ${ms.toFixed(0)} ms (aim: at most 50)`);
    const started = childProcesses().filter((id) => !before.includes(id));
    console.log(`editor: processes started by it: ${started.length} (aim: 0)`);
  });
});

/** Of the extension host, by Linux's record of parents. */
function childProcesses(): string[] {
  return readdirSync("/proc").filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      // "pid (name) state parent …": https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
      return Number(readFileSync(`/proc/${id}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]) === process.pid;
    } catch {
      return false;
    }
  });
}
