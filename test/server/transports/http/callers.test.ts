import { once } from "node:events";
import { createServer } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../../../server/caller.ts";
import { CitewellError } from "../../../../server/errors.ts";
import { createLog } from "../../../../server/lib/log.ts";
import { createHttpApp } from "../../../../server/transports/http/http.ts";
import { unansweredOperations } from "../../../support/http.ts";

/** A server that knows its callers by a key; its log, and which caller each operation was for. */
async function startServer() {
  const lines: string[] = [];
  const ending = new AbortController();
  const app = createHttpApp({
    callerOf(request): Caller {
      const id = request.headers.authorization?.replace("Bearer ", "");
      if (id !== "ann" && id !== "bob") throw new CitewellError("OperationNotAllowed", "no such key");
      return { id, isLocal: false, limits: {}, logFields: { caller: id } };
    },
    handlersFor: ({ id }) => ({
      ...unansweredOperations(),
      clear: async () => ({ cleared: id === "ann" ? 1 : 2 }),
      listResources: async () => ({ resources: [] }),
    }),
    version: "1.2.3",
    log: createLog("info", (line) => lines.push(line)),
    signal: ending.signal,
  });
  const server = createServer(app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  return {
    lines,
    send: (method: string, path: string, key?: string) =>
      fetch(`${url}${path}`, { method, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } }),
    transport: (key: string, sessionId?: string) =>
      new StreamableHTTPClientTransport(new URL("/mcp", url), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
        ...(sessionId === undefined ? {} : { sessionId }),
      }),
    async [Symbol.asyncDispose]() {
      ending.abort();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("a request is answered for its caller, and logged with the caller's fields", async () => {
  await using server = await startServer();
  expect(await (await server.send("POST", "/clear", "ann")).json()).toEqual({ cleared: 1 });
  expect(await (await server.send("POST", "/clear", "bob")).json()).toEqual({ cleared: 2 });
  await expect.poll(() => server.lines.filter((line) => line.includes("caller=ann"))).toHaveLength(1);
});

test("a request of no caller is refused with the reason, on every path", async () => {
  await using server = await startServer();
  for (const path of ["/", "/resources", "/mcp"]) {
    const response = await server.send("GET", path);
    expect(response.status).toBe(403);
    expect(JSON.stringify(await response.json())).toContain("no such key");
  }
});

describe("an MCP session", () => {
  test("belongs to the caller that opened it; to others it does not exist", async () => {
    await using server = await startServer();
    const transport = server.transport("ann");
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    expect(await client.callTool({ name: "listResources", arguments: {} })).not.toHaveProperty("isError", true);
    const other = server.transport("bob", transport.sessionId);
    const call = other.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    await expect(call).rejects.toThrow(/404|no such session/i);
    expect(await client.ping()).toEqual({});
    await client.close();
  });
});
