import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";

/** Receives notifications; see `Engine.listen`. */
export interface Listener {
  listen(channel: string, onMessage: (payload: string) => void): Promise<AsyncDisposable>;
  close(): Promise<void>;
}

const reconnectMs = 1000;

/** Listens on one connection of its own, opened with the first channel and opened again after it is lost. */
export function createListener({ connect, log }: { connect: () => Promise<Client>; log: Log }): Listener {
  const handlers = new Map<string, Set<(payload: string) => void>>();
  const closing = new AbortController();
  let connection: Promise<Client> | undefined;

  async function open(): Promise<Client> {
    const client = await connect();
    client.on("notification", ({ channel, payload = "" }) => {
      for (const onMessage of handlers.get(channel) ?? []) onMessage(payload);
    });
    client.on("error", (error) => log.warn("database-listener-lost", { error: error.message }));
    client.once("end", () => void reconnect());
    for (const channel of handlers.keys()) await client.query(`listen ${channel}`);
    return client;
  }

  async function openFirst(): Promise<Client> {
    try {
      return await open();
    } catch (error) {
      connection = undefined;
      throw error;
    }
  }

  async function reconnect(): Promise<void> {
    while (!closing.signal.aborted) {
      connection = open();
      try {
        await connection;
        return;
      } catch (error) {
        log.warn("database-listener-lost", { error: messageOf(error) });
      }
      await sleep(reconnectMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    }
  }

  return {
    async listen(channel, onMessage) {
      if (!/^[a-z_]+$/.test(channel)) throw new RangeError(`not a channel name: ${channel}`);
      const ofChannel = handlers.get(channel) ?? new Set();
      handlers.set(channel, ofChannel.add(onMessage));
      const client = await (connection ??= openFirst());
      await client.query(`listen ${channel}`);
      return {
        async [Symbol.asyncDispose]() {
          ofChannel.delete(onMessage);
        },
      };
    },
    async close() {
      closing.abort();
      const client = await connection?.catch(() => undefined);
      await client?.end();
    },
  };
}
