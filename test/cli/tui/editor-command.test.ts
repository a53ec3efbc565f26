import { expect, test } from "vitest";
import { editorCommand } from "../../../cli/tui/editor-command.ts";

const place = { file: "/src/a b.ts", line: 7 };

test.each([
  [{ EDITOR: "vim" }, ["vim", "+7", "/src/a b.ts"]],
  [{ VISUAL: "code --wait", EDITOR: "vim" }, ["code", "--wait", "--goto", "/src/a b.ts:7"]],
  [{ EDITOR: "/usr/bin/hx" }, ["/usr/bin/hx", "/src/a b.ts:7"]],
  [{ EDITOR: "zed" }, ["zed", "/src/a b.ts:7"]],
  [{ EDITOR: "idea64" }, ["idea64", "--line", "7", "/src/a b.ts"]],
  [{ EDITOR: "emacsclient -nw" }, ["emacsclient", "-nw", "+7", "/src/a b.ts"]],
  [{ EDITOR: "nano" }, ["nano", "+7", "/src/a b.ts"]],
  // The way to name a line is unknown for other editors.
  [{ EDITOR: "ed" }, ["ed", "/src/a b.ts"]],
  [{ VISUAL: "  " }, ["vi", "+7", "/src/a b.ts"]],
] as const)("%j", (env, command) => {
  expect(editorCommand(place, { env, platform: "linux" })).toEqual(command);
});

test.each([
  [{}, ["notepad", "/src/a b.ts"]],
  [{ EDITOR: "C:\\Tools\\Code.exe" }, ["C:\\Tools\\Code.exe", "/src/a b.ts"]],
  [{ EDITOR: "C:\\Tools\\code.cmd" }, ["C:\\Tools\\code.cmd", "--goto", "/src/a b.ts:7"]],
] as const)("on Windows: %j", (env, command) => {
  expect(editorCommand(place, { env, platform: "win32" })).toEqual(command);
});
