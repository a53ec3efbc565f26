import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readingTools } from "../../../support/hosted-tools.ts";
import { type AskedService, startAskedService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";

/** How a client chooses the revision of the protocol, and which it then speaks. */
const eras = [
  { mode: { pin: "2026-07-28" }, version: "2026-07-28" },
  { mode: "auto", version: "2026-07-28" },
  { mode: "legacy", version: "2025-11-25" },
] as const;

describe.each(testEngines())("on $name", (engine) => {
  let service: AskedService;
  let key: string;
  beforeAll(async () => {
    service = await startAskedService(await engine.createDatabase(), ({ body }) =>
      JSON.stringify(body.messages).includes("for ever")
        ? { text: ["One "], hang: true }
        : "It retries [[lib:retry.ts#L1]].",
    );
    key = await service.key();
    await service.git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
    await service.call(key, "addResource", { type: "git", name: "lib", url: service.git.url("lib") });
    await service.call(key, "sync");
    await service.untilFetched();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  describe.each(eras)("a client with the mode $mode", ({ mode, version }) => {
    async function connect(token = key) {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(service.url), { requestInit }));
      return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
    }

    test(`speaks ${version} and lists the tools of its key`, async () => {
      await using client = await connect(await service.key(["read"]));
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      expect(client.getServerVersion()).toMatchObject({ name: "citewell", version: "1.2.3" });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).toSorted()).toEqual(readingTools);
    });

    test("calls each tool", async () => {
      await using client = await connect();
      const { tools } = await client.listTools();
      const resource = `second-${typeof mode}-${version}`;
      await service.git.commit(resource, { "a.ts": "export const otters = 0;\n" });
      await service.git.commit(resource, { "a.ts": "export const otters = 1;\n" });
      const calls: [string, Record<string, unknown>][] = [
        ["addResource", { type: "git", name: resource, url: service.git.url(resource) }],
        ["sync", { resource }],
        ["listResources", {}],
        ["search", { query: "otters", mode: "exact", resources: [resource] }],
        ["read", { resource, path: "a.ts" }],
        ["history", { resource, place: "a.ts" }],
        ["compare", { before: `${resource}@HEAD~1`, after: "HEAD" }],
        ["listRevisions", { resource }],
        ["verify", { text: `See ${resource}:a.ts:1.`, resources: [resource] }],
        ["ask", { question: "How often does it retry?", resources: ["lib"] }],
      ];
      expect(tools.map(({ name }) => name).toSorted()).toEqual(calls.map(([name]) => name).toSorted());
      for (const [name, args] of calls) {
        expect({ name, ...(await client.callTool({ name, arguments: args })) }).toMatchObject({ name, isError: false });
        if (name === "sync") await service.untilFetched();
      }
    });

    test("gets a checked answer", async () => {
      await using client = await connect();
      const question = { question: "How often?", resources: ["lib"] };
      const { isError, structuredContent } = await client.callTool({ name: "ask", arguments: question });
      expect(isError).toBe(false);
      expect(structuredContent).toMatchObject({ citations: [{ path: "retry.ts", startLine: 1 }] });
    });

    test("gets a failure as a result that says what to do", async () => {
      await using client = await connect();
      const result = await client.callTool({ name: "read", arguments: { resource: "absent", path: "a.ts" } });
      expect(result).toMatchObject({ isError: true });
      expect(JSON.stringify(result.content)).toContain("call listResources");
    });

    test("is refused a tool that its key has no scope for", async () => {
      await using client = await connect(await service.key(["read"]));
      await expect(client.callTool({ name: "ask", arguments: { question: "Why?" } })).rejects.toThrow("scope");
    });

    test("is refused with a wrong key", async () => {
      await expect(connect("cw_wrong")).rejects.toThrow(/key|authoriz/i);
    });

    test("stops the model when it cancels", async () => {
      await using client = await connect();
      const leaving = new AbortController();
      const next = service.model.requests.length;
      const call = client.callTool(
        { name: "ask", arguments: { question: "How long, for ever?", resources: ["lib"] } },
        { signal: leaving.signal },
      );
      const request = await service.model.request(next);
      leaving.abort();
      await expect(call).rejects.toThrow(/abort/i);
      await request.closed;
    });
  });

  test("a client of 2026-07-28 gets progress while its question is answered", async () => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(service.url), { requestInit }));
    const messages: string[] = [];
    const onprogress = ({ message = "" }) => void messages.push(message);
    await client.callTool({ name: "ask", arguments: { question: "How often?", resources: ["lib"] } }, { onprogress });
    await client.close();
    expect(messages).toContain("asking openai-compat/scripted");
  });
});
