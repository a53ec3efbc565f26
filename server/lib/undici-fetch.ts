import { createSecureContext, rootCertificates } from "node:tls";
import { EnvHttpProxyAgent, fetch as undiciFetch, type RequestInit } from "undici";
import type { Fetch, FetchSettings } from "./fetch.ts";

/** Creates undici's `fetch` with an agent for these settings. */
export function createUndiciFetch(settings: FetchSettings): Fetch {
  const agent = createAgent(settings);
  return async (input, init) => {
    const { body, headers, ...options } = init ?? {};
    // undici does not recognise Node's Request and FormData: unpack them with Node's own Request.
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
  const { connectTimeoutMs = idleTimeoutMs, lookup } = settings;
  const tls = {
    // Create the context once: parsing hundreds of certificates takes longer than connecting.
    ...(ca.length > 0 ? { secureContext: createSecureContext({ ca: [...rootCertificates, ...ca] }) } : {}),
    rejectUnauthorized: !trustsAnyCertificate,
    ...(connectTimeoutMs === undefined ? {} : { timeout: connectTimeoutMs }),
  };
  return new EnvHttpProxyAgent({
    // An empty string means no proxy; with undefined, undici would read the environment.
    httpsProxy: proxyUrl(settings.httpsProxy),
    httpProxy: proxyUrl(settings.httpProxy),
    noProxy: withLoopback(settings.noProxy ?? ""),
    // Do not tunnel plain HTTP: many proxies allow tunnels to port 443 only.
    proxyTunnel: false,
    headersTimeout: idleTimeoutMs ?? 0,
    bodyTimeout: idleTimeoutMs ?? 0,
    connect: { ...tls, ...(lookup === undefined ? {} : { lookup }) },
    requestTls: tls,
    proxyTls: tls,
  });
}

/** Accepts `proxy.example:8080` as an HTTP proxy, as curl does. */
function proxyUrl(text = ""): string {
  const trimmed = text.trim();
  return trimmed === "" || trimmed.includes("://") ? trimmed : `http://${trimmed}`;
}

function withLoopback(noProxy: string): string {
  return noProxy.trim() === "*" ? "*" : `${noProxy},localhost,127.0.0.1,[::1]`;
}
