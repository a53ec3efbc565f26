import { describe, expect, test } from "vitest";
import { silentLog } from "../../../../server/lib/log.ts";
import { createChannel } from "../../../../server/lib/channel.ts";
import { openStore } from "../../../../server/hosted/store/store.ts";
import { installedPostgres, startPostgres } from "../../../support/postgres.ts";

test("a database that cannot be reached is reported without its password", async () => {
  const opening = openStore({ url: "postgres://team:secret@127.0.0.1:1/none" }, { log: silentLog });
  await expect(opening).rejects.toMatchObject({
    tag: "StorageFailed",
    message: expect.not.stringContaining("secret"),
    hint: expect.stringContaining("--database"),
  });
});

describe.each(installedPostgres())("PostgreSQL in %s", (bin) => {
  test("after a crash of the server, queries and listeners recover by themselves", async () => {
    await using server = await startPostgres(bin);
    await using store = await openStore({ url: await server.createDatabase() }, { log: silentLog });
    const heard = createChannel<string>();
    await using _listening = await store.listen("greetings", (payload) => heard.push(payload));
    await server.crash();
    await expect(store.query("select 1")).rejects.toMatchObject({ tag: "DatabaseUnreachable" });
    await server.start();
    expect((await store.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    // The listener reconnects on its own time, so the message is repeated until it arrives.
    const sending = setInterval(() => void store.query("select pg_notify('greetings', 'back')"), 50);
    for await (const payload of heard) {
      expect(payload).toBe("back");
      break;
    }
    clearInterval(sending);
  });

  test("a transaction whose server crashes fails, and this process goes on", async () => {
    await using server = await startPostgres(bin);
    await using store = await openStore({ url: await server.createDatabase() }, { log: silentLog });
    const crashed = store.tx(async ({ query }) => {
      await query("select 1");
      await server.crash();
      return query("select 1");
    });
    await expect(crashed).rejects.toMatchObject({ tag: "DatabaseUnreachable" });
    await server.start();
    expect((await store.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  test("a user that may not take the role of projects is named, with what to do", async () => {
    await using server = await startPostgres(bin);
    const url = await server.createDatabase();
    await using owners = await openStore({ url }, { log: silentLog });
    await owners.exec(
      "create role plain login; grant all on schema public to plain; grant all on table migration to plain",
    );
    await using store = await openStore({ url: url.replace("citewell@", "plain@") }, { log: silentLog });
    const asked = store.asProject(crypto.randomUUID(), ({ query }) => query("select 1"));
    await expect(asked).rejects.toMatchObject({
      tag: "StorageFailed",
      message: expect.stringContaining('permission denied to set role "citewell_tenant"'),
      hint: expect.stringContaining("grant citewell_tenant"),
    });
  });

  test("more calls than connections wait for their turn", async () => {
    await using server = await startPostgres(bin);
    await using store = await openStore({ url: await server.createDatabase() }, { log: silentLog });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const calls = Array.from({ length: 15 }, () => store.tx(() => released));
    await expect.poll(() => store.connections?.()).toEqual({ busy: 10, idle: 0, waiting: 5 });
    release();
    await Promise.all(calls);
    expect(store.connections?.()).toMatchObject({ busy: 0, waiting: 0 });
  });
});
