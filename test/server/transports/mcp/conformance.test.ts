import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import path from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolRequestSchema, type JSONRPCMessage, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import express from "express";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { CitewellError } from "../../../../server/errors.ts";
import { localCaller } from "../../../../server/caller.ts";
import { createMcpSessions } from "../../../../server/transports/http/mcp-sessions.ts";
import { citewellFile, cliEnvironment } from "../../../support/cli.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { startHttp } from "../../../support/http.ts";

/** The official suite. Its scenarios come in by HTTP. */
const conformance = path.resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js");
const runner = path.resolve(import.meta.dirname, "../../../support/conformance-process.mjs");
const Ended = z.object({ code: z.number(), output: z.string() });

type Version = "2025-11-25" | "2026-07-28";

/** Those of the older era that ask for nothing but the protocol. */
const scenarios = [
  "server-initialize",
  "server-session-lifecycle",
  "ping",
  "logging-set-level",
  "tools-list",
  "resources-list",
  "prompts-list",
  "completion-complete",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

/** The same of the current era. */
const currentScenarios = [
  "tools-list",
  "resources-list",
  "prompts-list",
  "completion-complete",
  "sep-2164-resource-not-found",
  "caching",
  "http-header-validation",
  "input-required-result-unsupported-methods",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

let suite: ChildProcess;
beforeAll(() => {
  suite = spawn(process.execPath, [runner, conformance], { stdio: ["pipe", "inherit", "inherit", "ipc"] });
});
afterAll(async () => {
  suite.stdin?.end();
  suite.disconnect();
  await once(suite, "exit");
});

async function run(scenario: string, port: number, version: Version): Promise<{ code: number; output: string }> {
  const url = `http://127.0.0.1:${port}/mcp`;
  const args = ["server", "--url", url, "--scenario", scenario, "--spec-version", version];
  const replied = once(suite, "message");
  suite.stdin?.write(`${JSON.stringify(args)}\n`);
  const [reply] = await replied;
  return Ended.parse(reply);
}

async function check(scenario: string, port: number, version: Version = "2025-11-25"): Promise<void> {
  const { code, output } = await run(scenario, port, version);
  expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed/);
  expect(code).toBe(0);
}

/** Our sessions with something else behind them. */
async function startSessions(serve: (transport: Transport) => Promise<void>) {
  const ending = new AbortController();
  const sessions = createMcpSessions({ serve, signal: ending.signal });
  const app = express().use(express.json(), (request, response) =>
    sessions.handle(request, response, { caller: localCaller }),
  );
  const server = createServer(app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    async [Symbol.asyncDispose]() {
      ending.abort();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Host and Origin are headers: no matter of pipes. */
const overPipes = scenarios.filter((scenario) => scenario !== "dns-rebinding-protection");

const none = {
  listResources: async () => ({ resources: [] }),
  read: async () => {
    throw new CitewellError("ResourceNotFound", "no such resource");
  },
  listFiles: async () => {
    throw new CitewellError("ResourceNotFound", "no such resource");
  },
};

describe("the official conformance suite", () => {
  test.each(scenarios)("%s, over HTTP", async (scenario) => {
    await using server = await startHttp(none);
    await check(scenario, server.port);
  });

  test.each(currentScenarios)("%s of 2026-07-28", async (scenario) => {
    await using server = await startHttp(none);
    await check(scenario, server.port, "2026-07-28");
  });

  test("server-stateless of 2026-07-28, but for what needs the suite's own tools", async () => {
    await using server = await startHttp(none);
    const { output } = await run("server-stateless", server.port, "2026-07-28");
    const failed = /Passed: \d+\/\d+, (\d+) failed/.exec(output)?.[1];
    expect(Number(failed)).toBe(output.match(/Error: Not testable: server does not list/g)?.length);
  });

  test.each(overPipes)("%s, over standard input and output", async (scenario) => {
    await using folder = await temporaryFolder();
    const cwd = folder.path;
    // Each session is relayed to a process of its own.
    await using server = await startSessions(async (outer) => {
      const env = cliEnvironment(cwd);
      const inner = new StdioClientTransport({ command: process.execPath, args: [citewellFile, "mcp"], cwd, env });
      Object.assign(outer, {
        // A cancellation may come after the process has ended.
        onmessage: (message: JSONRPCMessage) => void inner.send(message).catch(() => {}),
        onclose: () => void inner.close(),
      });
      Object.assign(inner, { onmessage: (message: JSONRPCMessage) => void outer.send(message).catch(() => {}) });
      await Promise.all([inner.start(), outer.start()]);
    });
    await check(scenario, server.port);
  });

  test.each(["tools-call-simple-text", "tools-call-error", "tools-call-with-progress", "tools-call-with-logging"])(
    "%s, with the tools that it wants behind our sessions",
    async (scenario) => {
      await using server = await startSessions((transport) => createFixtureServer().connect(transport));
      await check(scenario, server.port);
    },
  );
});

/** The tools that the scenarios name. */
function createFixtureServer(): Server {
  const server = new Server({ name: "fixture", version: "1" }, { capabilities: { tools: {}, logging: {} } });
  const names = ["test_simple_text", "test_error_handling", "test_tool_with_progress", "test_tool_with_logging"];
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: names.map((name) => ({ name, description: name, inputSchema: { type: "object" as const } })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendNotification }) => {
    const progressToken = params._meta?.progressToken;
    if (params.name === "test_error_handling") {
      return {
        isError: true,
        content: [{ type: "text", text: "This tool intentionally returns an error for testing" }],
      };
    }
    for (const progress of [0, 50, 100]) {
      if (params.name === "test_tool_with_progress" && progressToken !== undefined) {
        await sendNotification({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      }
      if (params.name === "test_tool_with_logging") {
        await sendNotification({
          method: "notifications/message",
          params: { level: "info", data: `step ${progress}` },
        });
      }
    }
    return { content: [{ type: "text", text: "This is a simple text response for testing." }] };
  });
  return server;
}
