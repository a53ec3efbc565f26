import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { startService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

describe.each(testEngines())("limits of the endpoint on $name", (engine) => {
  test("calls beyond the limit of a key are 429 and say which limit, and when to retry", async () => {
    await using service = await startService(await engine.createDatabase(), { rateLimit: { perMinute: 1 } });
    const [key, other] = [await service.key(), await service.key()];
    const first = await service.send(key, ping);
    expect([first.status, first.headers.get("ratelimit-limit"), first.headers.get("ratelimit-remaining")]).toEqual([
      200,
      "1",
      "0",
    ]);
    const second = await service.send(key, ping);
    expect(second.status).toBe(429);
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await second.json()).toEqual({
      error: "LimitReached",
      message: expect.stringContaining("the limit of 1 calls per minute for this key is reached; 0 are left"),
    });
    expect((await service.send(other, ping)).status).toBe(200);
  });

  test("a client of 2026-07-28 sees that its key has made too many calls", async () => {
    await using service = await startService(await engine.createDatabase(), { rateLimit: { perMinute: 1 } });
    const requestInit = { headers: { authorization: `Bearer ${await service.key()}` } };
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(service.url), { requestInit }));
    await expect(client.listTools()).rejects.toThrow("the limit of 1 calls per minute for this key is reached");
    await client.close();
  });

  test("a thousand calls at once are all answered", async () => {
    await using service = await startService(await engine.createDatabase(), { rateLimit: { perMinute: 100_000 } });
    const key = await service.key();
    const calls = Array.from({ length: 1000 }, () => service.call(key, "listResources"));
    const results = await Promise.all(calls);
    expect(results.filter(({ isError }) => isError)).toEqual([]);
  });
});
