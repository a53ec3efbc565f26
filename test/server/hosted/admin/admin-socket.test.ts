import { describe, expect, test, vi } from "vitest";
import { connectAdmin, serveAdmin } from "../../../../server/hosted/admin/admin-socket.ts";
import { listKeys } from "../../../../server/hosted/tenants/keys.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

// Opening an embedded database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe.each(testEngines())("the operator's socket on $name", (engine) => {
  test("keys and projects are made through the running service", async () => {
    await using folder = await temporaryFolder();
    expect(await connectAdmin(folder.path)).toBeUndefined();
    await using store = await openTestStore(engine);
    const serving = await serveAdmin(store, { directory: folder.path, url: "http://localhost:1" });
    const admin = await connectAdmin(folder.path);
    const project = await admin?.createProject({ name: "team" });
    expect(await admin?.listProjects({})).toEqual({ projects: [project] });
    const created = await admin?.createKey({ name: "agent", scopes: ["read"] });
    const keys = await listKeys(store, { id: project?.id ?? "" });
    expect(keys).toEqual([created?.listing]);
    expect(await admin?.listKeys({})).toEqual({ keys });
    expect(await admin?.revokeKey({ key: "agent" })).toMatchObject({ name: "agent", revokedAt: expect.any(String) });
    const link = await admin?.createOwnerLink({});
    expect(link).toMatchObject({ project: "team", url: `http://localhost:1${link?.path}` });
    await expect(admin?.createProject({ name: "team" })).rejects.toMatchObject({ tag: "AlreadyExists" });
    await expect(admin?.listKeys({ project: "none" })).rejects.toMatchObject({
      tag: "ProjectNotFound",
      hint: "there are team",
    });
    await serving[Symbol.asyncDispose]();
    expect(await connectAdmin(folder.path)).toBeUndefined();
  });
});
