import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { proveByToken } from "../../../../server/hosted/host-rights/people.ts";
import { letAdminsDecide, letHostDecide, listHostRights } from "../../../../server/hosted/host-rights/places.ts";
import { refreshDueRights } from "../../../../server/hosted/host-rights/refresh.ts";
import { addGitToken } from "../../../../server/hosted/secrets/git-tokens.ts";
import { openSealingKeys, type SealingKeys } from "../../../../server/hosted/secrets/sealing-keys.ts";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { connectIdentity } from "../../../../server/hosted/tenants/identities.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { changeAccess } from "../../../../server/hosted/tenants/resource-access.ts";
import { listResourceNames } from "../../../../server/hosted/tenants/resource-names.ts";
import { createFetch, type Fetch } from "../../../../server/lib/fetch.ts";
import { silentLog } from "../../../../server/lib/log.ts";
import type { HostKind } from "../../../../server/protocol/followed-accounts.ts";
import { joinProject } from "../../../support/add-member.ts";
import { type Folder, temporaryFolder } from "../../../support/folder.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { createHostApi } from "../../../support/host-api.ts";
import { createHostPeople, type HostPeople } from "../../../support/host-people.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

const actor = "operator";
const { signal } = new AbortController();

describe.each(testEngines())("rights that a git host decides, on $name", (engine) => {
  let store: Store;
  let folder: Folder;
  let keys: SealingKeys;
  let server: GitServer;
  let fetch: Fetch;
  let host: string;
  let people: HostPeople;
  let answer: ReturnType<typeof createHostApi>["answer"];

  beforeAll(async () => {
    folder = await temporaryFolder();
    keys = openSealingKeys({ text: undefined, directory: folder.path, mayCreate: true });
    store = await openTestStore(engine);
    server = await startGitServer();
    server.intercept((request, response) => answer(request, response));
    host = new URL(server.origin).host;
    fetch = createFetch({ ca: [await readFile(server.caFile, "utf8")] });
  });
  afterAll(async () => {
    await store.close();
    await server[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  const services = () => ({
    store,
    keys,
    githubApp: undefined,
    fetches: { fetch, fetchPublic: fetch },
    allowHosts: ["localhost"],
  });

  /** A project with `lib` and `docs` of the account `acme`, whose host decides, and `other` of another account. */
  async function team(kind: HostKind = "gitlab") {
    await store.query("delete from host_rights");
    await store.query("delete from host_identity");
    await store.query("delete from identity");
    people = createHostPeople(kind);
    const api = createHostApi(kind, { origin: server.origin });
    api.intercept = people.answer;
    answer = api.answer;
    const { id } = await createProject(store, `p-${crypto.randomUUID().slice(0, 8)}`);
    const project = { id };
    await addGitToken({ store, keys, project, actor }, { host, name: "ci", token: "token-of-the-project" });
    const join = async (name: string) => (await joinProject(store, id, "member", name)).account;
    const accounts = {
      owner: (await joinProject(store, id, "owner")).account,
      eve: await join("eve"),
      bob: await join("bob"),
    };
    const add = (name: string, path: string) =>
      store.asProject(id, ({ query }) =>
        query("insert into resource (project, name, spec) values ($1, $2, $3::jsonb)", [
          id,
          name,
          JSON.stringify({ type: "git", name, url: `${server.origin}/${path}` }),
        ]),
      );
    await add("lib", "acme/lib");
    await add("docs", "acme/docs.git");
    await add("other", "another/one");
    const place = { kind, host, account: "acme" };
    await letHostDecide({ store, project, actor }, place);
    const seenBy = (account: string) =>
      store.asProject(id, (queries) => listResourceNames(queries, id), { reader: { kind: "account", id: account } });
    const ask = async () => {
      await store.query("update host_rights set run_at = now()");
      await refreshDueRights({ ...services(), log: silentLog, signal });
    };
    const prove = (account: string, person: { id: number; login: string }) => {
      people.persons.set(`Bearer token-of-${person.login}`, person);
      const token = `token-of-${person.login}`;
      return proveByToken(services(), { id: account }, { host, username: "", token }, { signal });
    };
    const state = async () => (await listHostRights(store, project)).find(({ account }) => account === "acme");
    return { id, project, accounts, add, place, seenBy, ask, prove, state };
  }

  const all = ["docs", "lib", "other"];
  const eveThere = { id: 11, login: "eve" };
  const bobThere = { id: 12, login: "bob" };

  test.each(["gitlab", "gitea", "github"] as const)("of %s: members have what they may read there", async (kind) => {
    const { accounts, seenBy, ask, prove, state } = await team(kind);
    people.readers.set("acme/lib", [{ id: 11 }, { id: 13 }]);
    people.readers.set("acme/docs", [{ id: 11 }, { id: 12 }]);
    expect([await seenBy(accounts.owner), await seenBy(accounts.eve)]).toEqual([all, ["other"]]);
    await ask();
    // Nobody has proved who they are.
    expect(await seenBy(accounts.eve)).toEqual(["other"]);
    await prove(accounts.eve, eveThere);
    await prove(accounts.bob, bobThere);
    await ask();
    expect([await seenBy(accounts.eve), await seenBy(accounts.bob)]).toEqual([all, ["docs", "other"]]);
    expect(await state()).toMatchObject({ failure: null, checkedAt: expect.any(String) });
    // A person who loses the right there.
    people.readers.set("acme/lib", [{ id: 13 }]);
    await ask();
    expect(await seenBy(accounts.eve)).toEqual(["docs", "other"]);
  });

  test("Bitbucket's people have a uuid, and a token of theirs needs their user", async () => {
    const { accounts, seenBy, ask } = await team("bitbucket");
    people.readers.set("acme/lib", [{ id: 11 }]);
    people.readers.set("acme/docs", []);
    const basic = `Basic ${Buffer.from("eve@example.com:t").toString("base64")}`;
    people.persons.set(basic, eveThere);
    const proof = { host, username: "eve@example.com", token: "t" };
    await proveByToken(services(), { id: accounts.eve }, proof, { signal });
    await ask();
    expect([await seenBy(accounts.eve), await seenBy(accounts.bob)]).toEqual([["lib", "other"], ["other"]]);
  });

  test("a token proves one person for one account, and only at a host that decides for them", async () => {
    const { accounts, seenBy, ask, prove } = await team();
    people.readers.set("acme/lib", [{ id: 11 }]);
    people.readers.set("acme/docs", []);
    await prove(accounts.eve, eveThere);
    await expect(prove(accounts.bob, eveThere)).rejects.toMatchObject({
      tag: "AlreadyExists",
      message: expect.stringContaining("belongs to another account here"),
    });
    const wrong = { host, username: "", token: "made-up" };
    await expect(proveByToken(services(), { id: accounts.bob }, wrong, { signal })).rejects.toMatchObject({
      tag: "SignInFailed",
      message: expect.stringContaining("refused the token"),
    });
    const elsewhere = { host: "git.example", username: "", token: "token-of-eve" };
    await expect(proveByToken(services(), { id: accounts.eve }, elsewhere, { signal })).rejects.toMatchObject({
      tag: "InvalidRequest",
    });
    await ask();
    expect([await seenBy(accounts.eve), await seenBy(accounts.bob)]).toEqual([["lib", "other"], ["other"]]);
    // Another account there replaces the first.
    await prove(accounts.eve, { id: 14, login: "eve-2" });
    await ask();
    expect(await seenBy(accounts.eve)).toEqual(["other"]);
  });

  test.each([
    ["gitlab", (issuer: string) => issuer, ["lib", "other"]],
    ["gitea", (issuer: string) => `${issuer}/`, ["lib", "other"]],
    ["gitlab", (issuer: string) => `${issuer}.example`, ["other"]],
    ["github", (issuer: string) => issuer, ["other"]],
  ] as const)("of %s: who signs in with it is known there by the subject", async (kind, issuerOf, expected) => {
    const { accounts, seenBy, ask } = await team(kind);
    people.readers.set("acme/lib", [{ id: 11 }]);
    people.readers.set("acme/docs", [{ id: 1 }]);
    const identity = { issuer: issuerOf(server.origin), subject: "11", email: undefined, isEmailVerified: false };
    await ask();
    await connectIdentity(store, identity, { id: accounts.eve, email: "eve@example.com" });
    // The new identity made the check due.
    await refreshDueRights({ ...services(), log: silentLog, signal });
    expect(await seenBy(accounts.eve)).toEqual(expected);
  });

  test("while the host is away its last answer counts for 24 hours, and then for nobody", async () => {
    const { accounts, seenBy, ask, prove, state } = await team();
    people.readers.set("acme/lib", [{ id: 11 }]);
    people.readers.set("acme/docs", []);
    await prove(accounts.eve, eveThere);
    await ask();
    people.refuse = () => ({ status: 401 });
    await ask();
    expect(await seenBy(accounts.eve)).toEqual(["lib", "other"]);
    expect((await state())?.failure).toContain("refused the token");
    const { rows } = await store.query(
      `select bool_and(until between now() + interval '23 hours' and now() + interval '24 hours') as "isBound",
         (select run_at <= now() + interval '5 minutes' from host_rights) as "isSoon" from resource_access`,
    );
    expect(rows).toEqual([{ isBound: true, isSoon: true }]);
    await store.query("update resource_access set until = now() - interval '1 second'");
    expect([await seenBy(accounts.eve), await seenBy(accounts.owner)]).toEqual([["other"], all]);
    people.refuse = undefined;
    await ask();
    expect(await seenBy(accounts.eve)).toEqual(["lib", "other"]);
    expect((await state())?.failure).toBeNull();
  });

  test("a token that may not see who reads a repository gives it to nobody, and the owner reads why", async () => {
    const { accounts, seenBy, ask, prove, state } = await team();
    people.readers.set("acme/lib", [{ id: 11 }]);
    people.readers.set("acme/docs", [{ id: 11 }]);
    await prove(accounts.eve, eveThere);
    people.refuse = (path) => (path.includes("docs") ? { status: 403 } : undefined);
    await ask();
    // What the host answers about others is used.
    expect(await seenBy(accounts.eve)).toEqual(["lib", "other"]);
    expect((await state())?.failure).toMatch(/status 403: not for you\), about acme\/docs; the token needs the right/);
    expect((await state())?.checkedAt).not.toBeNull();
    people.refuse = (path) => (path.includes("acme") ? { status: 403 } : undefined);
    await ask();
    expect((await state())?.failure).toContain("1 other repositories were not answered either.");
    // A repository that the host does not show is closed at once.
    people.refuse = undefined;
    people.readers.delete("acme/lib");
    await ask();
    expect(await seenBy(accounts.eve)).toEqual(["docs", "other"]);
    expect((await state())?.failure).toBe(`${host} shows no repository acme/lib: only owners and admins can use lib.`);
  });

  test("a check that a rate limit ended is continued with what was checked longest ago", async () => {
    const { accounts, seenBy, ask, prove } = await team();
    people.readers.set("acme/lib", [{ id: 11 }]);
    people.readers.set("acme/docs", [{ id: 11 }]);
    await prove(accounts.eve, eveThere);
    const answerOne = async () => {
      let left = 1;
      people.refuse = () => (left-- > 0 ? undefined : { status: 429, headers: { "retry-after": "3600" } });
      await ask();
    };
    await answerOne();
    expect(await seenBy(accounts.eve)).toEqual(["docs", "other"]);
    await answerOne();
    expect(await seenBy(accounts.eve)).toEqual(all);
  });

  test("a repository that is added, or moved to another account, is closed until its host has answered", async () => {
    const { id, accounts, add, seenBy, ask, prove } = await team();
    for (const name of ["lib", "docs", "new"]) people.readers.set(`acme/${name}`, [{ id: 11 }]);
    await prove(accounts.eve, eveThere);
    await ask();
    await add("new", "ACME/new");
    expect(await seenBy(accounts.eve)).not.toContain("new");
    people.readers.set("ACME/new", [{ id: 11 }]);
    await refreshDueRights({ ...services(), log: silentLog, signal });
    expect(await seenBy(accounts.eve)).toContain("new");
    const url = JSON.stringify({ url: `${server.origin}/another/lib` });
    people.readers.set("another/lib", [{ id: 11 }]);
    await store.asProject(id, ({ query }) =>
      query("update resource set spec = spec || $2::jsonb where project = $1 and name = 'lib'", [id, url]),
    );
    await ask();
    expect([await seenBy(accounts.eve), await seenBy(accounts.owner)]).toEqual([
      ["docs", "new", "other"],
      ["docs", "lib", "new", "other"],
    ]);
  });

  test("of two accounts that have a repository, the longer one decides; when it ends, the other does", async () => {
    const { id, project, accounts, add, place, seenBy, ask, prove } = await team();
    for (const path of ["acme/lib", "acme/docs", "acme/team/deep"]) people.readers.set(path, [{ id: 11 }]);
    await add("deep", "acme/team/deep");
    await letHostDecide({ store, project, actor }, { ...place, account: "acme/team" });
    await expect(letHostDecide({ store, project, actor }, { ...place, account: "ACME" })).rejects.toMatchObject({
      tag: "AlreadyExists",
    });
    const sources = async () => {
      const { rows } = await store.query(
        `select r.name, h.account from resource r left join host_rights h on h.id = r.rights_from
         where r.project = $1 order by r.name`,
        [id],
      );
      return Object.fromEntries(rows.map(({ name, account }) => [name, account]));
    };
    expect(await sources()).toEqual({ deep: "acme/team", docs: "acme", lib: "acme", other: null });
    await prove(accounts.eve, eveThere);
    await ask();
    expect(await seenBy(accounts.eve)).toEqual(["deep", ...all]);
    const [, team_] = await listHostRights(store, project);
    await letAdminsDecide({ store, project, actor }, team_?.id ?? "");
    expect(await sources()).toMatchObject({ deep: "acme" });
    expect(await seenBy(accounts.eve)).toEqual(all);
    await refreshDueRights({ ...services(), log: silentLog, signal });
    expect(await seenBy(accounts.eve)).toEqual(["deep", ...all]);
  });

  test("when admins decide again, its repositories are closed until they have chosen; a late answer changes nothing", async () => {
    const { project, accounts, seenBy, ask, prove, state } = await team();
    people.readers.set("acme/lib", [{ id: 11 }]);
    people.readers.set("acme/docs", [{ id: 11 }]);
    await prove(accounts.eve, eveThere);
    await ask();
    const rights = await state();
    people.refuse = (path) => {
      if (path.includes("members/all")) decided ??= decideNow();
      return undefined;
    };
    let decided: Promise<void> | undefined;
    const decideNow = async () => {
      await letAdminsDecide({ store, project, actor }, rights?.id ?? "");
      await changeAccess(store, project, { resource: "docs", accounts: [accounts.bob], actor });
    };
    await ask();
    await decided;
    expect([await seenBy(accounts.eve), await seenBy(accounts.bob)]).toEqual([["other"], ["docs", "other"]]);
    await expect(letAdminsDecide({ store, project, actor }, rights?.id ?? "")).rejects.toMatchObject({
      tag: "ResourceNotFound",
    });
  });
});
