import { setTimeout as sleep } from "node:timers/promises";
import * as oauth from "oauth4webapi";
import { untilAborted } from "../lib/abort.ts";
import type { Fetch } from "../lib/fetch.ts";
import { isLoopback } from "../lib/loopback.ts";
import type { OAuthOptions } from "../protocol/config.ts";
import { oauthFailure } from "./oauth-failure.ts";
import { listenForRedirect } from "./redirect.ts";

/** A complete OAuth client: the built-in definition, overridden by the global configuration. */
export interface OAuthClient extends OAuthOptions {
  /** The provider's id, for messages. */
  provider: string;
  clientId: string;
  clientSecret?: string | undefined;
  parameters?: Readonly<Record<string, string>> | undefined;
}

/** The tokens of a sign-in. */
export interface Tokens {
  access: string;
  /** Undefined if the server returns none; an earlier one stays valid. */
  refresh: string | undefined;
  /** Milliseconds since the epoch; 0 is never. */
  expires: number;
  /** The claims of the ID token, if there is one. */
  claims: Readonly<Record<string, unknown>>;
}

/** The user's part in a sign-in. */
export interface Interaction {
  /** Opens a page in the browser. */
  openUrl(url: string): Promise<void> | void;
  /** Shows a device code and the page to enter it; `url` may already contain it. */
  showDeviceCode(shown: { url: string; code: string }): Promise<void> | void;
  /** Offers another program's sign-in command. Without it, a sign-in needs an OAuth client. */
  offerCommand?(command: readonly string[]): Promise<void> | void;
}

/** Dependencies and limits of a sign-in. */
export interface SignInOptions {
  interaction: Interaction;
  fetch: Fetch;
  /** Time limit for the user. */
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Signs in with the browser: an authorization code with PKCE (RFC 7636), redirected to a server on loopback (RFC 8252).
 * A response to another request is rejected, and the wait continues.
 * @throws ProviderRefused, ProviderTimeout, ProviderFailed; an abort of `signal` as its reason
 */
export function signInWithBrowser(client: OAuthClient, options: SignInOptions): Promise<Tokens> {
  return attempt(client, options, async ({ server, signal, request }) => {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    await using redirect = await listenForRedirect(client, { state });
    const url = new URL(server.authorization_endpoint ?? missing(client, "authorizationEndpoint"));
    const parameters = {
      ...client.parameters,
      client_id: client.clientId,
      redirect_uri: redirect.uri,
      response_type: "code",
      scope: (client.scopes ?? []).join(" "),
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    await options.interaction.openUrl(url.href);
    const answer = await untilAborted(redirect.answer, signal);
    const code = oauth.validateAuthResponse(server, toClient(client), answer, state);
    const authentication = authenticationOf(client);
    const granted = await oauth.authorizationCodeGrantRequest(
      server,
      toClient(client),
      authentication,
      code,
      redirect.uri,
      verifier,
      request(server.token_endpoint),
    );
    return toTokens(await oauth.processAuthorizationCodeResponse(server, toClient(client), granted));
  });
}

/**
 * Signs in with a code that the user enters on any device (RFC 8628).
 * @throws ProviderRefused, ProviderTimeout, ProviderFailed; an abort of `signal` as its reason
 */
export function signInWithDevice(client: OAuthClient, options: SignInOptions): Promise<Tokens> {
  return attempt(client, options, async ({ server, signal, request }) => {
    const endpoint = server.device_authorization_endpoint ?? missing(client, "deviceAuthorizationEndpoint");
    const scope = { ...client.parameters, scope: (client.scopes ?? []).join(" ") };
    const started = await oauth.deviceAuthorizationRequest(
      server,
      toClient(client),
      authenticationOf(client),
      scope,
      request(endpoint),
    );
    const device = await oauth.processDeviceAuthorizationResponse(server, toClient(client), started);
    const url = device.verification_uri_complete ?? device.verification_uri;
    await options.interaction.showDeviceCode({ url, code: device.user_code });
    let intervalSeconds = device.interval ?? 5;
    while (true) {
      await sleep(intervalSeconds * 1000, undefined, { signal });
      const polled = await oauth.deviceCodeGrantRequest(
        server,
        toClient(client),
        authenticationOf(client),
        device.device_code,
        request(server.token_endpoint),
      );
      try {
        return toTokens(await oauth.processDeviceCodeResponse(server, toClient(client), polled));
      } catch (error) {
        const code = error instanceof oauth.ResponseBodyError ? error.error : undefined;
        if (code === "slow_down") intervalSeconds += 5;
        else if (code !== "authorization_pending") throw error;
      }
    }
  });
}

/**
 * Exchanges a refresh token for new tokens. Not cancellable: the server may already have replaced the refresh token.
 * @throws ProviderNotConnected (the provider ended the sign-in), ProviderTimeout, ProviderFailed
 */
export function renewTokens(client: OAuthClient, refreshToken: string, { fetch }: { fetch: Fetch }): Promise<Tokens> {
  const signal = new AbortController().signal;
  return attempt(client, { fetch, signal, timeoutMs: requestTimeoutMs }, async ({ server, request }) => {
    const authentication = authenticationOf(client);
    const options = request(server.token_endpoint);
    const granted = await oauth.refreshTokenGrantRequest(
      server,
      toClient(client),
      authentication,
      refreshToken,
      options,
    );
    return toTokens(await oauth.processRefreshTokenResponse(server, toClient(client), granted));
  });
}

/** The timeout of each request to the sign-in server. */
const requestTimeoutMs = 15_000;

interface Attempt {
  server: oauth.AuthorizationServer;
  signal: AbortSignal;
  request: (endpoint: string | undefined) => RequestOptions;
}

async function attempt(
  client: OAuthClient,
  { fetch, timeoutMs, signal }: Pick<SignInOptions, "fetch" | "timeoutMs" | "signal">,
  flow: (attempt: Attempt) => Promise<Tokens>,
): Promise<Tokens> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const both = AbortSignal.any([signal, timeout]);
  const request = (endpoint: string | undefined) => requestOptions(endpoint, { fetch, signal: both });
  try {
    return await flow({ server: await findServer(client, request), signal: both, request });
  } catch (error) {
    signal.throwIfAborted();
    throw oauthFailure(error, { provider: client.provider, timedOutMs: timeout.aborted ? timeoutMs : undefined });
  }
}

async function findServer(client: OAuthClient, request: Attempt["request"]): Promise<oauth.AuthorizationServer> {
  const { authorizationEndpoint, tokenEndpoint, deviceAuthorizationEndpoint } = client;
  const issuer = client.issuer ?? (tokenEndpoint === undefined ? undefined : new URL(tokenEndpoint).origin);
  const given = {
    ...(authorizationEndpoint === undefined ? {} : { authorization_endpoint: authorizationEndpoint }),
    ...(tokenEndpoint === undefined ? {} : { token_endpoint: tokenEndpoint }),
    ...(deviceAuthorizationEndpoint === undefined
      ? {}
      : { device_authorization_endpoint: deviceAuthorizationEndpoint }),
  };
  if (issuer === undefined) return missing(client, "issuer");
  if (tokenEndpoint !== undefined) return { issuer, ...given };
  const response = await oauth.discoveryRequest(new URL(issuer), request(issuer));
  return { ...(await oauth.processDiscoveryResponse(new URL(issuer), response)), ...given };
}

interface RequestOptions {
  [oauth.customFetch]: (
    url: string,
    options: oauth.CustomFetchOptions<string, URLSearchParams | undefined>,
  ) => Promise<Response>;
  [oauth.allowInsecureRequests]: boolean;
  signal: AbortSignal;
}

function requestOptions(
  endpoint: string | undefined,
  { fetch, signal }: { fetch: Fetch; signal: AbortSignal },
): RequestOptions {
  return {
    // Send secrets unencrypted only to loopback.
    [oauth.allowInsecureRequests]: endpoint !== undefined && isLoopback(endpoint),
    async [oauth.customFetch](url, { body, headers, method, redirect }) {
      const each = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
      const request = { body: body ?? null, headers, method, redirect, signal: each };
      return withErrorStatus(await fetch(url, request));
    },
    signal,
  };
}

/** GitHub returns errors with status 200, contrary to RFC 6749, 5.2, and the library misses them. */
async function withErrorStatus(response: Response): Promise<Response> {
  if (response.status !== 200) return response;
  const text = await response.text();
  const status = /^\s*\{\s*"error"\s*:/.test(text) ? 400 : 200;
  return new Response(text, { status, headers: [...response.headers] });
}

function toClient({ clientId }: OAuthClient): oauth.Client {
  return { client_id: clientId };
}

function authenticationOf({ clientSecret }: OAuthClient): oauth.ClientAuth {
  return clientSecret === undefined ? oauth.None() : oauth.ClientSecretPost(clientSecret);
}

function toTokens(response: oauth.TokenEndpointResponse): Tokens {
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = response;
  const expires = seconds === undefined ? 0 : Date.now() + seconds * 1000;
  return { access, refresh, expires, claims: oauth.getValidatedIdTokenClaims(response) ?? {} };
}

function missing({ provider }: OAuthClient, field: string): never {
  throw oauthFailure(new Error(`providerOptions.${provider}.oauth has no ${field}`), { provider });
}
