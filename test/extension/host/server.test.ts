import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";

const run = promisify(execFile);

suite("the server", () => {
  let folder: string;
  suiteSetup(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "citewell-host-"));
    await vscode.extensions.getExtension("citewell.citewell")?.activate();
  });
  suiteTeardown(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true });
  });

  test("starts when a configuration file is opened, which is a language of its own", async () => {
    const file = path.join(folder, "citewell.config.jsonc");
    await writeFile(file, "{}\n");
    const document = await vscode.workspace.openTextDocument(file);
    assert.equal(document.languageId, "citewell-config");
    assert.equal((await untilServers(([first]) => first !== undefined)).length, 1);
  });

  test("is the editor's own Node, and reads the project's configuration", async () => {
    const [pid = 0] = await servers();
    const { stdout } = await run("ps", ["-o", "args=", "-p", `${pid}`]);
    assert.ok(stdout.startsWith(process.execPath), stdout);
    assert.match(stdout, /lsp --node-ipc/);
  });

  test("is started again when it dies, and answers then", async () => {
    const [before = 0] = await servers();
    process.kill(before, "SIGKILL");
    const after = await untilServers(([pid]) => pid !== undefined && pid !== before);
    assert.equal(after.length, 1);
  });

  test("is another process after Restart Server, and the only one", async () => {
    const [before = 0] = await servers();
    await vscode.commands.executeCommand("citewell.restartServer");
    const after = await untilServers((pids) => pids.length === 1 && pids[0] !== before);
    assert.notEqual(after[0], before);
  });

  test("Copy Diagnostics includes the configuration, and not the home folder's path", async () => {
    await vscode.env.clipboard.writeText("");
    await vscode.commands.executeCommand("citewell.copyDiagnostics");
    const text = await vscode.env.clipboard.readText();
    const facts: unknown = JSON.parse(text);
    assert.ok(typeof facts === "object" && facts !== null && "configuration" in facts && "server" in facts);
    assert.equal(facts.server, "running");
    assert.match(JSON.stringify(facts.configuration), /"provider":"\w/);
    assert.ok(!text.includes(os.homedir()), text);
  });
});

/** The processes that the extension has started, by their arguments. */
async function servers(): Promise<number[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,args="]);
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent] = /^\s*(\d+)\s+(\d+)\s.*citewell\.mjs lsp/.exec(line) ?? [];
    return Number(parent) === process.pid ? [Number(pid)] : [];
  });
}

async function untilServers(isWanted: (pids: readonly number[]) => boolean): Promise<number[]> {
  const limit = Date.now() + 60_000;
  for (;;) {
    const pids = await servers();
    if (isWanted(pids)) return pids;
    assert.ok(Date.now() < limit, `the processes are ${pids.join(", ") || "none"}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
