import { untilAborted } from "../lib/abort.ts";
import { CitewellError } from "../errors.ts";
import type { Fetch } from "../lib/fetch.ts";
import type { Log } from "../lib/log.ts";
import type { ClientOf } from "./accounts.ts";
import type { Credentials, SignIn } from "./credentials.ts";
import type { Tokens } from "./oauth.ts";

/** Renews sign-ins, one renewal at a time per provider across all processes. */
export interface Sessions {
  /** Returns a `fetch` that adds the access token. It renews the token before expiry, and once after a 401. */
  signedIn(provider: string, clientOf: ClientOf): Fetch;
}

/** Dependencies of `createSessions`. */
export interface SessionsOptions {
  credentials: Credentials;
  /** The fetch for requests to the provider and its sign-in server. */
  fetch: Fetch;
  log: Log;
}

/** Creates sessions over a credential store. */
export function createSessions({ credentials, fetch, log }: SessionsOptions): Sessions {
  const renewals = new Map<string, Promise<string>>();

  async function renew(provider: string, clientOf: ClientOf, stale: string): Promise<string> {
    log.info("sign-in-renewal", { provider });
    const renewed = await credentials.update(
      provider,
      async (stored) => {
        const { credential } = stored;
        if (credential.type !== "oauth") throw ended(provider);
        // Another process (ours or opencode) has already renewed it.
        if (tokenOf(credential) !== stale) return credential;
        const client = clientOf(stored);
        if (client === undefined) throw ended(provider);
        const { renewTokens } = await import("./oauth.ts");
        return withTokens(credential, await renewTokens(client, credential.refresh, { fetch }));
      },
      { signal: undefined },
    );
    if (renewed?.type !== "oauth") throw ended(provider);
    return tokenOf(renewed);
  }

  /** Not cancelled with its caller: the old refresh token may be void before the new one is stored. */
  function renewOnce(provider: string, clientOf: ClientOf, stale: string): Promise<string> {
    const running = renewals.get(provider);
    if (running !== undefined) return running;
    const renewal = renew(provider, clientOf, stale).finally(() => renewals.delete(provider));
    renewals.set(provider, renewal);
    return renewal;
  }

  return {
    signedIn: (provider, clientOf) => async (input, init) => {
      const signal = init?.signal ?? undefined;
      const stored = (await credentials.get(provider))?.credential;
      if (stored?.type !== "oauth") throw ended(provider);
      const kept = tokenOf(stored);
      const token = isFresh(stored) ? kept : await untilAborted(renewOnce(provider, clientOf, kept), signal);
      const response = await fetch(input, withToken(init, token));
      if (response.status !== 401) return response;
      await response.body?.cancel();
      const renewed = await untilAborted(renewOnce(provider, clientOf, token), signal);
      const second = await fetch(input, withToken(init, renewed));
      if (second.status !== 401) return second;
      await second.body?.cancel();
      throw ended(provider);
    },
  };
}

/** Tokens in the format of `auth.json`. Like opencode, it repeats the access token if there is no refresh token. */
export function toSignIn({ access, refresh = access, expires }: Tokens, accountId: string | undefined): SignIn {
  return { type: "oauth", access, refresh, expires, ...(accountId === undefined ? {} : { accountId }) };
}

/** Renew this long before expiry, so that a token does not expire in transit. */
const marginMs = 60_000;

function isFresh({ expires }: SignIn): boolean {
  return expires === 0 || expires - Date.now() > marginMs;
}

function tokenOf({ access, refresh }: SignIn): string {
  return access === "" ? refresh : access;
}

function withTokens(credential: SignIn, { access, refresh, expires }: Tokens): SignIn {
  return { ...credential, access, refresh: refresh ?? credential.refresh, expires };
}

/** Removes the SDK's key headers, which hold a placeholder. */
function withToken(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers);
  for (const name of ["x-api-key", "x-goog-api-key"]) headers.delete(name);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}

function ended(provider: string): CitewellError {
  return new CitewellError("ProviderNotConnected", `the sign-in to ${provider} has ended`, {
    hint: `sign in again: citewell connect -p ${provider} (or opencode auth login, where you signed in with it)`,
  });
}
