import type { NextFunction, Request, Response } from "express";
import { CitewellError } from "../../errors.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { fieldsOf } from "./forms.ts";

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "img-src 'self'",
].join("; ");

/** The headers of every page, beside those of every response. */
export function setPageHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.set({ "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer" });
  next();
}

/**
 * Refuses what a page of another site, or of another port of this one, sends. Browsers send `Sec-Fetch-Site` over https
 * and to this computer; older ones send `Origin`.
 * @throws OperationNotAllowed
 */
export function requireSameOrigin(request: Request, _response: Response, next: NextFunction): void {
  const site = request.get("sec-fetch-site");
  const isOwn = site === undefined ? request.get("origin") === originOf(request) : site === "same-origin";
  if (isOwn || request.method === "GET" || request.method === "HEAD") next();
  else {
    throw new CitewellError("OperationNotAllowed", "this form was not sent by a page of this service", {
      hint: isSecure(request) ? "open the page here and send it again" : insecureHint,
    });
  }
}

/** Refuses NUL characters, which PostgreSQL cannot store or compare. @throws InvalidRequest */
export function refuseNul(request: Request, _response: Response, next: NextFunction): void {
  if (request.url.includes("%00")) throw new CitewellError("InvalidRequest", "the address contains a NUL character");
  for (const [name, value] of Object.entries(fieldsOf(request))) {
    if ([value].flat().some((text) => text.includes("\0"))) {
      throw new CitewellError("InvalidRequest", `the field ${quoteValue(name)} contains a NUL character`);
    }
  }
  next();
}

/** The scheme, host and port that the client used. A proxy's headers apply only if it is trusted. */
export function originOf({ protocol, host }: Pick<Request, "protocol" | "host">): string {
  return `${protocol}://${host}`;
}

/**
 * Whether browsers keep the session's cookie, and say which site a form comes from: over https, and on this computer.
 */
export function isSecure({ protocol, hostname }: Request): boolean {
  return protocol === "https" || hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** What to do where a page is open over http from another computer. */
export const insecureHint =
  "browsers do not store sign-ins over http: open this service over https (docs/hosted.md), or on its own computer as localhost";
