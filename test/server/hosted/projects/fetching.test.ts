import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createKey } from "../../../../server/hosted/tenants/keys.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { type AskedService, startAskedService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";

describe.each(testEngines())("fetching on $name", (engine) => {
  let service: AskedService;
  let key: string;
  beforeAll(async () => {
    service = await startAskedService(await engine.createDatabase(), () => "It retries [[lib:retry.ts#L1]].");
    key = await service.key();
    await service.git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
  });
  afterAll(() => service[Symbol.asyncDispose]());
  beforeEach(() => service.git.intercept(undefined));

  const add = (name: string) => service.call(key, "addResource", { type: "git", name, url: service.git.url("lib") });
  const stateOf = async (name: string) => {
    const { structuredContent } = await service.call(key, "listResources");
    const { resources } = structuredContent ?? {};
    return Array.isArray(resources) ? resources.find((one) => one.name === name) : undefined;
  };

  test("addResource and sync answer while the host does not, and listResources shows the state", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reached = () => {};
    const requested = new Promise<void>((resolve) => {
      reached = resolve;
    });
    service.git.intercept(async () => {
      reached();
      await released;
      return false;
    });
    expect(await add("slow")).toMatchObject({
      isError: false,
      structuredContent: { name: "slow", fetch: { failure: null } },
    });
    await requested;
    await vi.waitFor(
      async () =>
        expect(await stateOf("slow")).toMatchObject({
          state: "absent",
          fetch: {
            state: "running",
            nextTryAt: null,
            progress: { phase: "resolve", message: "looking for the newest revision" },
          },
        }),
      { timeout: 60_000 },
    );
    expect((await service.call(key, "listResources")).content[0]?.text).toMatch(
      /^slow: .*being fetched since \S+: looking for the newest revision$/m,
    );
    expect(await service.call(key, "sync", { resource: "slow" })).toMatchObject({
      isError: false,
      content: [{ text: expect.stringMatching(/^slow: .*; being fetched since /) }],
      structuredContent: { resources: [{ name: "slow", fetch: { state: "running" } }] },
    });
    release();
    await service.untilFetched();
    expect(await stateOf("slow")).toMatchObject({ state: "ready", fetch: { state: "ready", failure: null } });
  });

  test("a fetched resource is indexed before its first question", async () => {
    await service.git.commit("indexed", { "retry.ts": "export const retries = 3;\n".repeat(5000) });
    const indexes = async () => {
      const names = await readdir(path.join(service.dataDirectory, "index")).catch(() => []);
      return names.filter((name) => name.endsWith(".index"));
    };
    const before = await indexes();
    await service.call(key, "addResource", { type: "git", name: "indexed", url: service.git.url("indexed") });
    await service.untilFetched();
    expect(await indexes()).toHaveLength(before.length + 1);
  });

  test("a failed sync spoils nothing: questions are answered from the last snapshot, which is said", async () => {
    await add("lib");
    await service.untilFetched();
    service.git.intercept((_request, response) => {
      response.writeHead(503).end();
      return true;
    });
    await service.call(key, "sync", { resource: "lib" });
    await service.untilFetched();
    expect(await stateOf("lib")).toMatchObject({
      revision: expect.any(String),
      fetch: { state: "failed", failure: expect.any(String), since: expect.any(String), nextTryAt: expect.any(String) },
    });
    const answer = await service.call(key, "ask", { question: "Does it retry?", resources: ["lib"] });
    expect(answer).toMatchObject({ isError: false, structuredContent: { citations: [{ path: "retry.ts" }] } });
    expect(answer.content.at(-1)?.text).toMatch(
      /^lib: fetch failing since \S+: .+; next try at \S+\. This is from its last snapshot\.$/,
    );
    service.git.intercept(undefined);
    await service.call(key, "sync", { resource: "lib" });
    await service.untilFetched();
    expect(await stateOf("lib")).toMatchObject({ state: "ready", fetch: { state: "ready", failure: null } });
    const search = await service.call(key, "search", { query: "retries", mode: "exact", resources: ["lib"] });
    expect(search.content).toHaveLength(1);
  });

  describe("a repository that its host renamed", () => {
    /** From now on, the host answers requests for one repository with a redirect. */
    const redirect = (repository: string, target: string) =>
      service.git.intercept((request, response) => {
        const [, rest] = request.url?.split(`/${repository}/`) ?? [];
        if (rest === undefined) return false;
        response.writeHead(301, { location: `${target}/${rest}` }).end();
        return true;
      });
    const search = (query: string, resource: string, as = key) =>
      service.call(as, "search", { query, mode: "exact", resources: [resource] });
    const sync = async (name: string) => {
      expect((await service.call(key, "sync", { resource: name })).isError).toBe(false);
      await service.untilFetched();
      return stateOf(name);
    };
    let neighbour: string;
    beforeAll(async () => {
      const project = await createProject(service.store, "neighbour");
      ({ key: neighbour } = await createKey(service.store, project, { name: "agent", scopes: ["read", "manage"] }));
      await service.call(neighbour, "addResource", { type: "git", name: "lib", url: service.git.url("lib") });
      await service.untilFetched(project.id);
    });

    test("is fetched from its new place; one that leads nowhere says so, and other projects notice nothing", async () => {
      const before = { "a.ts": "export const badgers = 1;\n" };
      const first = await service.git.commit("old-name", before);
      expect(await service.git.commit("new-name", before)).toBe(first);
      const resource = { type: "git", name: "moving", url: service.git.url("old-name") };
      expect((await service.call(key, "addResource", resource)).isError).toBe(false);
      await service.untilFetched();
      expect(await stateOf("moving")).toMatchObject({ revision: first, fetch: { state: "ready" } });

      redirect("old-name", service.git.url("new-name"));
      const second = await service.git.commit("new-name", { "a.ts": "export const otters = 2;\n" });
      expect(await sync("moving")).toMatchObject({
        url: service.git.url("old-name"),
        revision: second,
        fetch: { state: "ready", failure: null },
      });
      expect(await search("otters", "moving")).toMatchObject({ isError: false, structuredContent: { matches: 1 } });

      redirect("old-name", "https://10.0.0.1/new-name");
      expect(await sync("moving")).toMatchObject({
        revision: second,
        fetch: {
          state: "failed",
          failure: `${service.git.url("old-name")} redirects to an address that is not public`,
        },
      });
      const stale = await search("otters", "moving");
      expect(stale).toMatchObject({ isError: false, structuredContent: { matches: 1 } });
      expect(stale.content.at(-1)?.text).toContain("This is from its last snapshot.");

      // Its new owner made it private: the shared snapshot goes with it.
      redirect("old-name", service.git.url("private-name"));
      expect(await sync("moving")).toMatchObject({
        revision: null,
        fetch: { state: "failed", failure: `there is no repository at ${service.git.url("old-name")}` },
      });
      expect(await search("otters", "moving")).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^RepositoryNotFound: /) }],
      });
      expect(await search("retries", "lib", neighbour)).toMatchObject({
        isError: false,
        structuredContent: { matches: 1 },
      });
      expect((await fetch(new URL("/readyz", service.url))).status).toBe(200);
    });
  });
});
