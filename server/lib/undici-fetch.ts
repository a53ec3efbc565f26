import { createSecureContext, rootCertificates } from "node:tls";
import { EnvHttpProxyAgent, fetch as undiciFetch, type RequestInit } from "undici";
import type { Fetch, FetchSettings } from "./fetch.ts";

/** undici's `fetch` with an agent of these settings. */
export function createUndiciFetch(settings: FetchSettings): Fetch {
  const agent = createAgent(settings);
  return async (input, init) => {
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
