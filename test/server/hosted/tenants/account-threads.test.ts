import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { accountThreads, deleteExpiredThreads } from "../../../../server/hosted/tenants/account-threads.ts";
import { createAccount } from "../../../../server/hosted/tenants/accounts.ts";
import { addMember, removeMember } from "../../../../server/hosted/tenants/members.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { endShare, shareThread } from "../../../../server/hosted/tenants/shares.ts";
import { newThreadId } from "../../../../server/threads/threads.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";
import { threadTurn } from "../../../support/thread-turn.ts";

const first = { files: [], isFirst: true };
const later = { files: [], isFirst: false };

describe.each(testEngines())("conversations of accounts on $name", (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine);
  });
  afterAll(() => store.close());

  /** A new member of a new project, or of one that exists. */
  async function member(given?: string) {
    const project = given ?? (await createProject(store, `p-${crypto.randomUUID().slice(0, 8)}`)).id;
    const account = await store.tx(async (queries) => {
      const email = `${crypto.randomUUID()}@example.com`;
      const { id } = await createAccount(queries, email, { hash: Buffer.from("h"), salt: Buffer.from("s") });
      await addMember(queries, project, { account: id, role: "member" });
      return id;
    });
    return { project, account, threads: accountThreads(store, { project, account }) };
  }

  /** A turn asked so many minutes ago. */
  const turn = (question: string, minutesAgo = 0, resources = ["demo"]) =>
    threadTurn({ question, resources, askedAt: new Date(Date.now() - minutesAgo * 60_000).toISOString() });

  test("turns are read as they were stored, also with characters that databases refuse", async () => {
    const { threads } = await member();
    const id = newThreadId();
    const turns = [turn("What is \0 and \ud800?", 2), turn("And then?", 1, ["lib", "demo"])];
    await threads.append(id, turns[0] ?? threadTurn(), first);
    await threads.append(id, turns[1] ?? threadTurn(), later);
    expect((await threads.read(id)).turns).toEqual(turns);
    expect(await threads.list()).toEqual([
      {
        id,
        title: expect.stringMatching(/^What is .+\?$/),
        createdAt: turns[0]?.askedAt,
        updatedAt: turns[1]?.askedAt,
        turnCount: 2,
        resources: ["demo", "lib"],
      },
    ]);
    await threads.append(id, turn("Rather this"), { ...later, replacesSince: turns[1]?.askedAt });
    expect((await threads.read(id)).turns.map(({ question }) => question)).toEqual([turns[0]?.question, "Rather this"]);
  });

  test("another account, an agent and another project can neither read, continue nor delete one", async () => {
    const { project, threads } = await member();
    const id = newThreadId();
    await threads.append(id, turn("Mine?"), first);
    const others = [
      (await member(project)).threads,
      (await member()).threads,
      accountThreads(store, { project, account: null }),
    ];
    for (const other of others) {
      expect(await other.list()).toEqual([]);
      await expect(other.read(id)).rejects.toMatchObject({ tag: "ThreadNotFound" });
      await expect(other.append(id, turn("Yours?"), later)).rejects.toMatchObject({ tag: "ThreadNotFound" });
      await expect(other.remove(id)).rejects.toMatchObject({ tag: "ThreadNotFound" });
    }
    await threads.remove(id);
    await expect(threads.read(id)).rejects.toMatchObject({ tag: "ThreadNotFound" });
  });

  test("one that has expired is not shown, and is deleted with its turns", async () => {
    const { project, threads } = await member();
    const [old, recent] = [newThreadId(), newThreadId()];
    await threads.append(old, turn("Old?", 31 * 24 * 60), first);
    await threads.append(recent, turn("New?", 29 * 24 * 60), first);
    expect((await threads.list()).map(({ id }) => id)).toEqual([recent]);
    await expect(threads.read(old)).rejects.toMatchObject({ tag: "ThreadNotFound" });
    await deleteExpiredThreads(store);
    const { rows } = await store.query("select distinct thread from thread_turn where project = $1", [project]);
    expect(rows).toEqual([{ thread: recent }]);
  });

  test("a removed member leaves none behind", async () => {
    const { project, account, threads } = await member();
    await threads.append(newThreadId(), turn("Mine?"), first);
    await removeMember(store, { project: { id: project }, account, actor: "operator" });
    const { count } = await store.query("select 1 from thread_turn where project = $1", [project]);
    expect(count).toBe(0);
    await expect(threads.append(newThreadId(), turn("Again?"), first)).rejects.toThrow("foreign key");
  });

  test("a conversation that is shared is kept, however many are asked after it", async () => {
    const { project, account, threads } = await member();
    const id = newThreadId();
    await threads.append(id, turn("shared", 90), first);
    const share = await shareThread(store, { project, account }, { thread: id });
    for (let index = 0; index <= 50; index++) await threads.append(newThreadId(), turn(`${index}`, 60 - index), first);
    expect((await threads.list()).at(-1)?.title).toBe("shared");
    await endShare(store, { project, share, account, actor: "operator" });
    await threads.append(newThreadId(), turn("next"), first);
    expect((await threads.list()).length).toBe(50);
  });

  test("the newest 50 conversations and 100 turns are kept", async () => {
    const { threads } = await member();
    for (let index = 0; index <= 50; index++) await threads.append(newThreadId(), turn(`${index}`, 60 - index), first);
    const listed = await threads.list();
    expect([listed.length, listed[0]?.title, listed.at(-1)?.title]).toEqual([50, "50", "1"]);
    const [{ id } = { id: "" }] = listed;
    for (let index = 1; index <= 100; index++) await threads.append(id, turn(`turn ${index}`), later);
    const { turns } = await threads.read(id);
    expect([turns.length, turns[0]?.question]).toEqual([100, "turn 1"]);
  });
});
