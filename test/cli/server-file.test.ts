import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { version } from "../../package.json";
import { startCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

test("serve leaves pid, port, version and its folder while it runs, and nothing after", async () => {
  await using folder = await temporaryFolder();
  const child = startCli(["serve", "--port", "0", "--json"], { cwd: folder.path });
  const [line]: Buffer[] = child.stdout === null ? [] : await once(child.stdout, "data");
  const { port } = JSON.parse(String(line));
  const file = path.join(folder.path, ".home/data/server.json");
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ pid: child.pid, port, version, folder: folder.path });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  child.kill("SIGTERM");
  await once(child, "close");
  await expect(stat(file)).rejects.toThrow("ENOENT");
});
