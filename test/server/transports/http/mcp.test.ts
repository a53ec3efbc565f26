import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import express from "express";
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { silentLog } from "../../../../server/lib/log.ts";
import type { AskEvent } from "../../../../server/protocol/ask.ts";
import type { Handlers } from "../../../../server/protocol/operations.ts";
import { localCaller } from "../../../../server/caller.ts";
import { createMcpSessions, type McpSessionOptions } from "../../../../server/transports/http/mcp-sessions.ts";
import { localServer, serveMcp } from "../../../../server/transports/mcp/mcp.ts";
import { startHttp, type TestServer, unansweredOperations } from "../../../support/http.ts";
import { config } from "../../../support/mcp.ts";

const none: Partial<Handlers> = { listResources: async () => ({ resources: [] }) };

const hello = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const accepted = { "content-type": "application/json", accept: "application/json, text/event-stream" };

const subscription = {
  jsonrpc: "2.0",
  id: 1,
  method: "subscriptions/listen",
  params: {
    notifications: { resourcesListChanged: true },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};
const listening = { ...accepted, "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };

async function isOver(stream: ReadableStreamDefaultReader<string> | undefined): Promise<boolean | undefined> {
  try {
    return (await stream?.read())?.done;
  } catch {
    return true;
  }
}

async function connect({ port }: { port: number }) {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
  await client.connect(transport);
  return { client, transport };
}

async function post(server: TestServer, body: unknown, headers: Record<string, string> = {}) {
  const response = await server.send("POST /mcp", undefined, {
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { ...accepted, ...headers },
  });
  return { status: response.status, text: await response.text(), session: response.headers.get("mcp-session-id") };
}

describe("/mcp", () => {
  test("serves a session: tools, progress as it goes, and an end", async () => {
    const meta: AskEvent = {
      type: "meta",
      model: { provider: "p", model: "m" },
      resources: [],
      snapshots: [],
      collection: { key: "", path: "" },
    };
    await using server = await startHttp({
      getConfig: async () => config,
      async *ask() {
        yield meta;
        yield { type: "done", text: "So.", reasoning: "", tools: [], citations: [] };
      },
    });
    const { client, transport } = await connect(server);
    const progress: unknown[] = [];
    const result = await client.callTool({ name: "ask", arguments: { question: "why?" } }, undefined, {
      onprogress: ({ message }) => progress.push(message),
    });
    expect(result).toMatchObject({ content: [{ text: expect.stringMatching(/^So\./) }] });
    expect(progress).toEqual(["asking p/m"]);
    const session = transport.sessionId ?? "";
    expect(session).not.toBe("");
    await transport.terminateSession();
    const after = await post(server, { jsonrpc: "2.0", id: 2, method: "ping" }, { "mcp-session-id": session });
    expect(after.status).toBe(404);
    await client.close();
  });

  test("announces changed resources on the stream of notifications", async () => {
    const listeners = new Set<() => void>();
    await using server = await startHttp(none, {
      watchResources(onChange) {
        listeners.add(onChange);
        return { [Symbol.dispose]: () => void listeners.delete(onChange) };
      },
    });
    const { client } = await connect(server);
    const told = new Promise((resolve) => {
      client.setNotificationHandler(ResourceListChangedNotificationSchema, resolve);
    });
    await client.listResources();
    const timer = setInterval(() => listeners.forEach((tell) => tell()), 10);
    expect(await told).toMatchObject({ method: "notifications/resources/list_changed" });
    clearInterval(timer);
    await client.close();
  });

  test("keeps a silent stream alive", async () => {
    await using server = await startHttp(none, { keepAliveMs: 5 });
    const { session } = await post(server, hello);
    const headers = { ...accepted, "mcp-session-id": session ?? "" };
    const { body } = await server.send("GET /mcp", undefined, { headers });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toMatch(/^: /);
    await reader?.cancel();
  });

  test("cancels what was asked on a connection that the client closes", async () => {
    let cancelled = () => {};
    const isCancelled = new Promise<void>((resolve) => (cancelled = resolve));
    let began = () => {};
    const hasBegun = new Promise<void>((resolve) => (began = resolve));
    await using server = await startHttp({
      search: (_request, { signal } = {}) =>
        new Promise((_, reject) => {
          signal?.addEventListener("abort", () => {
            cancelled();
            reject(signal.reason);
          });
          began();
        }),
    });
    const { session } = await post(server, hello);
    const leaving = new AbortController();
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "search", arguments: { query: "x" } } };
    const response = server.send("POST /mcp", call, {
      headers: { ...accepted, "mcp-session-id": session ?? "" },
      signal: leaving.signal,
    });
    const left = response.then((answer) => answer.text()).catch((error: Error) => error.name);
    await hasBegun;
    leaving.abort();
    await isCancelled;
    expect(await left).toBe("AbortError");
  });

  test.each<[string, unknown, Record<string, string>, number, number]>([
    ["broken JSON", "{", {}, 400, -32_700],
    ["no session", { jsonrpc: "2.0", id: 1, method: "tools/list" }, {}, 400, -32_000],
    ["a session that there is not", { jsonrpc: "2.0", id: 1, method: "ping" }, { "mcp-session-id": "x" }, 404, -32_001],
    ["more than 2 MB", `"${"x".repeat(2_100_000)}"`, {}, 413, -32_600],
    ["what is no JSON", "x", { "content-type": "text/plain" }, 415, -32_600],
  ])("refuses %s in the protocol's words", async (_, body, headers, status, code) => {
    await using server = await startHttp(none);
    const answer = await post(server, body, headers);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: "2.0", error: { code } });
  });

  test("says of parameters what was expected", async () => {
    await using server = await startHttp(none);
    const { client } = await connect(server);
    const call = client.request({ method: "tools/call", params: {} }, z.unknown());
    await expect(call).rejects.toThrow("-32602: tools/call: params.name: missing: must be a string");
    await client.close();
  });

  test("refuses pages of other sites, and other methods", async () => {
    await using server = await startHttp(none);
    expect((await post(server, hello, { origin: "http://evil.example" })).status).toBe(403);
    const put = await server.send("PUT /mcp");
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, POST, DELETE"]);
  });

  test("lets 64 clients of the current era subscribe, and ends their streams with the server", async () => {
    const server = await startHttp(none);
    const listen = async () => {
      const response = await server.send("POST /mcp", undefined, {
        body: JSON.stringify(subscription),
        headers: listening,
      });
      return response.body?.pipeThrough(new TextDecoderStream()).getReader();
    };
    const streams = await Promise.all(Array.from({ length: 64 }, listen));
    for (const stream of streams) expect((await stream?.read())?.value).toContain("subscriptions/acknowledged");
    expect((await (await listen())?.read())?.value).toContain("Subscription limit reached");
    await server.close();
    for (const stream of streams) await expect(isOver(stream)).resolves.toBe(true);
  });

  test("ends its sessions with the server", async () => {
    const server = await startHttp(none);
    const { client } = await connect(server);
    await client.listTools();
    await server.close();
    await expect(client.listTools()).rejects.toThrow("fetch failed");
    await client.close();
  });
});

describe("sessions", () => {
  async function startSessions(options: Partial<McpSessionOptions>) {
    const ending = new AbortController();
    const app = { ...unansweredOperations(), ...none };
    const sessions = createMcpSessions({
      serve: (transport) => serveMcp(transport, localServer({ app, version: "1", log: silentLog })),
      signal: ending.signal,
      ...options,
    });
    const server = createServer(
      express().use(express.json(), (request, response) => sessions.handle(request, response, { caller: localCaller })),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const send = (body: unknown, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { ...accepted, ...headers },
      });
    return {
      async begin() {
        const response = await send(hello);
        await response.text();
        return response.headers.get("mcp-session-id") ?? "";
      },
      ping: async (session: string) =>
        (await send({ jsonrpc: "2.0", id: 2, method: "ping" }, { "mcp-session-id": session })).status,
      async [Symbol.asyncDispose]() {
        ending.abort();
        server.close();
        server.closeAllConnections();
      },
    };
  }

  test("one too many ends the one that was idle for longest", async () => {
    await using sessions = await startSessions({ sessionLimit: 2 });
    const [first, second] = [await sessions.begin(), await sessions.begin()];
    expect(await sessions.ping(first)).toBe(200);
    const third = await sessions.begin();
    expect([await sessions.ping(first), await sessions.ping(second), await sessions.ping(third)]).toEqual([
      200, 404, 200,
    ]);
  });

  test("that are idle end by themselves", async () => {
    await using sessions = await startSessions({ idleMs: 5 });
    const session = await sessions.begin();
    await expect.poll(() => sessions.ping(session), { interval: 50 }).toBe(404);
  });
});
