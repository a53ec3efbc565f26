import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { version } from "../../../package.json";
import { announceServer, hasEnvironment, readServerFiles } from "../../../cli/app/server-file.ts";
import { silentLog } from "../../../server/lib/log.ts";
import { startCli } from "../../support/cli.ts";
import { temporaryFolder } from "../../support/folder.ts";

/** A server of the built program; `close` ends it as `kill` does. */
async function startServer(cwd: string) {
  const child = startCli(["serve", "--port", "0", "--json"], { cwd });
  const [line]: Buffer[] = child.stdout === null ? [] : await once(child.stdout, "data");
  const { port }: { port: number } = JSON.parse(String(line));
  return {
    child,
    port,
    async close() {
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}

const common = (home: string) => path.join(home, ".home/data/server.json");
const readCommon = async (home: string) => JSON.parse(await readFile(common(home), "utf8"));

test("serve leaves pid, port, version and its folder while it runs, and nothing after", async () => {
  await using folder = await temporaryFolder();
  const { child, port, close } = await startServer(folder.path);
  const file = common(folder.path);
  expect(await readCommon(folder.path)).toEqual({
    pid: child.pid,
    port,
    version,
    folder: folder.path,
    environment: {},
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await close();
  await expect(stat(file)).rejects.toThrow("ENOENT");
  expect(await readdir(path.join(folder.path, ".home/data/servers"))).toEqual([]);
});

test("a second server leaves the first one's server.json, and takes it over when the first ends", async () => {
  await using folder = await temporaryFolder();
  const first = await startServer(folder.path);
  const second = await startServer(folder.path);
  expect(await readCommon(folder.path)).toMatchObject({ port: first.port });
  const ports = async () => new Set((await readServerFiles(path.dirname(common(folder.path)))).map(({ port }) => port));
  expect(await ports()).toEqual(new Set([first.port, second.port]));
  await first.close();
  expect(await readCommon(folder.path)).toMatchObject({ port: second.port });
  expect(await ports()).toEqual(new Set([second.port]));
  await second.close();
  await expect(stat(common(folder.path))).rejects.toThrow("ENOENT");
});

test("what a killed server left is removed, and replaced by the next", async () => {
  await using folder = await temporaryFolder();
  const killed = await startServer(folder.path);
  killed.child.kill("SIGKILL");
  await once(killed.child, "close");
  expect(await readServerFiles(path.dirname(common(folder.path)))).toEqual([]);
  const next = await startServer(folder.path);
  expect(await readCommon(folder.path)).toMatchObject({ port: next.port });
  await next.close();
});

describe("a server is for a process", () => {
  async function check(theirs: Record<string, string>, ours: Record<string, string>, expected: boolean) {
    await using folder = await temporaryFolder();
    const announced = { port: 1234, version, folder: folder.path, env: theirs, log: silentLog };
    await using _file = await announceServer(folder.path, announced);
    const [file] = await readServerFiles(folder.path);
    expect(file && hasEnvironment(file, ours)).toBe(expected);
    expect(JSON.stringify(file)).not.toContain("secret");
  }

  test("with the same keys and proxies", () =>
    check({ OPENAI_API_KEY: "secret", https_proxy: "http://secret:1" }, { OPENAI_API_KEY: "secret" }, true));

  test("not with another key", () => check({ OPENAI_API_KEY: "secret" }, { OPENAI_API_KEY: "other" }, false));

  test("not with a key that the server lacks", () => check({}, { OPENAI_API_KEY: "other" }, false));

  test("any other variable that differs", () => check({ TERM: "secret" }, { TERM: "dumb" }, true));
});
