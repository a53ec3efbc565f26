import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openGitHost, openInstallation } from "../../../../server/hosted/git-hosts/git-host.ts";
import type { HostClientOptions } from "../../../../server/hosted/git-hosts/host-client.ts";
import { createFetch, type Fetch } from "../../../../server/lib/fetch.ts";
import { createPublicLookup } from "../../../../server/lib/public-lookup.ts";
import type { HostKind } from "../../../../server/protocol/followed-accounts.ts";
import { hostKinds } from "../../../../server/protocol/host-kinds.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { createHostApi, type HostApi } from "../../../support/host-api.ts";

const { signal } = new AbortController();

describe("the repositories of an account", () => {
  let server: GitServer;
  let other: GitServer;
  let fetch: Fetch;
  let fetchPublic: Fetch;
  const apis = new Map<HostKind, HostApi>();
  const elsewhere: string[] = [];

  beforeAll(async () => {
    server = await startGitServer();
    other = await startGitServer();
    other.intercept(({ url = "", headers }, response) => {
      elsewhere.push(`${url} ${headers.authorization}`);
      response.end("[]");
      return true;
    });
    server.intercept((request, response) => [...apis.values()].some((api) => api.answer(request, response)));
    const ca = [await readFile(server.caFile, "utf8"), await readFile(other.caFile, "utf8")];
    fetch = createFetch({ ca });
    fetchPublic = createFetch({ ca, lookup: createPublicLookup() });
  });
  beforeEach(() => {
    for (const kind of hostKinds) apis.set(kind, createHostApi(kind, { origin: server.origin, length: 2 }));
    elsewhere.length = 0;
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  const apiOf = (kind: HostKind) => {
    const api = apis.get(kind);
    if (api === undefined) throw new Error(kind);
    return api;
  };
  const optionsFor = (kind: HostKind, given: Partial<HostClientOptions> = {}): HostClientOptions => ({
    kind,
    host: new URL(server.origin).host,
    credential: { username: "", token: "secret" },
    allowHosts: ["localhost"],
    fetch,
    fetchPublic,
    waits: { limitMs: 2000, retryMs: 1 },
    ...given,
  });
  const list = (kind: HostKind, account: string, given?: Partial<HostClientOptions>) =>
    openGitHost(optionsFor(kind, given)).list(account, { signal });
  const five = [1, 2, 3, 4, 5].map((id) => ({ id, fullName: `acme/r${id}` }));

  test.each(hostKinds)("of %s are on several pages, with what their host says of them", async (kind) => {
    const api = apiOf(kind);
    api.authorization = "Bearer secret";
    api.repositories = [
      { id: 1, fullName: "acme/r1", branch: "trunk" },
      ...five.slice(1),
      { id: 6, fullName: "acme/old", isArchived: true, isFork: true, isPrivate: true, isEmpty: true, sizeKb: 3 },
      { id: 7, fullName: "another/one" },
    ];
    const found = await list(kind, "Acme");
    expect(found.map(({ fullName }) => fullName)).toEqual([...five.map(({ fullName }) => fullName), "acme/old"]);
    expect(found[0]).toMatchObject({
      id: kind === "bitbucket" ? "{1}" : "1",
      cloneUrl: `${server.origin}/acme/r1.git`,
      defaultBranch: "trunk",
      isArchived: false,
      isFork: false,
      isEmpty: false,
      isPrivate: false,
    });
    expect(found[5]).toMatchObject({
      isArchived: kind !== "bitbucket",
      isFork: true,
      isPrivate: true,
      isEmpty: kind !== "github",
      sizeBytes: 3072,
    });
    // Three pages.
    expect(api.requests).toHaveLength(3);
  });

  test("of an installation are those that the app was given, of all owners", async () => {
    apiOf("github").repositories = five;
    const found = await openInstallation(optionsFor("github")).list("acme", { signal });
    expect(found).toHaveLength(5);
    expect(apiOf("github").requests.at(-1)).toBe("/api/v3/installation/repositories?per_page=100&page=3");
  });

  test("GitLab: a path of subgroups is one name, and a project that is being deleted is none", async () => {
    const api = apiOf("gitlab");
    api.repositories = [
      { id: 1, fullName: "acme/team/lib" },
      { id: 2, fullName: "acme/team/gone-deletion_scheduled-2", isDeleted: true },
      { id: 3, fullName: "acme/team/deep/lib" },
    ];
    const found = await list("gitlab", "acme/team");
    expect(found.map(({ fullName, sizeBytes }) => [fullName, sizeBytes])).toEqual([
      ["acme/team/lib", null],
      ["acme/team/deep/lib", null],
    ]);
    expect(api.requests[0]).toContain("/groups/acme%2Fteam/projects?include_subgroups=true");
  });

  test("of a person, where there is no organization of the name; of nobody, that is said", async () => {
    const api = apiOf("gitea");
    api.repositories = [{ id: 1, fullName: "ada/dots" }];
    api.intercept = (_request, response, { pathname }) => {
      if (!pathname.includes("/orgs/")) return false;
      response.writeHead(404).end("{}");
      return true;
    };
    expect(await list("gitea", "ada")).toHaveLength(1);
    await expect(list("gitea", "nobody")).rejects.toMatchObject({
      tag: "AccountNotFound",
      message: expect.stringContaining('has no account "nobody", or hides it'),
    });
  });

  test("an account without repositories is an empty list", async () => {
    for (const kind of hostKinds) expect(await list(kind, "empty")).toEqual([]);
  });

  test.each(["gitlab", "bitbucket"] as const)("of %s: a list with fewer than are counted fails", async (kind) => {
    apiOf(kind).repositories = five;
    apiOf(kind).miscounted = 1;
    await expect(list(kind, "acme")).rejects.toMatchObject({
      tag: "RepositoryFailed",
      message: expect.stringContaining("counts 6 repositories and listed 5"),
    });
  });

  test("of an installation: the same", async () => {
    apiOf("github").repositories = five;
    apiOf("github").miscounted = 1;
    await expect(openInstallation(optionsFor("github")).list("acme", { signal })).rejects.toThrow("counts 6");
  });

  test("a list that breaks off fails, whatever the status", async () => {
    const api = apiOf("gitea");
    api.repositories = five;
    for (const [status, message] of [
      [500, "with status 500"],
      [404, "has no page 2"],
      [200, "something else than Gitea or Forgejo does"],
      [401, "refused the token"],
    ] as const) {
      api.intercept = (_request, response, { searchParams }) => {
        if (searchParams.get("page") !== "2") return false;
        response.writeHead(status, { "content-type": "application/json" }).end('{"message":"no"}');
        return true;
      };
      await expect(list("gitea", "acme")).rejects.toThrow(message);
    }
  });

  test("a failure that passes is tried again, and a rate limit that ends soon is waited for", async () => {
    for (const [status, headers] of [
      [502, {}],
      [429, { "retry-after": "0" }],
      [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.floor(Date.now() / 1000)) }],
    ] as const) {
      const api = apiOf("github");
      api.repositories = five;
      let left = 2;
      api.intercept = (_request, response) => {
        if (left-- <= 0) return false;
        response.writeHead(status, headers).end("{}");
        return true;
      };
      expect(await list("github", "acme")).toHaveLength(5);
    }
    const api = apiOf("github");
    let isCut = true;
    api.intercept = (_request, response) => {
      if (!isCut) return false;
      isCut = false;
      response.destroy();
      return true;
    };
    expect(await list("github", "acme")).toHaveLength(5);
  });

  test("a rate limit that lasts is an error that says for how long", async () => {
    const api = apiOf("github");
    api.repositories = five;
    const reset = String(Math.floor(Date.now() / 1000) + 1800);
    api.intercept = (_request, response) => {
      response.writeHead(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset }).end("{}");
      return true;
    };
    await expect(list("github", "acme")).rejects.toThrow(/accepts no more requests for about (30|31) min/);
    expect(api.requests).toHaveLength(1);
  });

  test("credentials stay with their host: neither a redirect nor a next page takes them elsewhere", async () => {
    apiOf("github").intercept = (_request, response) => {
      response.writeHead(301, { location: `${other.origin}/api/v3/orgs/acme/repos` }).end();
      return true;
    };
    await expect(list("github", "acme")).rejects.toThrow("where its credentials must not be sent");
    apiOf("bitbucket").intercept = (_request, response) => {
      response.end(JSON.stringify({ values: [], next: `${other.origin}/2.0/repositories/acme?page=2` }));
      return true;
    };
    await expect(list("bitbucket", "acme")).rejects.toThrow("where its credentials must not be sent");
    expect(elsewhere).toEqual([]);
    // An organization that was renamed.
    const api = apiOf("gitea");
    api.repositories = five;
    api.intercept = (_request, response, { pathname, search }) => {
      if (!pathname.includes("/old/")) return false;
      response.writeHead(307, { location: pathname.replace("/old/", "/acme/") + search }).end();
      return true;
    };
    expect(await list("gitea", "old")).toHaveLength(5);
  });

  test("a private host is reached only if it is allowed, and looks like an unknown one", async () => {
    apiOf("gitea").repositories = five;
    const host = `127.0.0.1:${new URL(server.origin).port}`;
    await expect(list("gitea", "acme", { host })).rejects.toMatchObject({
      tag: "AddressNotAllowed",
      message: `${host} could not be reached: no public address of it is known`,
    });
    const named = createFetch({
      lookup: createPublicLookup((_host, _options, done) => done(null, [{ address: "10.0.0.1", family: 4 }])),
    });
    const fetches = { fetchPublic: named, allowHosts: [] };
    await expect(list("gitea", "acme", { host: "git.example", ...fetches })).rejects.toMatchObject({
      tag: "RepositoryFailed",
      message: expect.stringContaining("git.example could not be reached: no public address of it is known"),
    });
    expect(apiOf("gitea").requests).toEqual([]);
  });

  test("without a token nothing is sent as one; Bitbucket's API tokens need their user", async () => {
    const api = apiOf("bitbucket");
    api.repositories = five;
    const seen: (string | undefined)[] = [];
    api.intercept = ({ headers }) => {
      seen.push(headers.authorization);
      return false;
    };
    await list("bitbucket", "acme", { credential: undefined });
    await list("bitbucket", "acme", { credential: { username: "x-token-auth", token: "t" } });
    await list("bitbucket", "acme", { credential: { username: "ada@example.com", token: "t" } });
    expect([...new Set(seen)]).toEqual([
      undefined,
      "Bearer t",
      `Basic ${Buffer.from("ada@example.com:t").toString("base64")}`,
    ]);
  });
});
