import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { text as readText } from "node:stream/consumers";
import { createInterface } from "node:readline";
import { startCli } from "./cli.ts";
import type { Folder } from "./folder.ts";

/** A process of `citewell hosted`. Disposing of it kills it. */
export interface HostedNode extends AsyncDisposable {
  process: ChildProcess;
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** What it has printed at its start, without the first line. */
  printed(lines: number): Promise<string[]>;
  /** The status of `/readyz`; undefined if the connection is refused. */
  readiness(): Promise<number | undefined>;
  /** Sends a call of a tool as one JSON-RPC object. */
  send(key: string, tool: string, args?: object, signal?: AbortSignal): Promise<Response>;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
  /** What it has logged until its end. */
  log: Promise<string>;
}

/**
 * Starts a node over a folder of its own, with `--port 0` unless `args` have another. It is ready.
 * @param options.file the command line of another build
 */
export async function startNode(
  folder: Folder,
  args: readonly string[],
  env: Record<string, string> = {},
  { file }: { file?: string | undefined } = {},
): Promise<HostedNode> {
  const child = startCli(["hosted", "--port", "0", ...args], { cwd: folder.path, env, file });
  if (child.stdout === null || child.stderr === null) throw new Error("the node has no output");
  const ended = once(child, "exit").then(([code]: (number | null)[]) => code ?? null);
  const log = readText(child.stderr);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value: first } = await lines.next();
  const url = /http:\/\/[^/]+/.exec(String(first))?.[0];
  if (url === undefined) throw new Error(`the node did not start: ${await log}`);
  return {
    process: child,
    url,
    async printed(count) {
      const printed: string[] = [];
      while (printed.length < count) printed.push(String((await lines.next()).value));
      return printed;
    },
    readiness: () =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status,
        () => undefined,
      ),
    send: (key, tool, args = {}, signal) =>
      fetch(`${url}/api/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } }),
        signal: signal ?? null,
      }),
    ended,
    log,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
