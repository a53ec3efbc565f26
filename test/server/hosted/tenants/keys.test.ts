import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { authenticate, createKey, listKeys, revokeKey } from "../../../../server/hosted/tenants/keys.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

describe.each(testEngines())("API keys on $name", (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine);
  });
  afterAll(() => store.close());

  const agent = { name: "agent", scopes: ["ask", "read"] } as const;

  test("a new key identifies its project and scopes", async () => {
    const project = await createProject(store, "identified");
    const { key } = await createKey(store, project, agent);
    expect(await authenticate(store, key)).toMatchObject({
      key: { name: "agent", scopes: ["ask", "read"] },
      project: { id: project.id, name: "identified" },
    });
  });

  test("the key itself is stored nowhere and not listed", async () => {
    const project = await createProject(store, "secret");
    const { key } = await createKey(store, project, agent);
    const [listing] = await listKeys(store, project);
    expect(listing).toMatchObject({ name: "agent", hint: key.slice(0, 7), revokedAt: null, lastUsedAt: null });
    const tables = ["api_key", "audit", "project"];
    const rows = await Promise.all(tables.map((table) => store.query(`select t::text as row from ${table} t`)));
    expect(JSON.stringify([listing, rows])).not.toContain(key.slice(8, 40));
  });

  test("a revoked key is refused at once", async () => {
    const project = await createProject(store, "revoked");
    const { key } = await createKey(store, project, agent);
    await authenticate(store, key);
    await revokeKey(store, project, "agent");
    await expect(authenticate(store, key)).rejects.toMatchObject({
      tag: "KeyInvalid",
      message: 'the API key "agent" was revoked',
    });
    await expect(revokeKey(store, project, "agent")).rejects.toMatchObject({ tag: "KeyNotFound" });
  });

  test("an expired key is refused", async () => {
    const project = await createProject(store, "expired");
    const { key, listing } = await createKey(store, project, { ...agent, days: 1 });
    await store.query("update api_key set expires_at = now() - interval '1 second' where id = $1", [listing.id]);
    await expect(authenticate(store, key)).rejects.toThrow('the API key "agent" has expired');
  });

  test.each([
    ["an unknown key", "cw_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAxxxxxx", "this is no API key"],
    ["an empty text", "", "this is no API key"],
  ])("%s is refused", async (_name, key, message) => {
    await expect(authenticate(store, key)).rejects.toThrow(message);
  });

  test("a key of another project cannot be revoked, and is not listed", async () => {
    const [a, b] = [await createProject(store, "owner"), await createProject(store, "stranger")];
    const { listing } = await createKey(store, a, agent);
    await expect(revokeKey(store, b, listing.id)).rejects.toMatchObject({ tag: "KeyNotFound" });
    expect(await listKeys(store, b)).toEqual([]);
  });

  test("of several keys with one name, the id selects", async () => {
    const project = await createProject(store, "twins");
    const first = await createKey(store, project, agent);
    await createKey(store, project, agent);
    await expect(revokeKey(store, project, "agent")).rejects.toThrow('several keys are named "agent"');
    expect((await revokeKey(store, project, first.listing.id)).revokedAt).not.toBeNull();
  });

  test("creation, first use and revocation are in the audit log; further uses are not", async () => {
    const project = await createProject(store, "logged");
    const { key, listing } = await createKey(store, project, agent);
    await authenticate(store, key);
    await authenticate(store, key);
    await revokeKey(store, project, listing.id);
    const entries = await listAudit(store, project.id);
    expect(entries.map(({ actor, action }) => [actor, action])).toEqual([
      ["operator", "key.revoked"],
      [`key:${listing.id}`, "key.first-used"],
      ["operator", "key.created"],
      ["operator", "project.created"],
    ]);
  });

  test("a key for some resources names each once, in the audit log too; others must exist", async () => {
    const project = await createProject(store, "limited");
    const insert = "insert into resource (project, name, spec) values ($1, $2, '{}')";
    for (const name of ["lib", "web"]) await store.query(insert, [project.id, name]);
    const { key, listing } = await createKey(store, project, { ...agent, resources: ["lib", "lib"] });
    expect(listing.resources).toEqual(["lib"]);
    expect((await authenticate(store, key)).key.resources).toEqual(["lib"]);
    expect((await listAudit(store, project.id))[1]).toMatchObject({
      action: "key.created",
      detail: { name: "agent", resources: ["lib"] },
    });
    expect((await createKey(store, project, agent)).listing.resources).toBeNull();
    const mistyped = createKey(store, project, { ...agent, resources: ["lob"] });
    await expect(mistyped).rejects.toMatchObject({
      tag: "ResourceNotFound",
      message: 'no resource named "lob"',
      hint: "did you mean lib?",
    });
    const ofNone = createKey(store, project, { ...agent, resources: [] });
    await expect(ofNone).rejects.toMatchObject({ tag: "InvalidRequest" });
    expect(await listKeys(store, project)).toHaveLength(2);
  });

  test("a key without a scope, or with days that are no number, is refused", async () => {
    const project = await createProject(store, "wrong");
    await expect(createKey(store, project, { name: "x", scopes: [] })).rejects.toMatchObject({ tag: "InvalidRequest" });
    await expect(createKey(store, project, { ...agent, days: 0 })).rejects.toMatchObject({ tag: "InvalidRequest" });
  });
});
