import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";

/** Handles a request instead of the registry if it returns true. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** What every registry of packages on loopback has, whatever its format. */
export interface RegistryServer extends AsyncDisposable {
  /** `127.0.0.1:<port>` */
  host: string;
  /** Every request, in order. */
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** Requires this header from now on; other requests get 401. */
  requireAuthorization(header: string): void;
  intercept(intercept: Intercept): void;
  /** Stops the server; further connections are refused. */
  stop(): Promise<void>;
}

/** Starts a server that answers a request by its path. */
export async function startRegistryServer(
  answer: (path: string, response: ServerResponse, request: IncomingMessage) => void,
  { decode = decodeURIComponent }: { decode?: (path: string) => string } = {},
): Promise<RegistryServer> {
  const requests: RegistryServer["requests"] = [];
  let required: string | undefined;
  let intercept: Intercept | undefined;
  const server = createServer((request, response) => {
    const path = decode(request.url ?? "");
    requests.push({ path, headers: request.headers });
    if (intercept?.(request, response)) return;
    if (required !== undefined && request.headers.authorization !== required) return void response.writeHead(401).end();
    answer(path, response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const stop = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return {
    host: `127.0.0.1:${address.port}`,
    requests,
    requireAuthorization(header) {
      required = header;
    },
    intercept(handle) {
      intercept = handle;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
