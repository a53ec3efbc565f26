import * as oauth from "oauth4webapi";
import { CitewellError, connectionFaultOf } from "../../errors.ts";
import type { Fetch } from "../../lib/fetch.ts";
import { isLoopback } from "../../lib/loopback.ts";

/** The team's OpenID Connect provider, and who may sign in with it. */
export interface OidcSettings {
  /** A URL: https, or http on this computer. */
  issuer: string;
  clientId: string;
  /** Without one, the service is a public client. */
  clientSecret?: string | undefined;
  /** Whose verified addresses are trusted: people of these domains join `project` at their first sign-in. */
  domains: readonly string[];
  /** A project's name; without it, the only project. */
  project?: string | undefined;
}

/** The provider as the pages and the endpoint use it. */
export interface Issuer {
  settings: OidcSettings;
  /** What people are shown. */
  host: string;
  /** The origin at which people and clients reach this service: `https://citewell.example`. */
  publicUrl(): string;
  /** The provider's metadata, fetched once; after a failure, with the next call. @throws ServerUnreachable */
  metadata(): Promise<oauth.AuthorizationServer>;
  /** Options of a request to one of its endpoints. */
  request(endpoint: string | undefined): IssuerRequest;
  fetch: Fetch;
}

/** Options of oauth4webapi's requests. */
export interface IssuerRequest {
  [oauth.customFetch]: (
    url: string,
    options: oauth.CustomFetchOptions<string, URLSearchParams | undefined>,
  ) => Promise<Response>;
  [oauth.allowInsecureRequests]: boolean;
}

/** The time limit of each request to the provider. */
export const issuerTimeoutMs = 10_000;

/** @param options.fetch with the proxies and certificates of this process */
export function createIssuer(
  settings: OidcSettings,
  { fetch, publicUrl }: { fetch: Fetch; publicUrl: () => string },
): Issuer {
  const address = new URL(settings.issuer);
  const request = (endpoint: string | undefined): IssuerRequest => ({
    // Secrets are sent unencrypted to this computer only.
    [oauth.allowInsecureRequests]: endpoint !== undefined && isLoopback(endpoint),
    [oauth.customFetch]: (url, { body, headers, method, redirect }) => {
      const signal = AbortSignal.timeout(issuerTimeoutMs);
      const init = { body: body ?? null, headers, method, redirect, signal };
      return fetch(url, init);
    },
  });
  async function discover(): Promise<oauth.AuthorizationServer> {
    try {
      return await oauth.processDiscoveryResponse(
        address,
        await oauth.discoveryRequest(address, request(settings.issuer)),
      );
    } catch (error) {
      throw unreachable(address.host, error);
    }
  }
  let known: Promise<oauth.AuthorizationServer> | undefined;
  return {
    settings,
    host: address.host,
    publicUrl,
    async metadata() {
      known ??= discover();
      try {
        return await known;
      } catch (error) {
        known = undefined;
        throw error;
      }
    },
    request,
    fetch,
  };
}

/** The provider did not answer, or not as a provider does. */
export function unreachable(host: string, cause: unknown): CitewellError {
  const why = connectionFaultOf((cause instanceof Error ? cause.cause : undefined) ?? cause).slice(0, 300);
  return new CitewellError("ServerUnreachable", `the sign-in provider ${host} cannot be used: ${why}`, {
    hint: "try again; if the problem persists, the operator can check --oidc-issuer, the proxy and the certificates",
    cause,
  });
}
