import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../server/errors.ts";
import { type GitCall, watchCall } from "../../../../server/resources/git/git-call.ts";
import { createGitRunner } from "../../../../server/resources/git/run-git.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { startGitServer } from "../../../support/git-server.ts";

const runner = createGitRunner();

test.each([
  ["--version", "simple-git"],
  ["config", "simple-git"],
  ["init", "simple-git"],
  ["ls-tree", "simple-git"],
  ["rev-list", "simple-git"],
  ["ls-remote", "a process group"],
  ["fetch", "a process group"],
  ["clone", "a process group"],
  ["checkout", "a process group"],
  ["log", "a process group"],
  ["grep", "a process group"],
])("git %s runs in %s", async (command, expected) => {
  const ownGroup = "ps -o pid= -o pgid= -p $$; echo ${GIT_TEST_DISALLOW_ABBREVIATED_OPTIONS-}";
  const { stdout } = await run(command, ownGroup);
  const [pid, group, setBySimpleGit] = stdout.trim().split(/\s+/);
  const way = pid === group ? "a process group" : "this group";
  expect(setBySimpleGit === "true" ? "simple-git" : way).toBe(expected);
});

/** One command of each way: what they answer is the same. */
describe.each(["ls-tree", "fetch"])("the runner, for %s,", (command) => {
  test.each([
    ["what git says", "printf 'a b\\nc'; echo warning >&2", { code: 0, stdout: "a b\nc", stderr: "warning\n" }],
    ["nothing", "exit 0", { code: 0, stdout: "", stderr: "" }],
    ["the exit code of a failure", "echo no >&2; exit 128", { code: 128, stdout: "", stderr: "no\n" }],
    ["the exit code of a failure without a word", "exit 1", { code: 1, stdout: "", stderr: "" }],
    ["what there was until a failure", "echo a; echo b >&2; exit 3", { code: 3, stdout: "a\n", stderr: "b\n" }],
    ["no code where something else ended git", "echo a; kill -9 $$", { code: null, stdout: "a\n", stderr: "" }],
    ["NUL and letters", "printf 'a\\0\\303\\251 \\n\\0\\0'", { code: 0, stdout: "a\0é \n\0\0", stderr: "" }],
    ["a million lines", "yes é | head -n 1000000", { code: 0, stdout: "é\n".repeat(1_000_000), stderr: "" }],
    ["what comes after git's end", "(sleep 0.2; echo b) & echo a", { code: 0, stdout: "a\nb\n", stderr: "" }],
    ["arguments as they are", 'printf "%s|" "$@"', { code: 0, stdout: `${command}|-z|a b|--|*|`, stderr: "" }],
  ])("answers %s", async (_what, script, expected) => {
    expect(await run(command, script, {}, ["-z", "a b", "--", "*"])).toEqual(expected);
  });

  test("passes standard output on as it comes, and then keeps none of it", async () => {
    const chunks: Uint8Array[] = [];
    const onOutput = (chunk: Uint8Array) => void chunks.push(chunk);
    const result = await run(command, "yes | head -n 100000; echo failed >&2; exit 1", { onOutput });
    expect(Buffer.concat(chunks).toString()).toBe("y\n".repeat(100_000));
    expect(result).toEqual({ code: 1, stdout: "", stderr: "failed\n" });
  });

  test("passes standard error on as it comes", async () => {
    const seen: string[] = [];
    await run(command, "echo 1 of 2 >&2; echo out", { onErrorOutput: (text) => seen.push(text) });
    expect(seen.join("")).toBe("1 of 2\n");
  });

  test("passes git only the given environment", async () => {
    const environment = {
      HOME: "/none",
      HTTPS_PROXY: "http://proxy.example",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_DIR: "/none",
      GIT_TERMINAL_PROMPT: "0",
      GIT_CONFIG_COUNT: "4",
      GIT_CONFIG_KEY_0: "core.hooksPath",
      GIT_CONFIG_VALUE_0: "/dev/null",
      GIT_CONFIG_KEY_1: "credential.https://alias.example.helper",
      GIT_CONFIG_VALUE_1: "!echo",
      GIT_CONFIG_KEY_2: "http.https://pager.example/.extraheader",
      GIT_CONFIG_VALUE_2: "a: b",
      GIT_CONFIG_KEY_3: "http.proxy",
      GIT_CONFIG_VALUE_3: "",
    };
    const { stdout } = await run(command, "exec /usr/bin/env", { environment });
    const given = Object.fromEntries(stdout.split("\n").map((line) => line.split(/=(.*)/)));
    expect(given).toMatchObject(environment);
    const others = Object.keys(given).filter((name) => name !== "" && !(name in environment));
    const ofShell = ["OLDPWD", "PATH", "PWD", "SHLVL", "_"];
    const ofSimpleGit = ["GIT_ALLOW_PROTOCOL", "GIT_TEST_DISALLOW_ABBREVIATED_OPTIONS"];
    const expected = command === "fetch" ? [] : ofSimpleGit;
    expect(others.filter((name) => !ofShell.includes(name)).sort()).toEqual(expected);
  });

  test.each([
    ["says nothing", "exec tail -f /dev/null", { silentMs: 300, totalMs: 60_000 }, "reading got no answer for 1 s"],
    ["does not end", "while :; do echo a; done", { silentMs: 60_000, totalMs: 300 }, "reading timed out after 1 s"],
  ])("ends git that %s", async (_what, script, limits, error) => {
    expect(await run(command, script, { limits }).catch(toErrorBody)).toEqual({
      error,
      tag: "RepositoryTimeout",
      hint: "check the connection, then try again",
    });
  });

  test("ends git when the caller cancels, with the caller's reason", async () => {
    const cancelled = new AbortController();
    let pid = 0;
    const onErrorOutput = (text: string) => {
      pid = Number(text);
      cancelled.abort(new Error("enough"));
    };
    const running = run(command, "echo $$ >&2; exec tail -f /dev/null", { signal: cancelled.signal, onErrorOutput });
    await expect(running).rejects.toThrow("enough");
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await expect(run(command, "", { signal: cancelled.signal })).rejects.toThrow("enough");
  });

  test.each([
    [
      "is not there",
      "/none",
      "git is not installed, or not in PATH",
      "install git 2.37 or later (https://git-scm.com)",
    ],
    [
      "cannot be started",
      "not-executable",
      "git could not be started (EACCES)",
      "see that it may be run, and that processes and open files are left",
    ],
  ])("reports that git %s", async (_what, folder, error, hint) => {
    await using place = await temporaryFolder("//- not-executable/git\n");
    const environment = { PATH: path.resolve(place.path, folder) };
    const answer = await runner.run([command], callOf({ environment })).catch(toErrorBody);
    expect(answer).toEqual({ error, tag: "ToolMissing", hint });
  });
});

test("a checkout fetches missing objects of a partial clone; reading it contacts no host", async () => {
  await using server = await startGitServer();
  await using folder = await temporaryFolder();
  const commit = await server.commit("demo", { "src/a.ts": "a" });
  const environment = { PATH: process.env["PATH"] ?? "", HOME: folder.path, GIT_SSL_CAINFO: server.caFile };
  const git = async (...args: string[]) => runner.run(args, callOf({ directory: folder.path, environment }));
  await git("init", "--template=");
  expect(await git("fetch", "--depth=1", "--filter=tree:0", server.url("demo"), commit)).toMatchObject({ code: 0 });
  server.requests.length = 0;
  // 128, or no code if the forbidden fetch ended before its input was written (SIGPIPE).
  const read = await git("ls-tree", "-r", "-z", commit);
  expect([128, null]).toContain(read.code);
  expect(read.stdout).toBe("");
  expect(server.requests).toEqual([]);
  expect(await git("checkout", "--quiet", commit)).toMatchObject({ code: 0 });
  expect(server.requests).not.toEqual([]);
});

test("git is ended after half a gibibyte of output", () => {
  const faults: Error[] = [];
  const watch = watchCall(callOf({}), (fault) => faults.push(fault));
  watch.received(2 ** 29);
  expect(faults).toEqual([]);
  watch.received(1);
  watch.stop();
  expect(faults.map(toErrorBody)).toEqual([{ error: "reading sent more than can be read", tag: "RepositoryFailed" }]);
});

/** Runs a shell script in the place of git. */
async function run(command: string, script: string, options: Partial<GitCall> = {}, args: string[] = []) {
  await using folder = await temporaryFolder();
  await writeFile(path.join(folder.path, "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const environment = { ...options.environment, PATH: `${folder.path}:${process.env["PATH"]}` };
  return await runner.run([command, ...args], callOf({ ...options, environment }));
}

function callOf(options: Partial<GitCall>): GitCall {
  return {
    directory: "/",
    environment: {},
    purpose: "reading",
    limits: { silentMs: 30_000, totalMs: 30_000 },
    signal: new AbortController().signal,
    ...options,
  };
}
