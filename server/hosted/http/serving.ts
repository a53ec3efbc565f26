import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "../../transports/http/listen.ts";

/** A listening server. Disposing of it gives running calls two seconds. */
export interface Serving extends AsyncDisposable {
  url: string;
  /**
   * Takes calls for `noticeMs`, so that load balancers notice that `/readyz` fails, and closes the connection after each.
   * Then refuses connections, and waits until no call runs, for `graceMs` at most.
   * @returns how many calls still run
   */
  drain(options: { noticeMs: number; graceMs: number }): Promise<number>;
}

const receiveLimits = { headersTimeout: 15_000, requestTimeout: 60_000 };
/** How long cancelled calls may take to answer, before their connections are cut. */
const closeGraceMs = 2000;

/** Serves requests. @throws ServerFailed (the port is taken) */
export async function serve(answer: RequestListener, { host, port }: { host: string; port: number }): Promise<Serving> {
  const running = new Set<ServerResponse>();
  let onEnd = () => {};
  let isDraining = false;
  let closed: Promise<unknown> | undefined;
  const server = createServer(receiveLimits, (request, response) => {
    running.add(response);
    if (isDraining) closeAfter(response);
    response.once("close", () => {
      running.delete(response);
      onEnd();
    });
    answer(request, response);
  });

  /** Refuses connections, and waits until no call runs. */
  async function end(withinMs: number): Promise<void> {
    if (closed === undefined) {
      closed = once(server, "close");
      server.close();
    }
    server.closeIdleConnections();
    const ended = new AbortController();
    onEnd = () => running.size === 0 && ended.abort();
    onEnd();
    await sleep(withinMs, undefined, { signal: ended.signal }).catch(() => {});
  }

  const ownPort = await listen(server, { host, port });
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${ownPort}`,
    async drain({ noticeMs, graceMs }) {
      isDraining = true;
      for (const response of running) closeAfter(response);
      await sleep(noticeMs);
      await end(graceMs);
      return running.size;
    },
    async [Symbol.asyncDispose]() {
      await end(closeGraceMs);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The client, or its balancer, opens another connection, which may lead to another process. */
function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}
