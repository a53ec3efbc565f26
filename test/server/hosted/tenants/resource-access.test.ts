import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestFetch } from "../../../../server/hosted/jobs/queue.ts";
import { readFetchStates } from "../../../../server/hosted/jobs/states.ts";
import { type Reader, type Store, storeFor } from "../../../../server/hosted/store/store.ts";
import { accountThreads } from "../../../../server/hosted/tenants/account-threads.ts";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { createKey } from "../../../../server/hosted/tenants/keys.ts";
import { addMember, changeRole, removeMember } from "../../../../server/hosted/tenants/members.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { changeAccess, listLimited } from "../../../../server/hosted/tenants/resource-access.ts";
import { listResourceNames } from "../../../../server/hosted/tenants/resource-names.ts";
import type { Role } from "../../../../server/protocol/hosted-accounts.ts";
import { newThreadId } from "../../../../server/threads/threads.ts";
import { joinProject } from "../../../support/add-member.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";
import { threadTurn } from "../../../support/thread-turn.ts";

const actor = "operator";

describe.each(testEngines())("who may use a resource on $name", (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine);
  });
  afterAll(() => store.close());

  /** A project with the resources `open`, `other` and `secret`; the last is limited to the member `eve`. */
  async function team() {
    const { id } = await createProject(store, `p-${crypto.randomUUID().slice(0, 8)}`);
    const accounts: Record<string, string> = {};
    const join = async (name: string, role: Role) => {
      accounts[name] = (await joinProject(store, id, role, name)).account;
    };
    await join("owner", "owner");
    await join("admin", "admin");
    await join("eve", "member");
    await join("bob", "member");
    await store.asProject(id, async (queries) => {
      for (const name of ["open", "other", "secret"]) {
        await queries.query("insert into resource (project, name, spec) values ($1, $2, '{}')", [id, name]);
      }
      await requestFetch(queries, id);
    });
    const limit = (members: string[] | null, resource = "secret") =>
      changeAccess(store, { id }, { resource, accounts: members && members.map((one) => accounts[one] ?? one), actor });
    await limit(["eve"]);
    const account = (name: string): Reader => ({ kind: "account", id: accounts[name] ?? crypto.randomUUID() });
    const key = async (resources?: string[]): Promise<Reader> => {
      const { listing } = await createKey(store, { id }, { name: "agent", scopes: ["read"], resources });
      return { kind: "key", id: listing.id };
    };
    const threads = (name: string) =>
      accountThreads(storeFor(store, account(name)), { project: id, account: account(name).id });
    return { id, account, key, limit, threads };
  }

  const seenBy = async (project: string, reader: Reader | undefined) =>
    store.asProject(project, (queries) => listResourceNames(queries, project), { reader });

  test("roles, members who are chosen, and keys that name it; others have no rows of it", async () => {
    const { id, account, key } = await team();
    const readers: [string, Reader | undefined, string[]][] = [
      ["the service", undefined, ["open", "other", "secret"]],
      ["an owner", account("owner"), ["open", "other", "secret"]],
      ["an admin", account("admin"), ["open", "other", "secret"]],
      ["a member who was chosen", account("eve"), ["open", "other", "secret"]],
      ["another member", account("bob"), ["open", "other"]],
      ["a key for all resources", await key(), ["open", "other"]],
      ["a key that names it", await key(["secret"]), ["secret"]],
      ["a key that names others", await key(["open"]), ["open"]],
      ["an account that is no member", account("stranger"), []],
      ["a key that is not of the project", { kind: "key", id: crypto.randomUUID() }, []],
    ];
    for (const [name, reader, expected] of readers) {
      expect({ name, seen: await seenBy(id, reader) }).toEqual({ name, seen: expected });
      const rows = await store.asProject(
        id,
        async (queries) => ({
          states: [...(await readFetchStates(queries, id)).keys()].toSorted(),
          access: (await queries.query("select resource from resource_access")).count,
          changed: (await queries.query("update resource set asked_at = now() where name = 'secret'")).count,
        }),
        { reader },
      );
      const secrets = expected.includes("secret") ? 1 : 0;
      expect({ name, ...rows }).toEqual({ name, states: expected, access: secrets, changed: secrets });
    }
  });

  test("each transaction has the rights of its time", async () => {
    const { id, account, key, limit } = await team();
    const all = await key();
    await limit(null);
    expect(await seenBy(id, account("bob"))).toContain("secret");
    expect(await seenBy(id, all)).toContain("secret");
    await limit([]);
    expect(await seenBy(id, account("eve"))).not.toContain("secret");
    await changeRole(store, { project: { id }, account: account("bob").id, role: "admin", actor });
    expect(await seenBy(id, account("bob"))).toContain("secret");
    await limit(["eve"], "open");
    expect([await seenBy(id, account("eve")), await seenBy(id, all)]).toEqual([["open", "other"], ["other"]]);
  });

  test("every table with the name of a resource hides the rows of those that a reader may not use", async () => {
    const { rows } = await store.query(
      `select c.relname::text as name, exists (select from pg_policy p where p.polrelid = c.oid
         and p.polname = 'of_reader' and not p.polpermissive) as "isHidden"
       from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attname = 'resource'
       order by c.relname`,
    );
    expect(rows.length).toBeGreaterThan(4);
    expect(rows.filter(({ isHidden }) => isHidden !== true)).toEqual([]);
  });

  test("names are looked up by their hash, which a thousand of two thousand limited resources need", async () => {
    const { id, account } = await team();
    const plan = await store.asProject(
      id,
      ({ query }) => query("explain (costs off) select name from resource where project = $1", [id]),
      { reader: account("bob") },
    );
    const text = plan.rows.flatMap((row) => Object.values(row)).join("\n");
    expect(text).toContain("hashed SubPlan");
    expect(text).not.toContain("= ANY");
  });

  test("a right that ends at a time ends by itself", async () => {
    const { id, account } = await team();
    const eve = account("eve");
    const until = (time: string) =>
      store.query(`update resource_access set until = now() + interval '${time}' where project = $1`, [id]);
    await until("1 hour");
    expect(await seenBy(id, eve)).toContain("secret");
    await until("-1 second");
    expect(await seenBy(id, eve)).toEqual(["open", "other"]);
    const limited = await store.asProject(id, (queries) => listLimited(queries, id));
    expect(limited).toEqual(new Map([["secret", { accounts: [], isOfHost: false }]]));
  });

  test("a member who leaves and comes back has lost the resource; one that is added again is open", async () => {
    const { id, account } = await team();
    const project = { id };
    const eve = account("eve");
    await removeMember(store, { project, account: eve.id, actor });
    await store.asProject(id, (queries) => addMember(queries, id, { account: eve.id, role: "member" }));
    expect(await seenBy(id, eve)).toEqual(["open", "other"]);
    await store.query("delete from resource where project = $1 and name = 'secret'", [id]);
    await store.query("insert into resource (project, name, spec) values ($1, 'secret', '{}')", [id]);
    expect(await store.asProject(id, (queries) => listLimited(queries, id))).toEqual(new Map());
  });

  test("a change is whole, and in the audit log", async () => {
    const { id, account, limit } = await team();
    await expect(limit(["nobody"])).rejects.toMatchObject({ tag: "MemberNotFound" });
    await expect(limit([], "absent")).rejects.toMatchObject({ tag: "ResourceNotFound" });
    expect(await store.asProject(id, (queries) => listLimited(queries, id))).toEqual(
      new Map([["secret", { accounts: [account("eve").id], isOfHost: false }]]),
    );
    await limit(null);
    const entries = (await listAudit(store, id)).slice(0, 2);
    expect(entries).toMatchObject([
      { action: "resource.opened", target: "secret" },
      { action: "resource.limited", target: "secret", detail: { members: [expect.stringMatching(/^eve-/)] } },
    ]);
  });

  test("an account's conversation loses the answers that may come from a resource which it may no longer use", async () => {
    const { threads, limit } = await team();
    const id = newThreadId();
    const ask = (question: string, resources: string[], isFirst = false) =>
      threads("eve").append(id, threadTurn({ question, resources, askedAt: new Date().toISOString() }), {
        files: [],
        isFirst,
      });
    const questions = async () => (await threads("eve").read(id)).turns.map(({ question }) => question);
    await ask("one", ["open"], true);
    await ask("two", ["secret"]);
    // The model has read the turn before.
    await ask("three", ["other"]);
    expect(await questions()).toEqual(["one", "two", "three"]);
    await limit([]);
    expect(await questions()).toEqual(["one"]);
    expect(await threads("eve").list()).toMatchObject([{ turnCount: 1, resources: ["open"] }]);
    await expect(ask("four", ["secret"])).rejects.toThrow("row-level security");
    await ask("five", ["other"]);
    expect(await questions()).toEqual(["one", "five"]);
    await limit(["eve"]);
    expect(await questions()).toEqual(["one", "two", "three", "five"]);
  });

  test("a conversation of which nothing is left is not there", async () => {
    const { threads, limit } = await team();
    const id = newThreadId();
    const failed = { resource: "secret", tag: "NotReadyYet", error: "it is being fetched" };
    const turn = threadTurn({ resources: ["open"], unavailable: [failed], askedAt: new Date().toISOString() });
    await threads("eve").append(id, turn, { files: [], isFirst: true });
    await limit([]);
    expect(await threads("eve").list()).toEqual([]);
    await expect(threads("eve").read(id)).rejects.toMatchObject({ tag: "ThreadNotFound" });
  });
});
