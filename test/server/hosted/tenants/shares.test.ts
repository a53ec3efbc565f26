import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Reader, type Store } from "../../../../server/hosted/store/store.ts";
import { accountThreads } from "../../../../server/hosted/tenants/account-threads.ts";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { removeMember } from "../../../../server/hosted/tenants/members.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { changeAccess } from "../../../../server/hosted/tenants/resource-access.ts";
import { endShare, listShares, readShare, shareThread } from "../../../../server/hosted/tenants/shares.ts";
import { newThreadId } from "../../../../server/threads/threads.ts";
import { joinProject } from "../../../support/add-member.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";
import { threadTurn } from "../../../support/thread-turn.ts";

const actor = "operator";

describe.each(testEngines())("shared conversations on $name", (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine);
  });
  afterAll(() => store.close());

  /** A project with the resources `open` and `secret`, which is limited to `eve`; `bob` is a member, too. */
  async function team() {
    const { id } = await createProject(store, `p-${crypto.randomUUID().slice(0, 8)}`);
    const join = async () => (await joinProject(store, id, "member")).account;
    const [eve, bob] = [await join(), await join()];
    const add = (name: string) =>
      store.query("insert into resource (project, name, spec) values ($1, $2, '{}')", [id, name]);
    await add("open");
    await add("secret");
    await changeAccess(store, { id }, { resource: "secret", accounts: [eve], actor });
    const thread = newThreadId();
    let asked = 0;
    const ask = async (question: string, resources: string[]) => {
      const askedAt = new Date(Date.now() + asked).toISOString();
      const options = { files: [], isFirst: asked++ === 0 };
      const turn = threadTurn({ question, resources, askedAt });
      await accountThreads(store, { project: id, account: eve }).append(thread, turn, options);
      return askedAt;
    };
    const share = (askedAt?: string) => shareThread(store, { project: id, account: eve }, { thread, askedAt });
    const seenBy = async (account: string, shared: string) => {
      const reader: Reader = { kind: "account", id: account };
      const { title, shown } = await readShare(store, { project: id, share: shared, reader });
      return { title, shown: shown.map((turn) => turn?.question) };
    };
    return { id, eve, bob, add, ask, share, seenBy, thread };
  }

  test("a conversation is shared as it is now, and one answer alone; both keep their links", async () => {
    const { id, eve, bob, ask, share, seenBy, thread } = await team();
    await ask("one", ["open"]);
    const second = await ask("two", ["open"]);
    const [all, one] = [await share(), await share(second)];
    await ask("three", ["open"]);
    expect(await seenBy(bob, all)).toEqual({ title: "one", shown: ["one", "two"] });
    expect(await seenBy(bob, one)).toEqual({ title: "two", shown: ["two"] });
    expect(await share(second)).toBe(one);
    expect(await share()).not.toBe(all);
    const listed = await listShares(store, { project: id, account: eve }, thread);
    expect(listed.map(({ turns }) => turns)).toEqual([2, 1, 3]);
    const audit = (await listAudit(store, id)).filter(({ action }) => action === "share.created");
    expect(audit.map(({ detail }) => detail)).toEqual([
      { of: "a conversation" },
      { of: "an answer" },
      { of: "a conversation" },
    ]);
  });

  test("a reader does not see answers that may come from a resource of others, nor those that follow", async () => {
    const { id, eve, bob, ask, share, seenBy } = await team();
    await ask("one", ["open"]);
    await ask("two", ["secret"]);
    await ask("three", ["open"]);
    const all = await share();
    expect(await seenBy(eve, all)).toEqual({ title: "one", shown: ["one", "two", "three"] });
    expect(await seenBy(bob, all)).toEqual({ title: "one", shown: ["one", undefined, undefined] });
    await changeAccess(store, { id }, { resource: "secret", accounts: null, actor });
    expect((await seenBy(bob, all)).shown).toEqual(["one", "two", "three"]);
    await changeAccess(store, { id }, { resource: "open", accounts: [], actor });
    expect(await seenBy(bob, all)).toEqual({
      title: "A shared conversation",
      shown: [undefined, undefined, undefined],
    });
    expect(await seenBy(crypto.randomUUID(), all)).toMatchObject({ shown: [undefined, undefined, undefined] });
  });

  test("a resource that was removed, or is another one of the same name, shows nothing", async () => {
    const { id, eve, bob, add, ask, share, seenBy } = await team();
    await ask("one", ["secret"]);
    const all = await share();
    await store.query("delete from resource where project = $1 and name = 'secret'", [id]);
    expect([await seenBy(bob, all), await seenBy(eve, all)]).toMatchObject([
      { shown: [undefined] },
      { shown: [undefined] },
    ]);
    await add("secret");
    expect(await seenBy(bob, all)).toMatchObject({ shown: [undefined] });
  });

  test("an answer that a node of an earlier version stored is not shown", async () => {
    const { bob, ask, share, seenBy } = await team();
    await ask("one", ["open"]);
    const all = await share();
    await store.query("update thread_turn set resources = null");
    expect(await seenBy(bob, all)).toMatchObject({ shown: [undefined] });
  });

  test("only its account shares a conversation; it or an admin ends a share", async () => {
    const { id, eve, bob, ask, share, seenBy, thread } = await team();
    const askedAt = await ask("one", ["open"]);
    const missing = { tag: "ThreadNotFound" };
    const sharing = (account: string, what: object) =>
      shareThread(store, { project: id, account }, { thread, ...what });
    await expect(sharing(bob, {})).rejects.toMatchObject(missing);
    await expect(sharing(eve, { thread: newThreadId() })).rejects.toMatchObject(missing);
    await expect(sharing(eve, { askedAt: "2020-01-01T00:00:00.000Z" })).rejects.toMatchObject(missing);
    const [one, all] = [await share(askedAt), await share()];
    expect(one).toBe(all);
    for (const [share, account] of [
      [one, bob],
      [crypto.randomUUID(), eve],
      ["no-id", eve],
    ] as const) {
      await expect(endShare(store, { project: id, share, account, actor })).rejects.toMatchObject(missing);
    }
    expect((await seenBy(bob, one)).shown).toEqual(["one"]);
    await endShare(store, { project: id, share: one, account: eve, actor });
    await expect(seenBy(bob, one)).rejects.toMatchObject(missing);
    await expect(seenBy(bob, "no-id")).rejects.toMatchObject(missing);
    const again = await share();
    await endShare(store, { project: id, share: again, actor });
    expect((await listAudit(store, id)).slice(0, 2)).toMatchObject([
      { action: "share.ended" },
      { action: "share.created" },
    ]);
  });

  test("a share ends with its conversation, its answers, and the membership of its account", async () => {
    const { id, eve, bob, ask, share, seenBy, thread } = await team();
    await ask("one", ["open"]);
    const all = await share();
    await store.query("update thread set asked_at = now() - interval '31 days' where id = $1", [thread]);
    await expect(seenBy(bob, all)).rejects.toMatchObject({ tag: "ThreadNotFound" });
    await store.query("update thread set asked_at = now() where id = $1", [thread]);
    await store.query("delete from thread_turn where thread = $1", [thread]);
    await expect(seenBy(bob, all)).rejects.toMatchObject({ tag: "ThreadNotFound" });
    await ask("two", ["open"]);
    await share();
    await removeMember(store, { project: { id }, account: eve, actor });
    expect((await store.query("select from share where project = $1", [id])).count).toBe(0);
  });
});
