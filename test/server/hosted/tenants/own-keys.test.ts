import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Reader, type Store } from "../../../../server/hosted/store/store.ts";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { rotateKey } from "../../../../server/hosted/tenants/key-rotation.ts";
import { authenticate, createKey, listKeys } from "../../../../server/hosted/tenants/keys.ts";
import { changeRole, removeMember } from "../../../../server/hosted/tenants/members.ts";
import { createOwnKey, readOwnKeyRule, setOwnKeyRule } from "../../../../server/hosted/tenants/own-keys.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { changeAccess } from "../../../../server/hosted/tenants/resource-access.ts";
import { listResourceNames } from "../../../../server/hosted/tenants/resource-names.ts";
import type { Role } from "../../../../server/protocol/hosted-accounts.ts";
import { joinProject } from "../../../support/add-member.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

const actor = "operator";

describe.each(testEngines())("keys of members on $name", (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine);
  });
  afterAll(() => store.close());

  /** A project with the resources `open` and `secret`, the second limited to the member `eve`; own keys are allowed. */
  async function team() {
    const { id } = await createProject(store, `p-${crypto.randomUUID().slice(0, 8)}`);
    const join = async (role: Role) => (await joinProject(store, id, role)).account;
    const people = {
      owner: await join("owner"),
      admin: await join("admin"),
      eve: await join("member"),
      bob: await join("member"),
    };
    for (const name of ["open", "secret"]) {
      await store.query("insert into resource (project, name, spec) values ($1, $2, '{}')", [id, name]);
    }
    await changeAccess(store, { id }, { resource: "secret", accounts: [people.eve], actor });
    await setOwnKeyRule(store, { id }, { rule: { days: 30 }, actor });
    const make = async (account: string, options: { resources?: string[]; role?: Role; days?: number } = {}) => {
      const { role = "member", days = 30, resources } = options;
      const owner = { account, role };
      const created = await createOwnKey(
        store,
        { id },
        { name: "agent", scopes: ["ask", "read"], days, resources, owner },
      );
      return { ...created, reader: { kind: "key", id: created.listing.id } satisfies Reader };
    };
    return { id, people, make };
  }

  const seenBy = (project: string, reader: Reader) =>
    store.asProject(project, (queries) => listResourceNames(queries, project), { reader });

  test("a key sees what its member sees, less what it leaves out, at any time", async () => {
    const { id, people, make } = await team();
    const [all, named] = [await make(people.eve), await make(people.eve, { resources: ["secret"] })];
    const bobs = await make(people.bob);
    expect(await seenBy(id, all.reader)).toEqual(["open", "secret"]);
    expect(await seenBy(id, named.reader)).toEqual(["secret"]);
    expect(await seenBy(id, bobs.reader)).toEqual(["open"]);
    await changeAccess(store, { id }, { resource: "secret", accounts: [people.bob], actor });
    expect(await seenBy(id, all.reader)).toEqual(["open"]);
    expect(await seenBy(id, named.reader)).toEqual([]);
    expect(await seenBy(id, bobs.reader)).toEqual(["open", "secret"]);
    await changeAccess(store, { id }, { resource: "secret", accounts: null, actor });
    expect(await seenBy(id, all.reader)).toEqual(["open", "secret"]);
    expect(await seenBy(id, named.reader)).toEqual(["secret"]);
  });

  test("a key cannot name a resource that its member may not use, and the refusal does not say that it exists", async () => {
    const { people, make } = await team();
    const messages = await Promise.all(
      ["secret", "absent"].map((resource) =>
        make(people.bob, { resources: [resource] }).then(String, (error: unknown) =>
          String(error).replace(resource, "NAME"),
        ),
      ),
    );
    expect(messages[0]).toContain("no resource named");
    expect(messages[0]).toBe(messages[1]);
  });

  test("an admin's own key loses the scope and the rights of an admin with the role", async () => {
    const { id, people } = await team();
    const owner = { account: people.admin, role: "admin" } as const;
    const made = await createOwnKey(store, { id }, { name: "a", scopes: ["read", "manage"], days: 1, owner });
    const reader = { kind: "key", id: made.listing.id } as const;
    expect((await authenticate(store, made.key)).key.scopes).toEqual(["read", "manage"]);
    expect(await seenBy(id, reader)).toEqual(["open", "secret"]);
    await changeRole(store, { project: { id }, account: people.admin, role: "member", actor });
    expect((await authenticate(store, made.key)).key.scopes).toEqual(["read"]);
    expect(await seenBy(id, reader)).toEqual(["open"]);
  });

  test("keys end with the membership, also rotated ones; those of the project stay", async () => {
    const { id, people, make } = await team();
    const { key, listing } = await make(people.bob);
    const rotated = await rotateKey(store, { id }, listing.id, { actor });
    const { key: kept } = await createKey(store, { id }, { name: "ci", scopes: ["ask"] });
    expect(rotated.listing.member).toBe(listing.member);
    expect(await listKeys(store, { id }, { account: people.bob })).toHaveLength(2);
    await removeMember(store, { project: { id }, account: people.bob, actor });
    for (const ended of [key, rotated.key]) {
      await expect(authenticate(store, ended)).rejects.toMatchObject({ tag: "KeyInvalid" });
    }
    expect(await seenBy(id, { kind: "key", id: listing.id })).toEqual([]);
    expect((await authenticate(store, kept)).key.name).toBe("ci");
  });

  test("the rule of the project decides whether a member makes keys, and for how long", async () => {
    const { id, people, make } = await team();
    await expect(make(people.bob, { days: 31 })).rejects.toMatchObject({ tag: "InvalidRequest" });
    const unending = { name: "a", scopes: ["ask"] as const, owner: { account: people.bob, role: "member" as const } };
    await expect(createOwnKey(store, { id }, unending)).rejects.toThrow("within 30 days");
    const manage = createOwnKey(store, { id }, { ...unending, scopes: ["manage"], days: 1 });
    await expect(manage).rejects.toMatchObject({ tag: "OperationNotAllowed" });
    await setOwnKeyRule(store, { id }, { rule: { days: null }, actor });
    expect((await createOwnKey(store, { id }, unending)).listing.expiresAt).toBeNull();
    await setOwnKeyRule(store, { id }, { rule: null, actor });
    expect(await readOwnKeyRule(store, id)).toBeNull();
    await expect(make(people.bob)).rejects.toMatchObject({ tag: "OperationNotAllowed" });
    expect((await listAudit(store, id)).filter(({ action }) => action === "own-keys.changed")).toHaveLength(3);
  });

  test("a member has at most 20 keys that work", async () => {
    const { id, people, make } = await team();
    for (let made = 0; made < 20; made++) await make(people.bob);
    await expect(make(people.bob)).rejects.toMatchObject({ tag: "LimitReached" });
    await store.query("update api_key set revoked_at = now() where project = $1", [id]);
    await expect(make(people.bob)).resolves.toMatchObject({ listing: { name: "agent" } });
  });
});
