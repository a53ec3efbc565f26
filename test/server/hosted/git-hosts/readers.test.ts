import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GitHost, openGitHost } from "../../../../server/hosted/git-hosts/git-host.ts";
import { HostRefusal } from "../../../../server/hosted/git-hosts/host-client.ts";
import { createFetch, type Fetch } from "../../../../server/lib/fetch.ts";
import type { HostKind } from "../../../../server/protocol/followed-accounts.ts";
import { hostKinds } from "../../../../server/protocol/host-kinds.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { createHostApi } from "../../../support/host-api.ts";
import { createHostPeople, type HostPeople, type ScriptedPerson } from "../../../support/host-people.ts";

const { signal } = new AbortController();

describe("the people who may read a repository", () => {
  let server: GitServer;
  let fetch: Fetch;
  let people: HostPeople;
  let api: { answer: ReturnType<typeof createHostApi>["answer"] };

  beforeAll(async () => {
    server = await startGitServer();
    server.intercept((request, response) => api.answer(request, response));
    fetch = createFetch({ ca: [await readFile(server.caFile, "utf8")] });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A host with pages of two people. */
  function open(kind: HostKind): GitHost {
    people = createHostPeople(kind, { length: 2 });
    const host = createHostApi(kind, { origin: server.origin });
    host.intercept = people.answer;
    api = host;
    return openGitHost({
      kind,
      host: new URL(server.origin).host,
      credential: { username: "", token: "secret" },
      allowHosts: ["localhost"],
      fetch,
      fetchPublic: fetch,
      waits: { limitMs: 2000, retryMs: 1 },
    });
  }

  const idOf = (kind: HostKind, id: number) => (kind === "bitbucket" ? `{${id}}` : String(id));
  const readers = async (host: GitHost, repository = "acme/lib") => host.readersOf(repository, { signal });

  test.each(hostKinds)("of %s are on several pages; those who may only see that it exists are none", async (kind) => {
    const host = open(kind);
    const listed: ScriptedPerson[] = [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }, { id: 5 }];
    // Gitea lists no others.
    if (kind !== "gitea") listed.push({ id: 6, mayRead: false });
    people.readers.set("acme/lib", listed);
    const expected = [1, 2, 3, 4, 5].map((id) => idOf(kind, id));
    expect([...((await readers(host)) ?? [])].toSorted()).toEqual(expected);
    expect(await readers(host, "acme/hidden")).toBeUndefined();
  });

  test("GitLab: the path of a project in groups is one name; blocked members and guests are no readers", async () => {
    const host = open("gitlab");
    people.readers.set("acme/team/lib", [{ id: 1 }, { id: 2, isBlocked: true }, { id: 3, mayRead: false }]);
    expect(await readers(host, "acme/team/lib")).toEqual(new Set(["1"]));
    expect(people.requests).toContain("projects/acme%2Fteam%2Flib/members/all");
  });

  test("Gitea: collaborators, and the teams that have the code; each team is read once", async () => {
    const host = open("gitea");
    people.readers.set("acme/lib", [{ id: 1 }]);
    people.readers.set("acme/other", []);
    people.teams = [
      { id: 7, code: "read", members: [2, 3, 4] },
      { id: 8, code: "none", members: [5] },
      { id: 9, code: "older", members: [6] },
    ];
    expect(await readers(host)).toEqual(new Set(["1", "2", "3", "4", "6"]));
    expect(await readers(host, "acme/other")).toEqual(new Set(["2", "3", "4", "6"]));
    expect(people.requests.filter((path) => path === "teams/9/members")).toHaveLength(1);
    expect(people.requests).not.toContain("teams/8/members");
  });

  test("Gitea: the owner of a person's repository is none of its collaborators", async () => {
    const host = open("gitea");
    people.owners.set("ada", 9);
    people.readers.set("ada/dots", [{ id: 1 }]);
    expect(await readers(host, "ada/dots")).toEqual(new Set(["1", "9"]));
  });

  test("Gitea: a team whose members the token may not see is a refusal, not a team without members", async () => {
    const host = open("gitea");
    people.readers.set("acme/lib", [{ id: 1 }]);
    people.teams = [{ id: 7, code: "read", members: [2] }];
    people.refuse = (path) => (path.startsWith("teams/") ? { status: 404 } : undefined);
    await expect(readers(host)).rejects.toThrow(HostRefusal);
    await expect(readers(host)).rejects.toMatchObject({
      message: expect.stringContaining("does not show the members of a team"),
      hint: expect.stringContaining("of an owner of the organization"),
    });
  });

  test.each(hostKinds)("%s: a token that is too weak is said, with what it needs", async (kind) => {
    const host = open(kind);
    people.readers.set("acme/lib", [{ id: 1 }]);
    people.refuse = () => ({ status: 403 });
    await expect(readers(host)).rejects.toMatchObject({
      message: expect.stringContaining("refused the token for its API (status 403: not for you)"),
      hint: expect.stringMatching(/^the token needs the right to see (?:who may read a repository|the members)/),
    });
    await expect(readers(host)).rejects.toThrow(HostRefusal);
    // A token that is not valid any more is no refusal of one repository.
    people.refuse = () => ({ status: 401 });
    await expect(readers(host)).rejects.not.toThrow(HostRefusal);
  });

  test("a rate limit that ends soon is waited for", async () => {
    const host = open("gitlab");
    people.readers.set("acme/lib", [{ id: 1 }, { id: 2 }, { id: 3 }]);
    let left = 2;
    people.refuse = () => (left-- > 0 ? { status: 429, headers: { "retry-after": "0" } } : undefined);
    expect(await readers(host)).toHaveProperty("size", 3);
    people.refuse = () => ({ status: 429, headers: { "retry-after": "1800" } });
    await expect(readers(host)).rejects.toThrow("accepts no more requests for about 30 min");
  });

  test.each(hostKinds)("%s says whose token it is", async (kind) => {
    const host = open(kind);
    people.persons.set("Bearer secret", { id: 11, login: "eve" });
    expect(await host.person({ signal })).toEqual({ id: idOf(kind, 11), login: "eve" });
    people.persons.clear();
    await expect(host.person({ signal })).rejects.toThrow("refused the token");
  });
});
