import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import * as z from "zod";
import { citewellFile, cliEnvironment } from "../../../support/cli.ts";
import { temporaryFolder } from "../../../support/folder.ts";

/**
 * The most that the process may have held, in MB: it takes 80 to 200; what it is asked for here would take far more.
 */
const boundMb = 300;

const Message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.number(), z.null()]).optional(),
  error: z.looseObject({ code: z.number() }).optional(),
});
type Message = z.infer<typeof Message>;

interface Loaded extends AsyncDisposable {
  input: Writable;
  /** Reads until so many messages have come; each line must be one. */
  read(count: number): Promise<Message[]>;
  /** Waits until the process is idle. */
  atRest(): Promise<void>;
  /** The most memory that it has held so far, in MB. */
  peakMb(): Promise<number>;
  /** Ends the input; gives the exit code. */
  end(): Promise<unknown>;
}

/** The built program, of which nobody reads anything yet. */
async function start(): Promise<Loaded> {
  const folder = await temporaryFolder();
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [citewellFile, "mcp"], {
    cwd: folder.path,
    env: cliEnvironment(folder.path),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const closed = once(child, "close");
  // It may be ended while it is written to.
  child.stdin.on("error", () => {});
  let lines: AsyncIterator<string> | undefined;
  return {
    input: child.stdin,
    async read(count) {
      lines ??= createInterface(child.stdout)[Symbol.asyncIterator]();
      const messages: Message[] = [];
      while (messages.length < count) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`the output ended after ${messages.length} messages`);
        messages.push(Message.parse(JSON.parse(value)));
      }
      return messages;
    },
    async atRest() {
      for (
        let before = -1, now = await processorTime(child.pid);
        now !== before;
        now = await processorTime(child.pid)
      ) {
        before = now;
        await wait(300);
      }
    },
    peakMb: async () => field(await readFile(`/proc/${child.pid}/status`, "utf8"), /^VmHWM:\s+(\d+)/m) / 1024,
    async end() {
      child.stdin.end();
      child.stdout.resume();
      const [code] = await closed;
      return code;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await closed;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The time in ticks: proc_pid_stat(5), utime and stime. */
async function processorTime(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return Number(user) + Number(system);
}

function field(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1]);
}

function request(id: number, method: string, params: object = {}): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
}

function codes(messages: readonly Message[]): string[] {
  return messages.map(({ id, error }) => `${id}: ${error?.code ?? "ok"}`);
}

test("1,000 requests at once, and a message of 10 MB, are answered", async () => {
  await using mcp = await start();
  const large = request(5000, "tools/call", { name: "verify", arguments: { text: "x".repeat(10_000_000) } });
  const many = Array.from({ length: 1000 }, (_, id) => request(id, id % 2 === 0 ? "tools/list" : "prompts/list"));
  mcp.input.write(large + many.join(""));
  const messages = await mcp.read(1001);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(1001);
  expect(messages.filter(({ error }) => error !== undefined)).toEqual([]);
  expect(JSON.stringify(messages.find(({ id }) => id === 5000))).toContain("at most 1000000 characters");
  expect(await mcp.peakMb()).toBeLessThan(boundMb);
  expect(await mcp.end()).toBe(0);
});

test("a client that never reads is not listened to, and what it is owed takes no memory; it may go on when it reads", async () => {
  await using mcp = await start();
  const count = 20_000;
  // The answers to these have 360 MB.
  for (let id = 0; id < count; id++) mcp.input.write(request(id, "tools/list"));
  await mcp.atRest();
  expect(mcp.input.writableLength).toBeGreaterThan(0);
  expect(await mcp.peakMb()).toBeLessThan(boundMb);
  // More than stood in the pipes.
  const messages = await mcp.read(2000);
  expect(messages.map(({ id }) => id)).toEqual(Array.from({ length: 2000 }, (_, id) => id));
});

test("bytes that mean nothing are refused, a line without end is not kept, and the next request is answered", async () => {
  await using mcp = await start();
  // None of them a line end.
  const garbage = randomBytes(1024 * 1024).map((byte) => (byte === 10 || byte === 13 ? 0 : byte));
  mcp.input.write(garbage);
  mcp.input.write("\n");
  for (let megabyte = 0; megabyte < 200; megabyte++) mcp.input.write(garbage);
  mcp.input.write(`\n${request(1, "ping")}`);
  expect(codes(await mcp.read(3))).toEqual(["null: -32700", "null: -32600", "1: ok"]);
  expect(await mcp.peakMb()).toBeLessThan(boundMb);
  expect(await mcp.end()).toBe(0);
});

test.each([
  ["half a line", request(1, "ping").slice(0, 20), ["null: -32700"]],
  ["a line without its end", request(1, "ping").trimEnd(), ["1: ok"]],
])("%s before the end of the input is answered", async (_, text, expected) => {
  await using mcp = await start();
  mcp.input.write(text);
  mcp.input.end();
  expect(codes(await mcp.read(1))).toEqual(expected);
  expect(await mcp.end()).toBe(0);
});
