import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from "jose";
import { CitewellError } from "../../errors.ts";
import { isLoopback } from "../../lib/loopback.ts";
import { KeyScope } from "../../protocol/api-keys.ts";
import { type Issuer, issuerTimeoutMs, unreachable } from "./issuer.ts";

/** The path of the endpoint, which access tokens are issued for. */
export const resourcePath = "/api/mcp";

/** Who an access token was issued to. */
export interface TokenHolder {
  issuer: string;
  subject: string;
  /** The id of the client that got the token; undefined if the token does not name it. */
  client: string | undefined;
  /** What the token allows; undefined if the provider has no scopes of ours, so that the role decides. */
  scopes: KeyScope[] | undefined;
}

/** Checks access tokens (JWT) of the team's provider. */
export interface AccessTokens {
  /** @throws TokenInvalid, ServerUnreachable (the provider's keys cannot be fetched) */
  verify(token: string): Promise<TokenHolder>;
  /** The scopes that clients should request; undefined if the provider has none of ours. @throws ServerUnreachable */
  scopes(): Promise<string[] | undefined>;
}

/** What the scopes are called at the provider. */
const scopePrefix = "citewell:";
/** Signatures with a private key only: every client could make one with a shared secret. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** A token that is signed with an unknown key makes us fetch the keys, at most this often. */
const keysCooldownMs = 30_000;
const keysAgeMs = 10 * 60_000;
const clockToleranceSeconds = 10;
/** Client id metadata documents are named by their URL. */
const clientLength = 500;

/** Keeps the provider's keys: they are fetched with the first token. */
export function createAccessTokens(issuer: Issuer): AccessTokens {
  let keys: { uri: string; get: ReturnType<typeof createRemoteJWKSet> } | undefined;
  function keysAt(uri: string) {
    if (keys?.uri !== uri) {
      const get = createRemoteJWKSet(new URL(uri), {
        cooldownDuration: keysCooldownMs,
        cacheMaxAge: keysAgeMs,
        timeoutDuration: issuerTimeoutMs,
        [customFetch]: (url, init) => issuer.fetch(url, init),
      });
      keys = { uri, get };
    }
    return keys.get;
  }
  async function ownScopes(): Promise<string[] | undefined> {
    const { scopes_supported: all = [] } = await issuer.metadata();
    const own = all.filter((scope) => readScopes(scope).length > 0);
    return own.length === 0 ? undefined : own;
  }
  return {
    async verify(token) {
      const { issuer: name, jwks_uri: uri } = await issuer.metadata();
      if (uri === undefined || !(uri.startsWith("https:") || isLoopback(uri))) {
        throw unreachable(issuer.host, new Error("its metadata has no jwks_uri with https"));
      }
      const claims = await check(token, {
        getKey: keysAt(uri),
        issuer: name,
        audience: issuer.publicUrl() + resourcePath,
        host: issuer.host,
      });
      const { sub: subject } = claims;
      if (subject === undefined) throw invalidToken("it has no subject");
      const granted = scopesIn(claims);
      const isLimited = granted.length > 0 || (await ownScopes()) !== undefined;
      return { issuer: name, subject, client: clientIn(claims), scopes: isLimited ? granted : undefined };
    },
    scopes: ownScopes,
  };
}

async function check(
  token: string,
  {
    getKey,
    issuer,
    audience,
    host,
  }: { getKey: ReturnType<typeof createRemoteJWKSet>; issuer: string; audience: string; host: string },
): Promise<JWTPayload> {
  const required = { issuer, audience, algorithms, requiredClaims: ["exp", "sub"] };
  try {
    return (await jwtVerify(token, getKey, { ...required, clockTolerance: clockToleranceSeconds })).payload;
  } catch (error) {
    // What the key set itself causes: no answer, an error status, no key set.
    const isOfToken = error instanceof errors.JOSEError && !keySetFaults.has(error.code);
    throw isOfToken ? invalidToken(describe(error, required), error) : unreachable(host, error);
  }
}

const keySetFaults: ReadonlySet<string> = new Set([
  errors.JOSEError.code,
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
]);

function describe(error: Error, { issuer, audience }: { issuer: string; audience: string }): string {
  if (error instanceof errors.JWTExpired) return "it has expired";
  if (!(error instanceof errors.JWTClaimValidationFailed)) return error.message;
  if (error.claim === "aud") return `it was not issued for ${audience}`;
  return error.claim === "iss" ? `it was not issued by ${issuer}` : `its claim ${error.claim} is wrong`;
}

/** `scope` of RFC 9068; Microsoft and Okta use `scp`, as text or as a list. */
function scopesIn({ scope, scp }: JWTPayload): KeyScope[] {
  return readScopes(
    [scope, scp]
      .flat()
      .filter((value) => typeof value === "string")
      .join(" "),
  );
}

/** `client_id` of RFC 9068; Keycloak, Auth0 and Microsoft use `azp`, and Microsoft used `appid` before. */
function clientIn({ client_id: clientId, azp, appid }: JWTPayload): string | undefined {
  const client = [clientId, azp, appid].find((value) => typeof value === "string");
  return client?.slice(0, clientLength);
}

function readScopes(text: string): KeyScope[] {
  const named = text.split(" ").filter((scope) => scope.startsWith(scopePrefix));
  return KeyScope.options.filter((scope) => named.includes(scopePrefix + scope));
}

function invalidToken(why: string, cause?: unknown): CitewellError {
  return new CitewellError("TokenInvalid", `the access token is not valid: ${why}`, {
    hint: "sign in again",
    cause,
  });
}
