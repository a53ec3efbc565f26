import { chmod, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { version } from "../../../package.json";
import { silentLog } from "../../../server/lib/log.ts";
import { serveHttp } from "../../../server/transports/http/http.ts";
import { localApp } from "../../support/connect.ts";
import { startGitServer } from "../../support/git-server.ts";
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

test("Ctrl+C goes back from a command that has ended, and from an editor that ignores it", async () => {
  await using it = await tuiWorld([]);
  const editor = path.join(it.folder.path, "editor");
  await it.folder.write("//- editor\n#!/bin/sh\ntrap '' INT\necho EDITING\nread line\n");
  await chmod(editor, 0o755);
  await using screen = await it.start({ env: { EDITOR: editor } });
  screen.type(`/verify absent.md${keys.enter}`);
  await screen.shows("Press any key to go back");
  screen.type(keys.ctrl("c"));
  await screen.shows("Every claim comes with a source");
  screen.type(keys.ctrl("g"));
  await screen.shows("EDITING");
  screen.type(`${keys.ctrl("c")}${keys.enter}`);
  await screen.shows("Every claim comes with a source");
  expect(screen.modes().isAlternate).toBe(true);
});

test.each([
  ["/connect", "/connect"],
  [" ", ""],
  [keys.enter, ""],
])("%j goes back from a command that has ended, and nothing that is typed is lost", async (typed, draft) => {
  await using it = await tuiWorld([]);
  await using screen = await it.start();
  screen.type(`/verify absent.md${keys.enter}`);
  await screen.shows("Press any key to go back");
  screen.type(typed);
  await screen.shows("Every claim comes with a source");
  screen.type("end");
  await screen.shows(`❯ ${draft}end`);
  expect(screen.modes().isAlternate).toBe(true);
});

test("Escape leaves a dialogue for the conversation, without a further key", async () => {
  await using it = await tuiWorld([]);
  await using screen = await it.start();
  screen.type(`/add${keys.enter}`);
  await screen.shows("What should be added?");
  screen.type(keys.escape);
  await screen.shows("Every claim comes with a source");
  expect(screen.output()).not.toContain("Press any key to go back");
});

test("Ctrl+C ends a command, not the conversation", async () => {
  await using server = await startGitServer();
  await server.commit("owner/hono", { "a.ts": "1\n" });
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  server.intercept(() => {
    isAsked();
    return new Promise(() => {});
  });
  await using it = await tuiWorld([]);
  const resources = [{ type: "git", name: "hono", url: server.url("owner/hono"), branch: "main" }];
  const config = { ...it.model.config, resources, allowHosts: ["localhost"] };
  await it.folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify(config)}`);
  await using screen = await it.start({ env: { GIT_SSL_CAINFO: server.caFile } });
  screen.type(`/refresh hono${keys.enter}`);
  await asked;
  screen.type(keys.ctrl("c"));
  await screen.shows(/cancelled\n\nPress any key to go back/);
  screen.type(keys.enter);
  await screen.shows("Every claim comes with a source");
  expect(screen.modes().isAlternate).toBe(true);
});

test.each(["/refresh demo", "/connect"])("%s with --server changes nothing on this computer", async (line) => {
  await using it = await tuiWorld([]);
  await using app = localApp(it.folder.path);
  const server = await serveHttp({ app, version, port: 0, log: silentLog });
  await using screen = await it.start({ args: ["--server", `http://127.0.0.1:${server.port}`] });
  screen.type(`${line}${keys.enter}`);
  await screen.shows(`${line.split(" ")[0]} cannot be used with --server`);
  expect(screen.modes().isAlternate).toBe(true);
  await server.close();
});
