import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { type GitServer, startGitServer } from "../support/git-server.ts";
import { startInTerminal } from "../support/pty.ts";

let server: GitServer;
let folder: Folder;
beforeAll(async () => {
  server = await startGitServer();
  await server.commit("owner/hono", { "src/a.ts": "1\n" });
  await server.commit("owner/hono", { "src/a.ts": "2\n", "b.md": "# b\r\n" });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await temporaryFolder('//- .home/citewell.config.jsonc\n{ "allowHosts": ["localhost"] }\n');
  return () => folder[Symbol.asyncDispose]();
});

const run = (args: readonly string[], cwd = folder.path) =>
  runHere(["reference", ...args], { cwd, env: { ...environment(), CITEWELL_HOME: path.join(folder.path, ".home") } });
const environment = () => ({ GIT_SSL_CAINFO: server.caFile });

async function git(cwd: string, ...args: string[]): Promise<string> {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  const { stdout } = await promisify(execFile)("git", [...identity, ...args], {
    cwd,
    env: { ...process.env, HOME: cwd },
  });
  return stdout;
}

test("a repository is cloned whole, with its history, ready to be used with git", async () => {
  await git(folder.path, "init", "--quiet");
  const { code, stdout, stderr } = await run([server.url("owner/hono")]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("into references/hono") });
  expect(stderr).not.toContain("warning");
  const clone = path.join(folder.path, "references/hono");
  expect(await readFile(path.join(clone, "b.md"), "utf8")).toBe("# b\r\n");
  expect(await git(clone, "rev-list", "--count", "HEAD")).toBe("2\n");
  expect(await git(clone, "status", "--porcelain")).toBe("");
  expect(await readdir(path.join(folder.path, "references"))).toEqual(["hono"]);
});

test("none of our settings stays in it", async () => {
  await run([server.url("owner/hono")]);
  const config = await git(path.join(folder.path, "references/hono"), "config", "--local", "--list", "--name-only");
  expect(
    config
      .trim()
      .split("\n")
      .filter((name) => !name.startsWith("core."))
      .toSorted(),
  ).toEqual(["branch.main.merge", "branch.main.remote", "remote.origin.fetch", "remote.origin.url"]);
  expect(config).not.toMatch(/hookspath|sparse|autocrlf/i);
});

describe("git ignores the clones", () => {
  test("in a repository, once, and nothing else is changed", async () => {
    await git(folder.path, "init", "--quiet");
    const exclude = path.join(folder.path, ".git/info/exclude");
    await writeFile(exclude, "# mine\n*.log");
    const { stdout } = await run([server.url("owner/hono"), "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ name: "hono", excludeFile: exclude });
    await server.commit("owner/ky", { "a.ts": "1" });
    await run([server.url("owner/ky")]);
    expect(await readFile(exclude, "utf8")).toBe("# mine\n*.log\nreferences/\n");
    expect(await git(folder.path, "status", "--porcelain", "references")).toBe("");
  });

  test("in a worktree", async () => {
    await git(folder.path, "init", "--quiet");
    await git(folder.path, "commit", "--quiet", "--allow-empty", "-m", "first");
    const tree = path.join(folder.path, "tree");
    await git(folder.path, "worktree", "add", "--quiet", tree);
    expect(await run([server.url("owner/hono")], tree)).toMatchObject({ code: 0 });
    expect(await git(tree, "status", "--porcelain")).toBe("");
    expect(await readFile(path.join(folder.path, ".git/info/exclude"), "utf8")).toMatch(/^references\/$/m);
  });

  test("where git sees no repository it warns, and clones all the same", async () => {
    await writeFile(path.join(folder.path, ".git"), "this is none\n");
    const { code, stderr } = await run([server.url("owner/hono")]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("warning: this is not a git repository"),
    });
  });
});

describe("anything already in the clone's place is left alone", () => {
  const check = (what: string, make: (place: string) => Promise<unknown>) =>
    test(what, async () => {
      const place = path.join(folder.path, "references/hono");
      await mkdir(path.dirname(place));
      await make(place);
      const { code, stdout, stderr } = await run([server.url("owner/hono")]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("already exists; nothing was overwritten");
      expect(await readdir(path.dirname(place))).toEqual(["hono"]);
    });

  check("a folder", (place) => mkdir(place));
  check("a file", (place) => writeFile(place, "mine"));
  check("a link to nothing", (place) => symlink("nowhere", place));
});

describe("it is refused, and leaves nothing", () => {
  const check = async (url: string, code: number, message: RegExp) => {
    const result = await run([url]);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: "" });
    expect(result.stderr).toMatch(message);
    expect(await readdir(path.join(folder.path, "references")).catch(() => [])).toEqual([]);
  };

  test("what is no git URL", () => check("npm:zod", 2, /cannot be cloned: not an HTTPS git URL/));
  test("what is not HTTPS", () => check("http://github.com/a/b", 2, /must use https/));
  test("a private address", () => check("https://127.0.0.1/a/b", 2, /not a public address/));
  test("a repository that is not there", () => check(server.url("owner/none"), 7, /there is no repository at/));
});

test("in a terminal it shows how far it is, and prints a snippet for agents", async () => {
  const session = startInTerminal(["reference", server.url("owner/hono")], { cwd: folder.path, env: environment() });
  expect(await session.exit).toBe(0);
  expect(session.output()).toContain("cloning");
  expect(session.output()).toContain("AGENTS.md");
  expect(session.output()).toContain("Copy citations as they are");
});
