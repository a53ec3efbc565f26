import { createSecureContext, rootCertificates } from "node:tls";
import { EnvHttpProxyAgent, fetch as undiciFetch, type RequestInit } from "undici";

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

/** A `fetch` for these settings: Node 20's own knows no proxy. Connections are opened with the first request. */
export function createFetch(settings: FetchSettings): Fetch {
  let agent: EnvHttpProxyAgent | undefined;
  return async (input, init) => {
    agent ??= createAgent(settings);
    const { body, headers, ...options } = init ?? {};
    // Node's own Request, FormData and Headers are strangers to undici: Node takes them apart.
    if (input instanceof Request || body instanceof FormData) {
      const request = new Request(input, init);
      return undiciFetch(request.url, { ...partsOf(request), dispatcher: agent });
    }
    const sent = body === undefined ? {} : { body };
    return undiciFetch(input, { ...options, ...sent, headers: [...new Headers(headers)], dispatcher: agent });
  };
}

function partsOf({ method, headers, body, redirect, signal }: Request): RequestInit {
  return { method, headers: [...headers], body, redirect, signal, duplex: "half" };
}

function createAgent(settings: FetchSettings): EnvHttpProxyAgent {
  const { ca = [], trustsAnyCertificate = false, idleTimeoutMs } = settings;
  const tls = {
    // Made once: reading hundreds of certificates takes longer than a connection does.
    ...(ca.length > 0 ? { secureContext: createSecureContext({ ca: [...rootCertificates, ...ca] }) } : {}),
    rejectUnauthorized: !trustsAnyCertificate,
    ...(idleTimeoutMs === undefined ? {} : { timeout: idleTimeoutMs }),
  };
  return new EnvHttpProxyAgent({
    // An empty text is "none"; without a text undici would look into the environment.
    httpsProxy: proxyUrl(settings.httpsProxy),
    httpProxy: proxyUrl(settings.httpProxy),
    noProxy: withLoopback(settings.noProxy ?? ""),
    // Plain HTTP goes to the proxy as it is: many allow a tunnel to port 443 only.
    proxyTunnel: false,
    headersTimeout: idleTimeoutMs ?? 0,
    bodyTimeout: idleTimeoutMs ?? 0,
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
  });
}

/** `proxy.example:8080`, as curl takes it too, is an HTTP proxy. */
function proxyUrl(text = ""): string {
  const trimmed = text.trim();
  return trimmed === "" || trimmed.includes("://") ? trimmed : `http://${trimmed}`;
}

function withLoopback(noProxy: string): string {
  return noProxy.trim() === "*" ? "*" : `${noProxy},localhost,127.0.0.1,[::1]`;
}
