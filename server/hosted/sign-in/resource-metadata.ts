import { type RequestHandler, Router } from "express";
import type { CitewellError } from "../../errors.ts";
import { type AccessTokens, resourcePath } from "./access-tokens.ts";
import type { Issuer } from "./issuer.ts";

const wellKnown = "/.well-known/oauth-protected-resource";

/** Where clients find the provider: RFC 9728, for the endpoint and for the whole host. */
export function resourceMetadata(issuer: Issuer, tokens: AccessTokens): Router {
  const send: RequestHandler = async (_request, response) => {
    const server = await issuer.metadata();
    const scopes = await tokens.scopes();
    response.json({
      resource: issuer.publicUrl() + resourcePath,
      authorization_servers: [server.issuer],
      bearer_methods_supported: ["header"],
      resource_name: "Citewell",
      ...(scopes === undefined ? {} : { scopes_supported: scopes }),
    });
  };
  const router = Router();
  router.get([wellKnown, `${wellKnown}${resourcePath}`], send);
  return router;
}

/** The challenge of a 401: where the metadata is, and what is wrong with a token. */
export function challengeFor(issuer: Issuer | undefined, { tag }: CitewellError): string {
  if (issuer === undefined) return "Bearer";
  const place = `resource_metadata="${issuer.publicUrl()}${wellKnown}${resourcePath}"`;
  return tag === "TokenInvalid" ? `Bearer error="invalid_token", ${place}` : `Bearer ${place}`;
}
