import * as oauth from "oauth4webapi";
import { CitewellError, messageOf } from "../../errors.ts";
import type { Identity } from "../tenants/identities.ts";
import { type Issuer, unreachable } from "./issuer.ts";

/** What a browser keeps while its user is at the provider. */
export interface FlowSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

/** The path that the provider redirects to. */
export const callbackPath = "/sign-in/callback";

/** Starts a sign-in: the address of the provider's page, and what finishing it needs. @throws ServerUnreachable */
export async function startFlow(issuer: Issuer): Promise<{ url: string; secrets: FlowSecrets }> {
  const { authorization_endpoint: endpoint } = await issuer.metadata();
  if (endpoint === undefined) throw unreachable(issuer.host, new Error("its metadata has no authorization_endpoint"));
  const secrets: FlowSecrets = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
  const url = new URL(endpoint);
  const parameters = {
    client_id: issuer.settings.clientId,
    redirect_uri: issuer.publicUrl() + callbackPath,
    response_type: "code",
    scope: "openid email",
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, secrets };
}

/**
 * Finishes a sign-in with the parameters of the redirect: the code is exchanged, and the ID token checked.
 * @throws SignInFailed (refused by the person or the provider, an invalid answer), ServerFailed (this service is not
 * registered there), ServerUnreachable
 */
export async function finishFlow(
  issuer: Issuer,
  parameters: URLSearchParams,
  { state, nonce, verifier }: FlowSecrets,
): Promise<Identity> {
  const server = await issuer.metadata();
  const client: oauth.Client = { client_id: issuer.settings.clientId };
  try {
    const code = oauth.validateAuthResponse(server, client, parameters, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticationOf(issuer, server),
      code,
      issuer.publicUrl() + callbackPath,
      verifier,
      issuer.request(server.token_endpoint),
    );
    const granted = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    const claims = oauth.getValidatedIdTokenClaims(granted);
    if (claims === undefined) throw new RangeError("an answer without an ID token was accepted");
    const person = { issuer: claims.iss, subject: claims.sub };
    if (claims["email"] !== undefined || server.userinfo_endpoint === undefined) {
      return { ...person, ...emailOf(claims) };
    }
    // Many providers put only the subject in the ID token.
    const info = await oauth.processUserInfoResponse(
      server,
      client,
      claims.sub,
      await oauth.userInfoRequest(server, client, granted.access_token, issuer.request(server.userinfo_endpoint)),
    );
    return { ...person, ...emailOf(info) };
  } catch (error) {
    throw flowFailure(error, issuer);
  }
}

function authenticationOf({ settings: { clientSecret } }: Issuer, server: oauth.AuthorizationServer): oauth.ClientAuth {
  if (clientSecret === undefined) return oauth.None();
  // Basic is the default of OpenID Connect Discovery 1.0, 3.
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic")
    ? oauth.ClientSecretBasic(clientSecret)
    : oauth.ClientSecretPost(clientSecret);
}

function emailOf({ email, email_verified: isVerified }: Readonly<Record<string, unknown>>) {
  return { email: typeof email === "string" ? email : undefined, isEmailVerified: isVerified === true };
}

function flowFailure(error: unknown, { host }: Issuer): CitewellError {
  if (error instanceof oauth.WWWAuthenticateChallengeError) return notRegistered(host, error);
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    const { error: code, error_description: description = "" } = error;
    if (code === "invalid_client" || code === "unauthorized_client") return notRegistered(host, error);
    const detail = description === "" ? code : `${code}: ${description.slice(0, 300)}`;
    return new CitewellError("SignInFailed", `${host} refused the sign-in (${detail})`, { hint, cause: error });
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    return new CitewellError("SignInFailed", `the answer of ${host} is not valid: ${messageOf(error)}`, {
      hint,
      cause: error,
    });
  }
  if (error instanceof RangeError) throw error;
  return unreachable(host, error);
}

const hint = "start the sign-in again";

function notRegistered(host: string, cause: unknown): CitewellError {
  return new CitewellError("ServerFailed", `${host} does not accept the client id or the secret of this service`, {
    hint: "the operator checks --oidc-client-id and CITEWELL_OIDC_CLIENT_SECRET",
    cause,
  });
}
