import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { JWK } from "jose";
import type { Configuration, Provider } from "oidc-provider";
import { vi } from "vitest";

/** What the provider's user does on its pages. */
export type Interact = (request: IncomingMessage, response: ServerResponse, provider: Provider) => Promise<void>;

/** A real OpenID Connect provider on loopback. */
export interface ProviderServer extends AsyncDisposable {
  issuer: string;
  provider: Provider;
  /** What it signs with. */
  key: JWK;
}

/** Starts a provider that signs with ES256. */
export async function startProviderServer(configuration: Configuration, interact: Interact): Promise<ProviderServer> {
  // Silence warnings about temporary keys and storage.
  const muted = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { Provider } = await import("oidc-provider");
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const key = { ...signingKey(), kty: "EC", use: "sig", alg: "ES256", kid: "first" } as const;
  const provider = new Provider(issuer, {
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    jwks: { keys: [key] },
    cookies: { keys: ["a key of the test"] },
    ttl: { AccessToken: 3600, Grant: 3600, IdToken: 600, Interaction: 600, Session: 3600 },
    renderError: (ctx, out) => {
      ctx.body = JSON.stringify(out);
    },
    ...configuration,
  });
  // Made with the first request, so that a test can add middleware before.
  let callback: ReturnType<Provider["callback"]> | undefined;
  handle = (request, response) => {
    callback ??= provider.callback();
    const isInteraction = request.url?.startsWith("/interaction/") === true;
    const answered = isInteraction ? interact(request, response, provider) : callback(request, response);
    answered.catch((error: unknown) => response.writeHead(500).end(String(error)));
  };
  return {
    issuer,
    provider,
    key,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      muted.mockRestore();
    },
  };
}

function signingKey() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
}
