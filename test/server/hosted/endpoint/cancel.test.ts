import { EventEmitter, once } from "node:events";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { daysOfMonth, readDailyUsage } from "../../../../server/hosted/limits/daily-usage.ts";
import { readUsage } from "../../../../server/hosted/limits/project-limits.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { type ServiceOptions, startService, type TestService } from "../../../support/hosted.ts";
import { scriptedModel, type ScriptedModel } from "../../../support/scripted-model.ts";
import { type TestEngine, postgresEngines, testEngines } from "../../../support/stores.ts";

let git: GitServer;
beforeAll(async () => {
  git = await startGitServer();
  await git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
});
afterAll(() => git[Symbol.asyncDispose]());

const ask = { name: "ask", arguments: { question: "Does it retry?", resources: ["lib"] } };

async function startWith(engine: TestEngine, model: ScriptedModel, options: ServiceOptions = {}): Promise<TestService> {
  const service = await startService(await engine.createDatabase(), {
    config: { ...model.config },
    env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    ...options,
  });
  const key = await service.key();
  await service.call(key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
  await service.untilFetched();
  return service;
}

async function connect(service: TestService, key: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(service.url), { requestInit }));
  return client;
}

describe.each(testEngines())("a running question on $name", (engine) => {
  test("a client that leaves stops the model", async () => {
    await using model = await scriptedModel([{ text: ["It "], hang: true }]);
    await using service = await startWith(engine, model);
    const leaving = new AbortController();
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: ask };
    const headers = { authorization: `Bearer ${await service.key()}`, "content-type": "application/json" };
    const answer = service.send("", message, { headers, signal: leaving.signal });
    const request = await model.request(0);
    leaving.abort();
    await expect(answer).rejects.toThrow("abort");
    await request.closed;
    const running = () => service.store.query("select from running_question");
    await expect.poll(running).toMatchObject({ count: 0 });
    const { month } = await readUsage(service.store, service.project.id);
    const used = await readDailyUsage(service.store, service.project.id, daysOfMonth(month));
    expect(used).toMatchObject([{ questions: 1, failed: 0, withoutEvidence: 0 }]);
  });

  test("the official client's cancellation stops its own question, not the one of another client with the same id", async () => {
    const release = new EventEmitter();
    const released = once(release, "release");
    await using model = await scriptedModel(({ body }) =>
      JSON.stringify(body.messages).includes("second") ? { later: { after: released, text: "Kept." } } : { hang: true },
    );
    await using service = await startWith(engine, model);
    const key = await service.key();
    const [first, second] = [await connect(service, key), await connect(service, key)];
    const leaving = new AbortController();
    const cancelled = first.callTool(ask, undefined, { signal: leaving.signal });
    const request = await model.request(0);
    const kept = second.callTool({ ...ask, arguments: { ...ask.arguments, question: "The second?" } });
    await model.request(1);
    leaving.abort();
    await expect(cancelled).rejects.toThrow("abort");
    await request.closed;
    release.emit("release");
    expect(await kept).toMatchObject({ isError: false, content: [{ text: expect.stringContaining("Kept.") }] });
    await Promise.all([first.close(), second.close()]);
  });

  test("a question that takes too long ends with what is answered, and says so", async () => {
    await using model = await scriptedModel([{ text: ["It retries [[lib:retry.ts#L1]]. ", "And "], hang: true }]);
    await using service = await startWith(engine, model, { deadlineMs: 8000 });
    const { isError, content, structuredContent } = await service.call(await service.key(), "ask", ask.arguments);
    expect(isError).toBe(false);
    expect(content[0]?.text).toContain(
      "This answer is partial: it was ended after 8 s. To go on, ask something narrower.",
    );
    expect(structuredContent).toMatchObject({ citations: [{ path: "retry.ts", startLine: 1 }] });
  });

  test("while a question runs, spaces are sent before the answer", async () => {
    const release = new EventEmitter();
    await using model = await scriptedModel([{ later: { after: once(release, "release"), text: "It does." } }]);
    await using service = await startWith(engine, model, { keepAliveMs: 20 });
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: ask };
    const response = await service.send(await service.key(), message);
    await model.request(0);
    release.emit("release");
    const text = await response.text();
    expect(text).toMatch(/^ +\{"result"/);
    expect(JSON.parse(text)).toMatchObject({ id: 1, result: { isError: false } });
  });
});

describe.each(postgresEngines())("two nodes on $name", (engine) => {
  test("a question on one node is cancelled by a notification to the other", async () => {
    await using model = await scriptedModel([{ text: ["It "], hang: true }]);
    const location = await engine.createDatabase();
    await using first = await startWith({ ...engine, createDatabase: async () => location }, model);
    await using second = await startService(location);
    const key = await first.key();
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "mcp-session-id": "one-client",
    };
    const answer = first.send(key, { jsonrpc: "2.0", id: 5, method: "tools/call", params: ask }, { headers });
    const request = await model.request(0);
    await second.send(
      key,
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } },
      { headers },
    );
    expect(await (await answer).json()).toMatchObject({
      result: { isError: true, content: [{ text: "Cancelled: the question was cancelled" }] },
    });
    await request.closed;
  });
});
