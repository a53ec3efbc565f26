import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { type HostedOptions, startHosted } from "../../../server/hosted/hosted.ts";
import { openStore, type Store } from "../../../server/hosted/store/store.ts";
import { silentLog } from "../../../server/lib/log.ts";
import { listen } from "../../../server/transports/http/listen.ts";
import { serviceSettings } from "../../support/hosted.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { testEngines } from "../../support/stores.ts";

/** A store that counts its listeners. */
function countListeners(store: Store) {
  let opened = 0;
  let open = 0;
  const counting: Store = {
    ...store,
    async listen(channel, onMessage) {
      const listening = await store.listen(channel, onMessage);
      opened += 1;
      open += 1;
      return {
        async [Symbol.asyncDispose]() {
          open -= 1;
          await listening[Symbol.asyncDispose]();
        },
      };
    },
  };
  return { store: counting, opened: () => opened, open: () => open };
}

const listeningServers = () => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;

describe.each(testEngines())("a service that does not start on $name leaves nothing open", (engine) => {
  /** Starts over a taken port, and then once more with the settings that work. */
  async function check(settings: (takenPort: number) => Partial<HostedOptions>, error: string) {
    await using folder = await temporaryFolder();
    await using database = await openStore(await engine.createDatabase(), { log: silentLog });
    const { store, opened, open } = countListeners(database);
    await using taken = await takePort();
    const before = listeningServers();
    const working = await serviceSettings(store, folder);
    await expect(startHosted({ ...working, ...settings(taken.port) })).rejects.toThrow(error);
    expect(opened()).toBeGreaterThan(0);
    expect(open()).toBe(0);
    await expect.poll(listeningServers).toBe(before);
    expect((await store.query("select url from node")).rows).toEqual([]);
    await using started = await startHosted(working);
    expect((await fetch(new URL("/readyz", started.url))).status).toBe(200);
  }

  test("because its port is taken", () => check((port) => ({ port, metrics: anyPort }), "address already in use"));
  test("because the port of its metrics is taken", () =>
    check((port) => ({ metrics: { host: "127.0.0.1", port } }), "address already in use"));
  test("because a worker's port is taken", () =>
    check((port) => ({ role: "worker", port, metrics: anyPort }), "address already in use"));
  test("because the address of the mail server is none", () =>
    check(() => ({ mail: { url: "mail.example.com", from: "citewell@example.com" } }), "Invalid URL"));
  test("because its own address is none", () => check(() => ({ nodeUrl: "here" }), "Invalid URL"));
});

const anyPort = { host: "127.0.0.1", port: 0 };

async function takePort(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer();
  const port = await listen(server, anyPort);
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}
