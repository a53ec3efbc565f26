import type { Request } from "express";
import { type Caller, localCaller } from "../../caller.ts";
import { CitewellError } from "../../errors.ts";

/**
 * The user of this computer. A web page can neither rebind a name to 127.0.0.1 nor post from another site: only this
 * server's own addresses are accepted. Programs send no Origin.
 * @throws HostNotAllowed
 */
export function callerOnLoopback(request: Request): Caller {
  const own = ownAddresses(request.socket.localPort ?? 0);
  const [host, ...otherHosts] = request.headersDistinct["host"] ?? [];
  const { origin } = request.headers;
  if (host === undefined || otherHosts.length > 0 || !own.includes(host.toLowerCase())) throw notAllowed("Host", host);
  if (origin !== undefined && !own.some((address) => origin.toLowerCase() === `http://${address}`)) {
    throw notAllowed("Origin", origin);
  }
  return localCaller;
}

function ownAddresses(port: number): string[] {
  const names = ["127.0.0.1", "localhost", "[::1]"];
  return [...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])];
}

function notAllowed(header: string, value: string | undefined): CitewellError {
  const shown = value === undefined ? "missing" : JSON.stringify(value.slice(0, 100));
  return new CitewellError("HostNotAllowed", `the ${header} header is not this server's own: ${shown}`, {
    hint: "call it as http://127.0.0.1:<port>, from this computer and not from a page of another site",
  });
}
