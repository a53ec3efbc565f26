import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { CitewellError } from "../../server/errors.ts";
import { silentLog } from "../../server/lib/log.ts";
import { type Handlers, operationNames } from "../../server/protocol/operations.ts";
import { type HttpOptions, serveHttp } from "../../server/transports/http/http.ts";

/** The HTTP transport on a loopback port. */
export interface TestServer extends AsyncDisposable {
  port: number;
  /** Sends a request; a body is sent as JSON. */
  send(call: `${string} /${string}`, body?: unknown, init?: RequestInit): Promise<Response>;
  /** Sends raw bytes and returns the whole response. */
  sendRaw(...lines: string[]): Promise<string>;
  close(): Promise<void>;
}

/** Starts the real server with the test's handlers; other operations fail. */
export async function startHttp(
  handlers: Partial<Handlers> = {},
  options: Partial<Omit<HttpOptions, "app">> & { port?: number } = {},
): Promise<TestServer> {
  const app = { ...unansweredOperations(), ...handlers };
  const server = await serveHttp({ app, port: 0, version: "1.2.3", log: silentLog, ...options });
  const { port } = server;
  return {
    port,
    send(call, body, init = {}) {
      const [method = "", path = ""] = call.split(" ");
      const json =
        body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
      return fetch(`http://127.0.0.1:${port}${path}`, { method, ...json, ...init });
    },
    async sendRaw(...lines) {
      const socket = connect(port, "127.0.0.1");
      socket.write(`${lines.join("\r\n")}\r\n\r\n`);
      return readText(socket);
    },
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Handlers that always fail, to be overridden by a test. */
export function unansweredOperations(): Handlers {
  const handlers: Partial<Handlers> = Object.fromEntries(operationNames.map((name) => [name, unanswered]));
  if (isWhole(handlers)) return handlers;
  throw new RangeError("an operation without a handler");
}

function isWhole(handlers: Partial<Handlers>): handlers is Handlers {
  return operationNames.every((name) => handlers[name] !== undefined);
}

function unanswered(): never {
  throw new CitewellError("Internal", "the test does not answer this operation");
}
