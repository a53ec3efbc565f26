export type Fetch = typeof globalThis.fetch;

/** How this machine reaches the network. Nothing is read from the environment. */
export interface FetchSettings {
  /** The proxies for `https:` and `http:` addresses; where only the latter is set it serves both. */
  httpsProxy?: string | undefined;
  httpProxy?: string | undefined;
  /** Hosts that need no proxy, separated by commas or spaces; `*` is all. Loopback never goes through one. */
  noProxy?: string | undefined;
  /** Certificates (PEM) that are trusted as well as the built-in ones. */
  ca?: readonly string[] | undefined;
  /** Without it certificates are checked, as they should be. */
  trustsAnyCertificate?: boolean | undefined;
  /** How long a host may take to connect, to answer, or between two pieces of an answer; else 10 s to connect only. */
  idleTimeoutMs?: number | undefined;
}

/**
 * A `fetch` for these settings: Node 20's own knows no proxy. The client, half a megabyte that most commands never need,
 * is loaded with the first request.
 */
export function createFetch(settings: FetchSettings): Fetch {
  let opened: Promise<Fetch> | undefined;
  return async (input, init) => {
    opened ??= import("./undici-fetch.ts").then(({ createUndiciFetch }) => createUndiciFetch(settings));
    return (await opened)(input, init);
  };
}
