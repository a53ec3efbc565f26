import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runHere } from "../../../../support/cli-here.ts";
import { type CliResult, startCli } from "../../../../support/cli.ts";
import { temporaryFolder } from "../../../../support/folder.ts";
import { type GitServer, startGitServer } from "../../../../support/git-server.ts";

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
  for (const number of [1, 2, 3]) {
    const files = { "a.js": `export const number = ${number};\n`, "big.txt": randomBytes(150_000).toString("hex") };
    await server.commit("lib", files, { message: `Number ${number}` });
  }
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => server.intercept(undefined));

/** A project with the repository as a resource, whose git can be told to fail. */
async function openProject() {
  const folder = await temporaryFolder(`//- .home/citewell.config.jsonc
{ "allowHosts": ["localhost"], "resources": [{ "type": "git", "name": "lib", "url": "${server.url("lib")}", "branch": "main" }] }
`);
  const place = (name: string) => path.join(folder.path, name);
  const [bin, full, pid] = [place("bin"), place("full"), place("pid")];
  await mkdir(bin);
  // A file that may not grow fails as on a full disk, in the middle of it. Limits are in blocks of 512 or 1024 bytes.
  const script = `#!/bin/sh
PATH="\${PATH#*:}"
case "$1" in fetch) echo $$ > "${pid}"; [ -e "${full}" ] && { trap '' XFSZ; ulimit -f 100; } ;; esac
exec git "$@"
`;
  await writeFile(path.join(bin, "git"), script);
  await chmod(path.join(bin, "git"), 0o755);
  const env = {
    PATH: `${bin}:${process.env["PATH"]}`,
    NODE_EXTRA_CA_CERTS: server.caFile,
    SSL_CERT_FILE: server.caFile,
    GIT_SSL_CAINFO: server.caFile,
  };
  const options = { cwd: folder.path, env };
  const args = (...asked: string[]) => ["history", ...asked, "--resource", "lib"];
  const names = async () => readdir(folder.path, { recursive: true });
  return {
    run: (...asked: string[]): Promise<CliResult> => runHere(args(...asked), options),
    refresh: (): Promise<CliResult> => runHere(["refresh", "lib"], options),
    start: (...asked: string[]) => startCli(args(...asked), options),
    setFull: (isFull: boolean) => (isFull ? writeFile(full, "") : rm(full)),
    killGit: async () => process.kill(Number(await readFile(pid, "utf8")), "SIGKILL"),
    unfinished: async () => (await names()).filter((name) => /\/temporary\/.|\/tmp_|\.lock$/.test(name)),
    /** Makes the locks of a killed process so old that they count as left behind. */
    async ageLocks() {
      const held = (await names()).filter((name) => /\/locks\/./.test(name));
      for (const name of held) await utimes(path.join(folder.path, name), 0, 0);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Serves so many requests, and holds the pack that is asked for next, when it has begun. */
function holdPack(served: number): { hasBegun: Promise<void> } {
  let count = 0;
  const hasBegun = new Promise<void>((resolve) => {
    server.intercept((request, response) => {
      if (count++ < served || request.method !== "POST") return false;
      response.writeHead(200, { "content-type": "application/x-git-upload-pack-result" });
      response.write("000dpackfile\n0009\u0001PACK", () => resolve());
      return true;
    });
  });
  return { hasBegun };
}

test("a disk that is full in the middle of a fetch is reported, and nothing is left of the fetch", async () => {
  await using project = await openProject();
  expect((await project.run("a.js")).stdout).toContain("  Number 1");
  await project.setFull(true);
  for (const asked of [["big.txt"], ["--text", "number = 2"]]) {
    const { code, stderr } = await project.run(...asked);
    expect({ asked, code, stderr }).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/^error: git cannot write to \S+: file too large\nhint: free some space/),
    });
    expect(await project.unfinished()).toEqual([]);
  }
  // What was there before still answers.
  expect((await project.run("a.js")).stdout).toContain("  Number 1");
  await project.setFull(false);
  expect((await project.run("--text", "number = 2")).stdout).toContain("  Number 2");
  expect((await project.run("big.txt")).stdout).toContain("  Number 1");
});

const stages = ["commits", "contents"] as const;

/** A project that has the snapshot, and for contents the commits, and where the next history waits for its pack. */
async function openWaiting(stage: (typeof stages)[number]) {
  const project = await openProject();
  expect((await project.refresh()).code).toBe(0);
  if (stage === "contents") expect((await project.run("a.js")).code).toBe(0);
  // Tags are asked for before the commits.
  const { hasBegun } = holdPack(stage === "commits" ? 2 : 1);
  const asking = project.start("--text", "number = 2");
  await hasBegun;
  return { ...project, asking };
}

test.each(stages)("git that is killed while it receives %s is reported, and the next question works", async (stage) => {
  await using project = await openWaiting(stage);
  const { asking } = project;
  await project.killGit();
  const [stderr, [code]] = await Promise.all([asking.stderr && readText(asking.stderr), once(asking, "close")]);
  expect({ code, stderr }).toMatchObject({
    code: 7,
    stderr: expect.stringMatching(/^error: git was killed while it read https:\S+\/lib\nhint: ask again/),
  });
  server.intercept(undefined);
  expect((await project.run("big.txt")).stdout).toContain("  Number 1");
});

test.each(stages)(
  "a process that is killed while it fetches %s leaves nothing that counts as complete",
  async (stage) => {
    await using project = await openWaiting(stage);
    const { asking } = project;
    asking.kill("SIGKILL");
    await once(asking, "close");
    await project.killGit();
    await project.ageLocks();
    server.intercept(undefined);
    expect((await project.run("big.txt")).stdout).toContain("  Number 1");
    expect((await project.run("--text", "number = 2")).stdout).toContain("  Number 2");
    expect((await project.unfinished()).filter((name) => name.includes("/temporary/"))).toEqual([]);
  },
);
