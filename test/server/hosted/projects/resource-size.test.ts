import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setLimits } from "../../../../server/hosted/limits/project-limits.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";

const maxResourceBytes = 100_000;

describe.each(testEngines())("the size of a resource on $name", (engine) => {
  let git: GitServer;
  let service: TestService;
  let key: string;
  beforeAll(async () => {
    git = await startGitServer();
    service = await startService(await engine.createDatabase(), {
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
      maxResourceBytes,
    });
    key = await service.key();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  /** Random, so that compressing them changes nothing. */
  const files = (count: number, bytes: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.bin`, randomBytes(bytes)]));
  const add = async (name: string) => {
    expect(await service.call(key, "addResource", { type: "git", name, url: git.url(name) })).toMatchObject({
      isError: false,
    });
    await service.untilFetched();
    return stateOf(name);
  };
  const stateOf = async (wanted: string): Promise<unknown> => {
    const { resources } = (await service.call(key, "listResources")).structuredContent ?? {};
    return Array.isArray(resources) ? resources.find(({ name }) => name === wanted) : undefined;
  };
  const namesIn = async (...folders: string[]) =>
    (await readdir(path.join(service.dataDirectory, "resources", ...folders)).catch(() => [])).toSorted((a, b) =>
      a.localeCompare(b),
    );
  const tooLarge = (failure: string) => ({
    fetch: { state: "failed", failure: `its files have more than ${failure}; they were not stored`, nextTryAt: null },
  });
  const overService = tooLarge("the 0.0001 GB that this service allows for a resource");

  test("a fetch over the service's limit is stopped while the host still sends, and leaves nothing", async () => {
    await git.commit("endless", files(8, 50_000));
    // The host sends all but the end: without a limit, the fetch would wait for it.
    git.intercept((_request, response) => {
      const end = response.end.bind(response);
      Object.assign(response, {
        end: (body: Uint8Array) => (body.length < 200_000 ? end(body) : response.write(body.subarray(0, -10_000))),
      });
      return false;
    });
    const before = await namesIn("snapshots");
    expect(await add("endless")).toMatchObject({ revision: null, ...overService });
    git.intercept(undefined);
    expect([await namesIn("temporary"), await namesIn("snapshots")]).toEqual([[], before]);
  });

  test("one that is too large only when it has ended is refused, too; the last snapshot stays in use", async () => {
    await git.commit("growing", { "a.js": "export const badgers = 1;\n" });
    expect(await add("growing")).toMatchObject({ fetch: { state: "ready" } });
    const before = await namesIn("snapshots");
    await git.commit("growing", files(3, 40_000));
    await service.call(key, "sync", { resource: "growing" });
    await service.untilFetched();
    expect(await stateOf("growing")).toMatchObject({ revision: expect.any(String), ...overService });
    expect([await namesIn("temporary"), await namesIn("snapshots")]).toEqual([[], before]);
    const search = { query: "badgers", mode: "exact", resources: ["growing"] };
    expect((await service.call(key, "search", search)).content.at(-1)?.text).toMatch(
      /^growing: fetch failing since \S+: its files have more than .*; sync tries again\. This is from its last snapshot\.$/,
    );
  });

  test("a fetch may use what the project's other resources leave; a question cannot fetch more either", async () => {
    await setLimits(service.store, service.project.id, { diskGb: 50_000 / 1e9 });
    await git.commit("first", files(1, 30_000));
    expect(await add("first")).toMatchObject({ fetch: { state: "ready" } });
    await git.commit("second", files(3, 10_000));
    const leaves = (gb: number) => tooLarge(`the ${gb} GB that other resources leave of this project's 0.00005 GB`);
    expect(await add("second")).toMatchObject({ revision: null, ...leaves(0.000_02) });
    const searched = await service.call(key, "search", { query: "x", mode: "exact", resources: ["second"] });
    expect(searched).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^ResourceTooLarge: /) }],
    });
    await git.commit("first", files(1, 40_000));
    await service.call(key, "sync", { resource: "first" });
    await service.untilFetched();
    expect(await stateOf("first")).toMatchObject({ fetch: { state: "ready" } });
    await git.commit("first", files(1, 60_000));
    await service.call(key, "sync", { resource: "first" });
    await service.untilFetched();
    expect(await stateOf("first")).toMatchObject({ revision: expect.any(String), ...leaves(0.000_05) });
    expect(await namesIn("temporary")).toEqual([]);
    await setLimits(service.store, service.project.id, { diskGb: null });
    await service.call(key, "sync", {});
    await service.untilFetched();
    expect(await stateOf("second")).toMatchObject({ fetch: { state: "ready", failure: null } });
  });
});
