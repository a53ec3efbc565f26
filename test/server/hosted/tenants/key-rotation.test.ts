import { describe, expect, test } from "vitest";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { rotateKey } from "../../../../server/hosted/tenants/key-rotation.ts";
import { authenticate, createKey, listKeys } from "../../../../server/hosted/tenants/keys.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

describe.each(testEngines())("rotating a key on $name", (engine) => {
  test("both keys work until the overlap ends, and the new one has the scopes, resources and lifetime of the old", async () => {
    await using store = await openTestStore(engine);
    const project = await createProject(store, "team");
    await store.query("insert into resource (project, name, spec) values ($1, 'lib', '{}')", [project.id]);
    const old = await createKey(store, project, { name: "ci", scopes: ["read"], resources: ["lib"], days: 30 });
    const rotated = await rotateKey(store, project, old.listing.id, { actor: "operator" });
    expect(rotated.listing).toMatchObject({ name: "ci", scopes: ["read"], resources: ["lib"], replacedBy: null });
    const lifetime = Date.parse(rotated.listing.expiresAt ?? "") - Date.parse(rotated.listing.createdAt);
    expect(lifetime).toBe(30 * 24 * 60 * 60 * 1000);
    for (const { key } of [old, rotated]) expect((await authenticate(store, key)).key.name).toBe("ci");
    const [replaced] = await listKeys(store, project);
    expect(replaced).toMatchObject({ id: old.listing.id, replacedBy: rotated.listing.id });
    expect(Date.parse(replaced?.expiresAt ?? "")).toBeLessThan(Date.parse(old.listing.expiresAt ?? ""));
    await store.query("update api_key set expires_at = now() where replaced_by is not null");
    await expect(authenticate(store, old.key)).rejects.toMatchObject({ message: 'the API key "ci" has expired' });
    expect((await authenticate(store, rotated.key)).key.id).toBe(rotated.listing.id);
    expect(await listAudit(store, project.id)).toContainEqual(
      expect.objectContaining({ action: "key.rotated", target: old.listing.id }),
    );
  });

  test("of two rotations at once, one makes a key", async () => {
    await using store = await openTestStore(engine);
    const project = await createProject(store, "team");
    const { listing } = await createKey(store, project, { name: "ci", scopes: ["read"] });
    const rotations = [1, 2].map(() => rotateKey(store, project, listing.id, { actor: "operator" }));
    const outcomes = await Promise.allSettled(rotations);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await listKeys(store, project)).toHaveLength(2);
  });
});
