import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { type CallToolResult, CallToolResultSchema, type ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { silentLog } from "../../server/lib/log.ts";
import type { ConfigSummary } from "../../server/protocol/config.ts";
import type { Handlers } from "../../server/protocol/operations.ts";
import { localServer, type McpOptions, serveMcp } from "../../server/transports/mcp/mcp.ts";
import { citewellFile, cliEnvironment } from "./cli.ts";
import { unansweredOperations } from "./http.ts";

/** A connected MCP client and server. */
export interface TestMcp extends AsyncDisposable {
  /** The official SDK's client. */
  client: Client;
  /** Calls a tool without a progress token and returns the text of its result. */
  call(name: string, input?: Record<string, unknown>): Promise<CallToolResult & { text: string }>;
}

/** Starts the server in this process with the test's handlers. */
export async function startMcp(
  handlers: Partial<Handlers>,
  { capabilities = {}, ...options }: Partial<Omit<McpOptions, "app">> & { capabilities?: ClientCapabilities } = {},
): Promise<TestMcp> {
  const app = { ...unansweredOperations(), getConfig: async () => config, ...handlers };
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await serveMcp(ours, localServer({ app, version: "1.2.3", log: silentLog, ...options }));
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  await client.connect(theirs);
  return toTestMcp(client);
}

/** The configuration of a user with a model. */
export const config: ConfigSummary = {
  provider: "p",
  model: "m",
  providerTimeoutMs: 1,
  maxSteps: 1,
  dataDirectory: "/data",
  resourcesDirectory: "/data/resources",
  resourceCount: 0,
  sources: { provider: "global", model: "global" },
};

/** Starts the built program as the official client's child process. */
export async function startMcpProcess(cwd: string, ...options: string[]): Promise<TestMcp> {
  const client = new Client({ name: "test", version: "1" });
  const args = [citewellFile, "mcp", ...options];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env: cliEnvironment(cwd) }));
  return toTestMcp(client);
}

/** The joined text parts of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function toTestMcp(client: Client): TestMcp {
  return {
    client,
    async call(name, input = {}) {
      const result = CallToolResultSchema.parse(await client.callTool({ name, arguments: input }));
      return { ...result, text: textOf(result) };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
