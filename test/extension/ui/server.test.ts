import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Editor, startEditor } from "../../support/editor/editor.ts";

const files = `
//- citewell.config.jsonc
{ "resources": [{ "type": "local", "name": "strangers", "path": "." }] }
//- src/retry.ts
export const delayMs = 100;
`;

let editor: Editor;
/** The process of the window that is not trusted. */
let untrusted: number | undefined;
beforeAll(async () => {
  editor = await startEditor({
    workspace: files,
    trusted: false,
    config: { resources: [] },
    settings: { "remote.autoForwardPorts": true },
  });
});
afterAll(() => editor?.stop());

test("a window where nothing of ours is shown has no process", async () => {
  await editor.page.getByRole("tab", { name: "Citewell" }).waitFor();
  expect(await servers()).toEqual([]);
});

test("in an untrusted window the project's configuration is not read", async () => {
  await editor.openChat();
  [untrusted] = await untilServers((pids) => pids.length === 1);
  await editor.page.getByRole("heading", { name: "Resources" }).waitFor();
  await editor.screenshot("server-untrusted");
  expect(await editor.page.getByRole("treeitem", { name: /strangers/ }).count()).toBe(0);
});

test("once it is trusted another process reads it", async () => {
  await editor.runCommand("Workspaces: Manage Workspace Trust");
  const trust = (name: string) =>
    editor.page.locator(".workspace-trust-buttons-row").getByRole("button", { name, exact: true });
  const isTrusted = trust("Don't Trust");
  await trust("Trust").or(isTrusted).first().waitFor();
  if (!(await isTrusted.isVisible())) await trust("Trust").click();
  await untilServers((pids) => pids.length === 1 && pids[0] !== untrusted);
  await editor.page.keyboard.press("Escape");
  const added = editor.page.getByRole("treeitem", { name: /strangers/ });
  await added.waitFor();
  expect(await added.count()).toBe(1);
});

test("its private port is not forwarded to the computer in front of the user; another program's is", async () => {
  const own = await vi.waitFor(announcedPort, { timeout: 60_000 });
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  // Its label lists the ports.
  const forwarded = editor.page.getByRole("button", { name: /forwarded ports/i });
  await expect.poll(() => forwarded.getAttribute("aria-label"), { timeout: 60_000 }).toContain(String(port));
  expect(await forwarded.getAttribute("aria-label")).not.toContain(String(own));
  other.close();
});

test("when it dies again and again one message says so, and leads on", async () => {
  // A new start on request begins the count anew.
  const [before] = await servers();
  await editor.runCommand("Citewell: Restart Server");
  await untilServers((pids) => pids.length === 1 && pids[0] !== before);
  const killed = new Set<number>();
  while (killed.size < 4) {
    const [pid = 0] = await untilServers(([next]) => next !== undefined && !killed.has(next));
    process.kill(pid, "SIGKILL");
    killed.add(pid);
  }
  const { page } = editor;
  const message = page.locator(".notifications-toasts").getByText("The Citewell server keeps failing");
  await message.waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "Citewell: the server has failed" }).waitFor();
  await editor.screenshot("server-failed");
  expect(await page.locator(".notification-toast").count()).toBe(1);
  expect(await servers()).toEqual([]);
  await editor.chat.getByRole("heading", { name: "The Citewell server stopped" }).waitFor();
  await editor.chat.getByRole("button", { name: "Restart server" }).waitFor();
  await page.locator(".notification-toast").getByRole("button", { name: "Restart Server" }).click();
  await editor.chat.getByRole("heading", { name: "The Citewell server stopped" }).waitFor({ state: "detached" });
  await untilServers((pids) => pids.length === 1);
});

/** The extension's processes: those that run from where this editor has it installed. */
async function servers(): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,args="]);
  const own = stdout
    .split("\n")
    .filter((line) => line.includes(editor.server.folder) && line.includes("citewell.mjs lsp"));
  return own.map((line) => Number.parseInt(line, 10));
}

function untilServers(isWanted: (pids: readonly number[]) => boolean): Promise<number[]> {
  return vi.waitFor(
    async () => {
      const pids = await servers();
      expect(isWanted(pids), `the processes are ${pids.join(", ") || "none"}`).toBe(true);
      return pids;
    },
    { timeout: 60_000 },
  );
}

/** The port that the running process leaves for other programs of this computer. */
async function announcedPort(): Promise<number> {
  const names = await readdir(editor.server.folder, { recursive: true });
  const file = names.find((name) => name.endsWith(`${path.sep}server.json`));
  if (file === undefined) throw new Error("no server has left its port yet");
  const { port } = JSON.parse(await readFile(path.join(editor.server.folder, file), "utf8"));
  return Number(port);
}
