import type { LookupFunction } from "node:net";

/** The standard `fetch`. */
export type Fetch = typeof globalThis.fetch;

/** Network settings. The environment is not read. */
export interface FetchSettings {
  /** Proxies for `https:` and `http:` URLs; `httpProxy` alone serves both. */
  httpsProxy?: string | undefined;
  httpProxy?: string | undefined;
  /** Hosts without a proxy, separated by commas or spaces; `*` matches all. Loopback never uses a proxy. */
  noProxy?: string | undefined;
  /** Certificates (PEM) trusted in addition to the built-in ones. */
  ca?: readonly string[] | undefined;
  /** Disables certificate checks. Default: false. */
  trustsAnyCertificate?: boolean | undefined;
  /** The timeout to connect, to respond, and between two chunks. Default: 10 s to connect, else none. */
  idleTimeoutMs?: number | undefined;
  /** Resolves the names of hosts that are reached without a proxy. Default: the system. */
  lookup?: LookupFunction | undefined;
  /** The timeout to connect, if it differs from the default. */
  connectTimeoutMs?: number | undefined;
}

/**
 * Creates a `fetch` with these settings, because Node 20's has no proxy support. The client is half a megabyte that most
 * commands never need, so it is loaded on the first request.
 */
export function createFetch(settings: FetchSettings): Fetch {
  let opened: Promise<Fetch> | undefined;
  return async (input, init) => {
    opened ??= import("./undici-fetch.ts").then(({ createUndiciFetch }) => createUndiciFetch(settings));
    return (await opened)(input, init);
  };
}
