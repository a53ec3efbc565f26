import type { NextFunction, Request, Response } from "express";
import { CitewellError } from "../../errors.ts";

/**
 * Lets through only who addresses this server by its own name, and no page of another site: a web page can neither
 * rebind a name to 127.0.0.1 nor post from elsewhere. Programs send no Origin.
 * @throws HostNotAllowed
 */
export function checkAddress(request: Request, _response: Response, next: NextFunction): void {
  const own = ownAddresses(request.socket.localPort ?? 0);
  const [host, ...otherHosts] = request.headersDistinct["host"] ?? [];
  const { origin } = request.headers;
  if (host === undefined || otherHosts.length > 0 || !own.includes(host.toLowerCase())) throw notAllowed("Host", host);
  if (origin !== undefined && !own.some((address) => origin.toLowerCase() === `http://${address}`)) {
    throw notAllowed("Origin", origin);
  }
  next();
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
