import { describe, expect, test } from "vitest";
import { connectAdmin, serveAdmin } from "../../../../server/hosted/admin/admin-socket.ts";
import { openSealingKeys } from "../../../../server/hosted/secrets/sealing-keys.ts";
import { authenticate, listKeys } from "../../../../server/hosted/tenants/keys.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

describe.each(testEngines())("the operator's socket on $name", (engine) => {
  test("keys and projects are made through the running service", async () => {
    await using folder = await temporaryFolder();
    expect(await connectAdmin(folder.path)).toBeUndefined();
    await using store = await openTestStore(engine);
    const sealing = openSealingKeys({ text: undefined, directory: folder.path, mayCreate: true });
    const serving = await serveAdmin(store, { directory: folder.path, url: "http://localhost:1", keys: sealing });
    const admin = await connectAdmin(folder.path);
    const project = await admin?.("createProject", { name: "team" });
    expect(await admin?.("listProjects", {})).toEqual({ projects: [project] });
    const created = await admin?.("createKey", { name: "agent", scopes: ["read"] });
    const keys = await listKeys(store, { id: project?.id ?? "" });
    expect(keys).toEqual([created?.listing]);
    expect(await admin?.("listKeys", {})).toEqual({ keys });
    const rotated = await admin?.("rotateKey", { key: "agent", overlapDays: 7 });
    const again = await admin?.("rotateKey", { key: "agent", overlapDays: 0 });
    const listed = new Map((await listKeys(store, { id: project?.id ?? "" })).map((key) => [key.id, key]));
    const first = listed.get(created?.listing.id ?? "");
    const second = listed.get(rotated?.listing.id ?? "");
    const third = listed.get(again?.listing.id ?? "");
    expect([first?.replacedBy, second?.replacedBy, third?.replacedBy]).toEqual([
      rotated?.listing.id,
      again?.listing.id,
      null,
    ]);
    expect(Math.round((Date.parse(first?.expiresAt ?? "") - Date.now()) / 86_400_000)).toBe(7);
    await expect(authenticate(store, rotated?.key ?? "")).rejects.toMatchObject({ tag: "KeyInvalid" });
    expect(await authenticate(store, created?.key ?? "")).toMatchObject({ key: { name: "agent" } });
    await admin?.("revokeKey", { key: first?.id ?? "" });
    await admin?.("revokeKey", { key: second?.id ?? "" });
    expect(await admin?.("revokeKey", { key: "agent" })).toMatchObject({
      name: "agent",
      revokedAt: expect.any(String),
    });
    const link = await admin?.("createOwnerLink", {});
    expect(link).toMatchObject({ project: "team", url: `http://localhost:1${link?.path}` });
    await expect(admin?.("createProject", { name: "team" })).rejects.toMatchObject({ tag: "AlreadyExists" });
    await expect(admin?.("listKeys", { project: "none" })).rejects.toMatchObject({
      tag: "ProjectNotFound",
      hint: "there are team",
    });
    await serving[Symbol.asyncDispose]();
    expect(await connectAdmin(folder.path)).toBeUndefined();
  });
});
