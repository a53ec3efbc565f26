import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import {
  acceptLink,
  createInvite,
  createOwnerLink,
  findLink,
  joinByLink,
} from "../../../../server/hosted/tenants/links.ts";
import { changeRole, findMembership, listMembers, removeMember } from "../../../../server/hosted/tenants/members.ts";
import { createPasswords } from "../../../../server/hosted/tenants/passwords.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import type { Project } from "../../../../server/protocol/hosted.ts";
import type { Account } from "../../../../server/protocol/hosted-accounts.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

const password = "correct horse battery";
const address = "203.0.113.1";

describe.each(testEngines())("members on $name", (engine) => {
  let store: Store;
  let project: Project;
  let owner: Account;
  const passwords = createPasswords({ N: 16 });
  beforeAll(async () => {
    store = await openTestStore(engine);
    project = await createProject(store, "team");
    const { token } = await createOwnerLink(store, project);
    owner = await acceptLink({ store, passwords }, token, {
      credentials: { email: "owner@example.com", password },
      address,
    });
  });
  afterAll(() => store.close());

  async function join(email: string): Promise<Account> {
    const { token } = await createInvite(store, project, { role: "member", actor: "operator" });
    return acceptLink({ store, passwords }, token, { credentials: { email, password }, address });
  }

  test("of two who open a link at once, one joins", async () => {
    const { token } = await createInvite(store, project, { role: "member", actor: "operator" });
    const joining = ["first@example.com", "second@example.com"].map((email) =>
      acceptLink({ store, passwords }, token, { credentials: { email, password }, address }),
    );
    const outcomes = await Promise.allSettled(joining);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({ reason: { tag: "LinkInvalid" } });
  });

  test("a link that has expired joins nobody", async () => {
    const { token } = await createInvite(store, project, { role: "admin", actor: "operator" });
    await store.query("update link set expires_at = now() - interval '1 second' where used_at is null");
    await expect(joinByLink(store, token, owner)).rejects.toMatchObject({ tag: "LinkInvalid" });
  });

  test("a link for a smaller role takes nothing from an owner", async () => {
    const { token } = await createInvite(store, project, { role: "member", actor: "operator" });
    await joinByLink(store, token, owner);
    expect(await findMembership(store, owner, "team")).toMatchObject({ role: "owner" });
  });

  test("roles change and members leave; the audit log has both", async () => {
    const { id: account } = await join("leaving@example.com");
    const change = { project, account, actor: `account:${owner.id}` };
    await changeRole(store, { ...change, role: "admin" });
    expect(await listMembers(store, project)).toContainEqual(
      expect.objectContaining({ account, email: "leaving@example.com", role: "admin" }),
    );
    await removeMember(store, change);
    expect((await listMembers(store, project)).some((member) => member.account === account)).toBe(false);
    await expect(removeMember(store, change)).rejects.toMatchObject({ tag: "MemberNotFound" });
    const entries = await listAudit(store, project.id, { limit: 2 });
    expect(entries.map(({ action, target }) => [action, target])).toEqual([
      ["member.removed", account],
      ["member.changed", account],
    ]);
  });

  test("an owner who is removed, or becomes less, keeps no invitation to come back with", async () => {
    const { id: account } = await join("ousted@example.com");
    const change = { project, account, actor: "operator" };
    const invite = () => createInvite(store, project, { role: "owner", actor: `account:${account}` });
    for (const end of [() => changeRole(store, { ...change, role: "admin" }), () => removeMember(store, change)]) {
      await changeRole(store, { ...change, role: "owner" });
      const { token } = await invite();
      const byOperator = await createOwnerLink(store, project);
      await end();
      await expect(findLink(store, token)).rejects.toMatchObject({ tag: "LinkInvalid" });
      expect(await findLink(store, byOperator.token)).toMatchObject({ role: "owner" });
    }
    expect(await listAudit(store, project.id, { limit: 1 })).toMatchObject([
      { action: "member.removed", detail: { endedInvitations: expect.any(Number) } },
    ]);
    const { token } = await invite();
    await changeRole(store, { ...change, account: (await join("plain@example.com")).id, role: "admin" });
    expect(await findLink(store, token)).toMatchObject({ role: "owner" });
  });

  test("a project keeps at least one owner, also if two remove each other at once", async () => {
    const { id: second } = await join("second-owner@example.com");
    await changeRole(store, { project, account: second, actor: "operator", role: "owner" });
    const outcomes = await Promise.allSettled([
      removeMember(store, { project, account: second, actor: `account:${owner.id}` }),
      removeMember(store, { project, account: owner.id, actor: `account:${second}` }),
    ]);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const owners = (await listMembers(store, project)).filter(({ role }) => role === "owner");
    expect(owners).toHaveLength(1);
    const [last = { account: "" }] = owners;
    const demotion = changeRole(store, { project, account: last.account, actor: "operator", role: "member" });
    await expect(demotion).rejects.toMatchObject({ message: "a project keeps at least one owner" });
  });

  test("a project sees the addresses of its own members only, and no password", async () => {
    const other = await createProject(store, "other");
    const seen = await store.asProject(other.id, ({ query }) => query("select email from account"));
    expect(seen.rows).toEqual([]);
    expect((await store.asProject(other.id, ({ query }) => query("select * from member"))).rows).toEqual([]);
    const secret = store.asProject(project.id, ({ query }) => query("select password_hash from account"));
    await expect(secret).rejects.toMatchObject({ code: "42501" });
    const sessions = store.asProject(project.id, ({ query }) => query("select * from session"));
    await expect(sessions).rejects.toMatchObject({ code: "42501" });
  });
});
