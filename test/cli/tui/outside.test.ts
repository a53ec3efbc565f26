import { chmod, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { keys, tuiWorld } from "../../support/tui-world.ts";

test.each([
  ["on the full screen", []],
  ["with --inline", ["--inline"]],
] as const)("%s, an answer that arrives while the editor is open is not drawn over it", async (_, args) => {
  let finish = (_text: unknown) => {};
  const after = new Promise((resolve) => {
    finish = resolve;
  });
  await using it = await tuiWorld([{ text: ["One.\n\n"], later: { after, text: "Two." } }]);
  const editor = path.join(it.folder.path, "editor");
  await it.folder.write("//- editor\n#!/bin/sh\necho EDITING\nread line\necho CLOSED\n");
  await chmod(editor, 0o755);
  await using screen = await it.start({ args: [...args], env: { EDITOR: editor } });
  screen.ask("Why?");
  await screen.shows("One.");
  screen.type(keys.ctrl("g"));
  await screen.shows("EDITING");
  finish(undefined);
  const threads = path.join(it.folder.path, ".home/data/threads");
  const saved = async () => {
    const files = await readdir(threads);
    return Promise.all(files.map((file) => readFile(path.join(threads, file), "utf8")));
  };
  await expect.poll(async () => (await saved()).join("")).toContain("Two.");
  screen.type(keys.enter);
  await expect.poll(() => screen.output()).toMatch(/CLOSED[^]*Two\./);
  expect(screen.output().split("CLOSED")[0]).not.toContain("Two.");
});
