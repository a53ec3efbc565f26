import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../../support/git-server.ts";
import { keys, tuiWorld } from "../../support/tui-world.ts";

async function configuration(folder: { path: string }): Promise<string> {
  return readFile(path.join(folder.path, ".home/citewell.config.jsonc"), "utf8");
}

describe("/add completes", () => {
  test("folders, also with spaces; Enter adds what is typed", async () => {
    await using it = await tuiWorld([]);
    await it.folder.write("//- my lib/core/a.ts\nexport {};\n");
    await using screen = await it.start();
    screen.type("/add ./m");
    await screen.shows("  my lib/  folder");
    screen.type(keys.tab);
    await screen.shows(/❯ \/add "\.\/my lib\/"\n/);
    await screen.shows("  core/  folder");
    screen.type(`co${keys.tab}`);
    await screen.shows(/❯ \/add "\.\/my lib\/core\/"\n/);
    await screen.hides("core/  folder");
    screen.type(keys.enter);
    await screen.shows("added core (local");
    expect(await configuration(it.folder)).toContain(path.join(it.folder.path, "my lib/core"));
    screen.type(keys.enter);
    await screen.shows("demo, other, core");
  });

  test("packages that the project depends on and that are not added", async () => {
    await using it = await tuiWorld([]);
    await it.folder.write(
      '//- package.json\n{ "name": "mine", "dependencies": { "zod": "^4.0.0", "undici": "^7.0.0" } }\n' +
        '//- node_modules/zod/package.json\n{ "name": "zod", "version": "4.1.0" }\n' +
        '//- node_modules/undici/package.json\n{ "name": "undici", "version": "7.1.0" }\n',
    );
    await using screen = await it.start();
    screen.type("/add ");
    await screen.shows(/npm:undici +7\.1\.0\n +npm:zod +4\.1\.0/);
    expect(screen.rows().join("\n")).toContain("https://github.com/");
    screen.type("zo");
    await screen.hides("npm:undici");
    screen.type(keys.tab);
    await screen.shows("❯ /add npm:zod");
    screen.type(keys.enter);
    await screen.shows("added zod (npm zod)");
    screen.type(keys.enter);
    await screen.shows("Every claim comes with a source");
    screen.type("/add npm:");
    await screen.shows("npm:undici");
    expect(screen.rows().join("\n")).not.toContain("npm:zod ");
  });

  test("Down selects; Escape closes the list and keeps what is typed", async () => {
    await using it = await tuiWorld([]);
    await using screen = await it.start();
    screen.type("/add ./");
    await screen.shows("  demo/");
    screen.type(`${keys.down}${keys.down}`);
    await screen.shows("❯ other/");
    screen.type(keys.enter);
    await screen.shows(/❯ \/add \.\/other\/\n/);
    screen.type(`${keys.ctrl("u")}/add ./`);
    await screen.shows("  demo/");
    screen.type(keys.escape);
    await screen.hides("  demo/");
    expect(screen.rows().join("\n")).toContain("❯ /add ./");
  });

  test("/remove and /refresh complete names, /verify files", async () => {
    await using it = await tuiWorld([]);
    await using screen = await it.start();
    await screen.shows("demo, other");
    screen.type("/remove ot");
    await screen.shows("  other  local");
    screen.type(`${keys.ctrl("u")}/verify demo/`);
    await screen.shows("  a.ts  file");
    screen.type(keys.tab);
    await screen.shows("❯ /verify demo/a.ts");
    expect(screen.rows().join("\n")).not.toContain("a.ts  file");
  });
});

test("/add of a folder that is not there is refused, with a hint", async () => {
  await using it = await tuiWorld([]);
  await using screen = await it.start();
  const before = await configuration(it.folder);
  screen.type(`/add ./gone${keys.enter}`);
  await screen.shows("Press any key to go back");
  expect(screen.rows().join("\n")).toMatch(/error: there is no folder .*\n?.*gone\nhint: correct the path/);
  expect(await configuration(it.folder)).toBe(before);
});

describe("branches of a repository", () => {
  let server: GitServer;
  beforeAll(async () => {
    server = await startGitServer();
    await server.commit("owner/hono", { "a.ts": "1\n" }, { branch: "trunk" });
    await server.commit("owner/hono", { "a.ts": "2\n" }, { branch: "next" });
    await server.git("owner/hono", ["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    await server.git("owner/hono", ["tag", "v1.0", "next"]);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function start() {
    const it = await tuiWorld([]);
    const written = (await configuration(it.folder)).replace("{", '{ "allowHosts": ["localhost"],');
    await it.folder.write(`//- .home/citewell.config.jsonc\n${written}`);
    const screen = await it.start({ env: { GIT_SSL_CAINFO: server.caFile } });
    return { it, screen };
  }

  test("the main branch first, then the others and tags", async () => {
    const { it, screen } = await start();
    await using _it = it;
    await using _screen = screen;
    screen.type(`/add ${server.url("owner/hono")} `);
    await screen.shows(/-b trunk +main branch\n +-b next +branch\n +-b v1\.0 +tag/);
    screen.type("-b ne");
    await screen.hides("trunk");
    screen.type(keys.tab);
    await screen.shows(/\/add https:.*\n? *.*-b next/);
    screen.type(keys.enter);
    await screen.shows("added hono (git");
    expect(await configuration(it.folder)).toMatch(/"branch":\s*"next"/);
  });

  test("a late answer does not disturb what was typed since", async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    server.intercept(async () => {
      isAsked();
      await held;
      return false;
    });
    const { it, screen } = await start();
    await using _it = it;
    await using _screen = screen;
    screen.type(`/add ${server.url("owner/hono")} `);
    await asked;
    screen.type(`${keys.ctrl("u")}What is new?`);
    await screen.shows("❯ What is new?");
    answer();
    server.intercept(undefined);
    screen.type(`${keys.ctrl("u")}/add ${server.url("owner/hono")} `);
    await screen.shows("-b trunk");
    screen.type(keys.ctrl("u"));
    await screen.hides("-b trunk");
    expect(screen.rows().join("\n")).not.toContain("What is new?");
  });
});
