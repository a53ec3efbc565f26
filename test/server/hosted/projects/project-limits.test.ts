import { EventEmitter, once } from "node:events";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readUsage, setLimits } from "../../../../server/hosted/limits/project-limits.ts";
import { type AskedService, startAskedService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";

describe.each(testEngines())("a project's limits at the endpoint on $name", (engine) => {
  let service: AskedService;
  let key: string;
  const release = new EventEmitter();
  beforeAll(async () => {
    service = await startAskedService(await engine.createDatabase(), ({ body }) =>
      JSON.stringify(body.messages).includes("slow question")
        ? { later: { after: once(release, "release"), text: "It retries [[lib:retry.ts#L1]]." } }
        : "It retries [[lib:retry.ts#L1]].",
    );
    key = await service.key();
    await service.addLib(key);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const sendCall = (name: string, args: object) =>
    service.send(key, { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
  const ask = (question: string) => sendCall("ask", { question, resources: ["lib"] });

  test("a question beyond the running ones is 429 and says when to retry; it may run after one has ended", async () => {
    await setLimits(service.store, service.project.id, { running: 1 });
    const before = service.model.requests.length;
    const first = ask("A slow question?");
    await service.model.request(before);
    const refused = await ask("Another?");
    expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, 5]);
    expect(await refused.json()).toEqual({
      error: "LimitReached",
      message: "this project's limit of 1 running questions is reached; 0 are left (ask again when one has ended)",
    });
    release.emit("release");
    expect(await (await first).json()).toMatchObject({ result: { isError: false } });
    expect(await (await ask("Another?")).json()).toMatchObject({ result: { isError: false } });
  });

  test("tokens are counted, and a month's limit is 429 until the next month", async () => {
    const { tokens, questions } = await readUsage(service.store, service.project.id);
    await ask("How often?");
    const after = await readUsage(service.store, service.project.id);
    expect(after.questions).toBe(questions + 1);
    expect(after.tokens).toBeGreaterThan(tokens);
    await setLimits(service.store, service.project.id, { questions: after.questions });
    const refused = await ask("How often?");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining("questions a month is reached") });
    await setLimits(service.store, service.project.id, { questions: null });
  });

  test("a resource beyond the limit is 403, and is not added", async () => {
    await setLimits(service.store, service.project.id, { resources: 1 });
    const refused = await sendCall("addResource", { type: "npm", name: "zod", package: "zod" });
    expect([refused.status, await refused.json()]).toEqual([
      403,
      {
        error: "OperationNotAllowed",
        message:
          "this project's limit of 1 resources is reached; 0 are left (remove one, or ask an owner or the operator for a higher limit)",
      },
    ]);
    expect(await readUsage(service.store, service.project.id)).toMatchObject({ resources: 1 });
  });

  test("a fetch beyond the hour's limit is 429, and the resource is not added", async () => {
    // A later hour, so that none ends meanwhile.
    await service.store.query(
      "update fetch_usage set hour = hour + interval '2 hours', fetches = 1 where project = $1",
      [service.project.id],
    );
    await setLimits(service.store, service.project.id, { resources: null, fetches: 1 });
    const calls = [sendCall("sync", {}), sendCall("addResource", { type: "npm", name: "zod", package: "zod" })];
    for (const refused of await Promise.all(calls)) {
      expect([refused.status, await refused.json()]).toEqual([
        429,
        {
          error: "LimitReached",
          message: expect.stringMatching(
            /^this project's limit of 1 fetches an hour is reached; 0 are left \(the next hour begins at \d\d:00 \(UTC\)\)$/,
          ),
        },
      ]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3600);
    }
    expect(await readUsage(service.store, service.project.id)).toMatchObject({ resources: 1, fetches: 1 });
    await setLimits(service.store, service.project.id, { fetches: null });
  });

  test("the size of the last snapshot counts; a full disk refuses resources and syncs, until one is removed", async () => {
    const used = (bytes: number) => ({ diskGb: bytes / 1e9 });
    const { store, project } = service;
    expect(await readUsage(store, project.id)).toMatchObject(used("export const retries = 3;\n".length));
    await service.git.commit("lib", { "retry.ts": "export const retries = 30;\n", "more.bin": new Uint8Array(1000) });
    await sendCall("sync", {});
    await service.untilFetched();
    const bytes = "export const retries = 30;\n".length + 1000;
    expect(await readUsage(store, project.id)).toMatchObject(used(bytes));
    await setLimits(store, project.id, { resources: null, diskGb: 1000 / 1e9 });
    for (const refused of [
      await sendCall("sync", { resource: "lib" }),
      await sendCall("addResource", { type: "npm", name: "zod", package: "zod" }),
    ]) {
      expect([refused.status, await refused.json()]).toEqual([
        403,
        {
          error: "OperationNotAllowed",
          message:
            "this project's limit of 0.000001 GB on disk is reached; 0 are left (remove a resource, or ask an owner or the operator for a higher limit)",
        },
      ]);
    }
    expect(await readUsage(store, project.id)).toMatchObject({ resources: 1, ...used(bytes) });
    expect(await (await ask("How often?")).json()).toMatchObject({ result: { isError: false } });
    await store.query("delete from resource where project = $1", [project.id]);
    expect(await readUsage(store, project.id)).toMatchObject(used(0));
    expect((await sendCall("addResource", { type: "git", name: "lib", url: service.git.url("lib") })).status).toBe(200);
    await service.untilFetched();
    await setLimits(store, project.id, { diskGb: null });
  });

  test("a client of 2026-07-28, whose answer is a stream, gets a refusal as a failed result", async () => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(service.url), { requestInit }));
    const callTool = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    const question = { question: "How often?", resources: ["lib"] };
    const refusedWith = (text: string) => ({ isError: true, content: [{ type: "text", text }] });
    const { questions } = await readUsage(service.store, service.project.id);

    await setLimits(service.store, service.project.id, { questions });
    expect(await callTool("ask", question)).toMatchObject(
      refusedWith(expect.stringMatching(/^LimitReached: .* questions a month is reached.*\nWhat to do: /)),
    );
    await setLimits(service.store, service.project.id, { questions: null, running: 1 });
    const before = service.model.requests.length;
    const first = callTool("ask", { ...question, question: "A slow question?" });
    await service.model.request(before);
    expect(await callTool("ask", question)).toMatchObject(
      refusedWith(
        "LimitReached: this project's limit of 1 running questions is reached; 0 are left\n" +
          "What to do: ask again when one has ended",
      ),
    );
    release.emit("release");
    expect(await first).toMatchObject({ isError: false });
    await setLimits(service.store, service.project.id, { resources: 1 });
    expect(await callTool("addResource", { type: "npm", name: "zod", package: "zod" })).toMatchObject(
      refusedWith(
        expect.stringMatching(
          /^OperationNotAllowed: .*limit of 1 resources is reached; 0 are left\nWhat to do: remove one, /,
        ),
      ),
    );
    await client.close();
  });
});
