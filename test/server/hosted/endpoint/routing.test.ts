import { EventEmitter, once } from "node:events";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSealingKeys } from "../../../../server/hosted/secrets/sealing-keys.ts";
import { createKey } from "../../../../server/hosted/tenants/keys.ts";
import { createLog } from "../../../../server/lib/log.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { type ServiceOptions, startService, type TestService } from "../../../support/hosted.ts";
import { preferredNames } from "../../../support/preferred-names.ts";
import { type ScriptedModel, scriptedModel } from "../../../support/scripted-model.ts";
import { postgresEngines } from "../../../support/stores.ts";

const keys = openSealingKeys({ text: Buffer.alloc(32, 7).toString("base64"), directory: "", mayCreate: false });

describe.each(postgresEngines())("two nodes on $name", (engine) => {
  let git: GitServer;
  let release: EventEmitter;
  let model: ScriptedModel;
  beforeAll(async () => {
    git = await startGitServer();
    release = new EventEmitter().setMaxListeners(0);
    model = await scriptedModel(({ body }) => {
      const asked = JSON.stringify(body.messages);
      if (asked.includes("for ever")) return { text: ["It "], hang: true };
      if (asked.includes("wait")) return { text: ["It "], later: { after: once(release, "release"), text: "waits." } };
      return "It retries.";
    });
  });
  afterAll(async () => {
    await model[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  /** Two web nodes with folders of their own. A resource of `preferred` prefers the first one, and the second one knows it. */
  async function startPair({
    keysOfSecond = keys,
    ...options
  }: Pick<ServiceOptions, "rateLimit"> & { keysOfSecond?: typeof keys } = {}) {
    const location = await engine.createDatabase();
    const events: string[] = [];
    const start = (name: string, own: typeof keys) =>
      startService(location, {
        ...options,
        role: "web",
        nodeUrl: "http://127.0.0.1:0",
        keys: own,
        config: { ...model.config },
        env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
        metrics: { host: "127.0.0.1", port: 0 },
        log: createLog("info", (line) => {
          const [, event = ""] = /^\S+ \w+ ((?:snapshot|call|tool)-[\w-]+)/.exec(line) ?? [];
          if (event !== "") events.push(`${name} ${event}`);
        }),
      });
    const first = await start("first", keys);
    const second = await start("second", keysOfSecond);
    const key = await first.key();
    return {
      first,
      second,
      key,
      events,
      /** Registers a repository whose calls prefer a node, under its own name. */
      async add(preferred: TestService): Promise<string> {
        const [name = ""] = preferredNames(git, [preferred.url, first.url, second.url]);
        await git.commit(name, { "retry.ts": "export const retries = 3;\n" });
        const spec = JSON.stringify({ type: "git", name, url: git.url(name), branch: "main" });
        const insert = "insert into resource (project, name, spec) values ($1, $2, $3::jsonb)";
        await first.store.query(insert, [first.project.id, name, spec]);
        await first.store.query("insert into job (project, resource) values ($1, $2)", [first.project.id, name]);
        return name;
      },
      async [Symbol.asyncDispose]() {
        await second[Symbol.asyncDispose]();
        await first[Symbol.asyncDispose]();
      },
    };
  }
  const ask = (question: string, resource: string) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "ask", arguments: { question, resources: [resource] } },
  });
  const passedOf = async ({ metricsUrl }: TestService) =>
    [
      ...(await (await fetch(metricsUrl ?? "")).text()).matchAll(
        /^citewell_calls_passed_total\{outcome="(\w+)"\} (\d+)$/gm,
      ),
    ]
      .map(([, outcome, count]) => `${outcome} ${count}`)
      .join(", ");

  test("a call about a missing resource is answered by the node that it prefers", async () => {
    await using pair = await startPair();
    const { first, second, key, events } = pair;
    const name = await pair.add(first);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "user-agent": "otter/1.2" };
    const response = await second.send(key, ask("How often does it retry?", name), { headers });
    expect(await response.json()).toMatchObject({
      result: { isError: false, content: [{ text: expect.stringContaining("It retries.") }] },
    });
    const used = await first.store.query("select client from daily_client_usage where project = $1", [
      first.project.id,
    ]);
    expect(used.rows).toEqual([{ client: "otter 1.2" }]);
    expect(await second.call(key, "search", { query: "retries" })).toMatchObject({ isError: false });
    expect(events).toEqual([
      "first snapshot-fetched",
      "first tool-called",
      "second call-passed",
      "first tool-called",
      "second call-passed",
    ]);
    expect(await passedOf(second)).toBe("answered 2");
  });

  test("a key for some resources sees no others on the node that answers", async () => {
    await using pair = await startPair();
    const { first, second, events } = pair;
    const [own, other] = [await pair.add(first), await pair.add(second)];
    const narrow = await first.key(["read"], [own]);
    const { structuredContent } = await second.call(narrow, "search", { query: "retries" });
    expect(structuredContent).toMatchObject({ results: [{ resource: own }] });
    const { isError, content } = await second.call(narrow, "search", { query: "retries", resources: [other] });
    expect([isError, content[0]?.text]).toEqual([
      true,
      expect.stringContaining(`ResourceNotFound: no resource named "${other}"`),
    ]);
    expect(events).toEqual([
      "first snapshot-fetched",
      "first tool-called",
      "second call-passed",
      "second tool-refused",
    ]);
  });

  test("a call that is passed on counts once against the limit of its key", async () => {
    await using pair = await startPair({ rateLimit: { perMinute: 1 } });
    const { first, second, key, events } = pair;
    const name = await pair.add(first);
    const response = await second.send(key, ask("How often does it retry?", name));
    expect([response.status, response.headers.get("ratelimit-remaining")]).toEqual([200, "0"]);
    expect(events).toEqual(["first snapshot-fetched", "first tool-called", "second call-passed"]);
  });

  test("a call about a resource that prefers the node itself is answered there", async () => {
    await using pair = await startPair();
    const { second, key, events } = pair;
    const name = await pair.add(second);
    expect(await second.call(key, "read", { resource: name, path: "retry.ts" })).toMatchObject({ isError: false });
    expect(events).toEqual(["second snapshot-fetched", "second tool-called"]);
    expect(await second.call(key, "read", { resource: "unknown", path: "a" })).toMatchObject({ isError: true });
    expect(await passedOf(second)).toBe("");
  });

  test("a node with its share of the calls is skipped, and what is here now is not passed on", async () => {
    await using pair = await startPair();
    const { first, second, key, events } = pair;
    const name = await pair.add(first);
    const before = model.requests.length;
    const waiting = [1, 2].map(() => second.send(key, ask("Does it wait?", name)));
    await Promise.all([model.request(before), model.request(before + 1)]);
    expect(await second.call(key, "search", { query: "retries", resources: [name] })).toMatchObject({ isError: false });
    expect(events).toContain("second tool-called");
    release.emit("release");
    for (const response of await Promise.all(waiting)) {
      expect(await response.text()).toContain("It waits.");
    }
    expect(await second.call(key, "search", { query: "retries", resources: [name] })).toMatchObject({ isError: false });
    expect(events.filter((event) => event === "second tool-called")).toHaveLength(2);
    expect(await passedOf(second)).toBe("answered 2");
  });

  test("a client that leaves stops the model on the other node", async () => {
    await using pair = await startPair();
    const { first, second, key } = pair;
    const name = await pair.add(first);
    const leaving = new AbortController();
    const before = model.requests.length;
    const answer = second.send(key, ask("Does it go on for ever?", name), { signal: leaving.signal });
    const request = await model.request(before);
    leaving.abort();
    await expect(answer).rejects.toThrow("aborted");
    await request.closed;
    expect(await passedOf(second)).toBe("");
  });

  test("an event stream of 2026-07-28 is passed on, with its progress", async () => {
    await using pair = await startPair();
    const { first, second, key, events } = pair;
    const name = await pair.add(first);
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(second.url), { requestInit }));
    const progress: unknown[] = [];
    const result = await client.callTool(
      { name: "ask", arguments: { question: "How often does it retry?", resources: [name] } },
      { onprogress: (step) => progress.push(step) },
    );
    await client.close();
    expect(result).toMatchObject({ isError: false, content: [{ text: expect.stringContaining("It retries.") }] });
    expect(progress.length).toBeGreaterThan(0);
    expect(events).toContain("first tool-called");
    expect(events).not.toContain("second tool-called");
  });

  test("a call that no node has signed is refused, and a node with another key answers itself", async () => {
    const text = Buffer.alloc(32, 8).toString("base64");
    await using pair = await startPair({ keysOfSecond: openSealingKeys({ text, directory: "", mayCreate: false }) });
    const { first, second, key, events } = pair;
    const name = await pair.add(first);
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-citewell-passed": `${Date.now()}.${"A".repeat(43)}`,
    };
    const forged = await first.send(key, ask("How often does it retry?", name), { headers });
    expect([forged.status, await forged.json()]).toMatchObject([401, { error: "KeyInvalid" }]);
    expect(await second.call(key, "search", { query: "retries", resources: [name] })).toMatchObject({ isError: false });
    expect(events).toEqual(["second call-not-passed", "second snapshot-fetched", "second tool-called"]);
    expect(await passedOf(second)).toBe("failed 1");
  });

  test("a limit that the other node finds is refused with its headers, and a revoked key stays revoked", async () => {
    await using pair = await startPair();
    const { first, second, events } = pair;
    const name = await pair.add(first);
    const { key } = await createKey(first.store, first.project, { name: "asks", scopes: ["ask"] });
    await first.store.query(`update project set limits = '{"questions":0}' where id = $1`, [first.project.id]);
    const refused = await second.send(key, ask("How often does it retry?", name));
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: "LimitReached" }]);
    // A refusal is no failure of the node: it gets the next call.
    expect(await second.call(pair.key, "search", { query: "retries" })).toMatchObject({ isError: false });
    expect(events.slice(-3)).toEqual(["first snapshot-fetched", "first tool-called", "second call-passed"]);
    await first.store.query("update api_key set revoked_at = now()");
    expect((await second.send(key, ask("How often does it retry?", name))).status).toBe(401);
  });
});
