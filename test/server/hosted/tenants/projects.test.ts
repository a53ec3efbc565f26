import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { createFirstProject, createProject, findProject } from "../../../../server/hosted/tenants/projects.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

describe.each(testEngines())("projects on $name", (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine);
  });
  afterAll(() => store.close());

  test("the first project is created once, and is the one meant while it is the only one", async () => {
    await expect(findProject(store, undefined)).rejects.toMatchObject({ tag: "ProjectNotFound" });
    const first = await createFirstProject(store, "team");
    expect(first?.name).toBe("team");
    expect(await createFirstProject(store, "team")).toBeUndefined();
    expect(await findProject(store, undefined)).toEqual(first);
    const second = await createProject(store, "second");
    expect(await findProject(store, "second")).toEqual(second);
    await expect(findProject(store, undefined)).rejects.toThrow("there are several projects: team, second");
    await expect(findProject(store, "third")).rejects.toMatchObject({ tag: "ProjectNotFound" });
  });

  test("a name that is taken or not allowed is refused", async () => {
    await createProject(store, "taken");
    await expect(createProject(store, "taken")).rejects.toMatchObject({ tag: "AlreadyExists" });
    await expect(createProject(store, "Not Allowed")).rejects.toThrow("lower-case letters, digits and hyphens");
  });
});
