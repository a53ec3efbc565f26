import { once } from "node:events";
import { text as readText } from "node:stream/consumers";
import { spawn, spawnSync } from "node:child_process";
import { open } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { citewellFile, cliEnvironment } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const project = `
//- demo/a.ts
/** Waits longer after each failure. */
export const retryDelay = 1;
`;

interface Options {
  /** What the writer sends before it falls silent; the pipe stays open. */
  sent?: string;
  /** How the input is made: a shell makes a pipe, Node a socket. */
  input?: "pipe" | "socket";
  limit?: string;
}

/** Runs a command whose standard input stays open for ever. */
async function run(args: string[], { sent = "", input = "socket", limit = "0.3" }: Options = {}) {
  await using folder = await temporaryFolder(project);
  const env = cliEnvironment(folder.path, { CITEWELL_STDIN_TIMEOUT: limit });
  const fifo = path.join(folder.path, "fifo");
  spawnSync("mkfifo", [fifo]);
  // Open for writing as well, so that it never ends.
  await using file = await open(fifo, "r+");
  const stdio = [input === "pipe" ? file.fd : "pipe", "pipe", "pipe"] as const;
  const child = spawn(process.execPath, [citewellFile, ...args], { cwd: folder.path, env, stdio: [...stdio] });
  child.stdin?.write(sent);
  const [stdout, stderr, [code]] = await Promise.all([
    child.stdout === null ? "" : readText(child.stdout),
    child.stderr === null ? "" : readText(child.stderr),
    once(child, "close"),
  ]);
  return { code, stdout, stderr };
}

describe("input that must come and does not is wrong usage, after the silence limit", () => {
  const check = (name: string, args: string[], options: Options = {}) =>
    test(name, async () => {
      const { code, stdout, stderr } = await run(args, options);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(
        /^error: standard input stayed open but sent nothing for 0\.3 seconds\nhint: .*CITEWELL_STDIN_TIMEOUT/m,
      );
    });

  check("ask without a question", ["ask", "-r", "./demo"]);
  check("ask -q -", ["ask", "-q", "-", "-r", "./demo"]);
  check("ask -q - that begins and does not end", ["ask", "-q", "-", "-r", "./demo"], { sent: "What is" });
  check("ask -q TEXT --stdin", ["ask", "-q", "What is retryDelay?", "--stdin", "-r", "./demo"]);
  check("verify -", ["verify", "-", "-r", "./demo"]);
  check("search --batch -", ["search", "--batch", "-", "-r", "./demo"]);
  check("connect --key-stdin", ["connect", "-p", "openrouter", "-m", "a/b", "--key-stdin"]);
});

describe("beside -q TEXT", () => {
  const question = ["ask", "-q", "What is retryDelay?", "-r", "./demo"];

  test("ignores a pipe that sends nothing, and says so", async () => {
    const { code, stdout, stderr } = await run(question, { input: "pipe", limit: "600" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("retryDelay") });
    expect(stderr).toContain("no text was piped in");
    expect(stderr).toContain("--stdin");
  });

  test("a socket that was inherited is left alone without a word", async () => {
    const { code, stderr } = await run(question, { limit: "600" });
    expect(code).toBe(0);
    expect(stderr).not.toContain("piped");
  });

  test("what came before the writer fell silent is added to the question", async () => {
    const { stdout, stderr } = await run(question, { sent: "seven more words of context for it" });
    expect(stdout).not.toBe("");
    expect(stderr).toContain("the question has the 34 characters that came");
  });
});

test("a limit that is no number is wrong usage", async () => {
  const { code, stderr } = await run(["ask", "-q", "-"], { limit: "soon" });
  expect(code).toBe(2);
  expect(stderr).toContain('CITEWELL_STDIN_TIMEOUT is "soon", not a number of seconds');
});
