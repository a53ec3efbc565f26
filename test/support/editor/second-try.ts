import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach } from "vitest";
import { type Editor, openEditors } from "./editor.ts";

/** The content of files by their paths. */
type Contents = Map<string, string>;

const before = new Map<Editor, Contents>();

// The tests of a file share an editor. What the first try of one has written, and what it left open above the window, would
// fail the second for certain, whatever failed the first.
beforeEach(async ({ task }) => {
  const isSecond = (task.result?.retryCount ?? 0) > 0;
  for (const editor of openEditors) {
    if (isSecond) await takeBack(editor, before.get(editor) ?? new Map());
    else before.set(editor, await contentsOf(editor));
  }
});

async function takeBack(editor: Editor, contents: Contents): Promise<void> {
  // A hover, a menu, a list, a dialog.
  for (let count = 0; count < 3; count++) await editor.page.keyboard.press("Escape");
  await editor.runCommand("Notifications: Clear All Notifications");
  const now = await contentsOf(editor);
  for (const file of now.keys()) if (!contents.has(file)) await rm(file);
  for (const [file, text] of contents) if (now.get(file) !== text) await writeFile(file, text);
}

/** Files of the workspace and of the user: configuration, connections, and opencode's keys. */
async function contentsOf({ server, workspace }: Editor): Promise<Contents> {
  const own = ["citewell.config.jsonc", "data/connections.json"].map((file) => path.join(server.citewellHome, file));
  const keys = path.join(server.home, ".local/share/opencode/auth.json");
  const contents: Contents = new Map();
  for (const file of [...own, keys, ...(await filesBelow(workspace))]) {
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text !== undefined) contents.set(file, text);
  }
  return contents;
}

async function filesBelow(folder: string): Promise<string[]> {
  if (folder === "") return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return files.filter((file) => !file.includes(`${path.sep}.git${path.sep}`));
}
