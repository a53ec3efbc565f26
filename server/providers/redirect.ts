import { once } from "node:events";
import { createServer } from "node:http";
import { CitewellError, messageOf } from "../errors.ts";

/** The loopback server that the browser is redirected to after a sign-in. */
export interface Redirect extends AsyncDisposable {
  /** The redirect URI with the actual port. */
  uri: string;
  /** The parameters of the matching response. Never rejects. */
  answer: Promise<URLSearchParams>;
}

/**
 * Listens on loopback for the response with `state` and rejects other requests. Without a port in `redirectUri` it uses
 * any free one (RFC 8252, 7.3).
 * @throws ProviderFailed (the port is taken)
 */
export async function listenForRedirect(
  { provider, redirectUri = "http://127.0.0.1/callback" }: { provider: string; redirectUri?: string | undefined },
  { state }: { state: string },
): Promise<Redirect> {
  const uri = new URL(redirectUri);
  let accept: (answer: URLSearchParams) => void = () => {};
  const answer = new Promise<URLSearchParams>((resolve) => {
    accept = resolve;
  });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", uri);
    const [status, text] =
      request.method !== "GET" || url.pathname !== uri.pathname
        ? [404, "Not found."]
        : url.searchParams.get("state") !== state
          ? [400, "This response does not belong to the current sign-in. Start again."]
          : url.searchParams.has("error")
            ? [200, "You are not signed in. You can close this page."]
            : [200, "Citewell received the response. You can close this page."];
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(text, () => {
      if (status === 200) accept(url.searchParams);
    });
  });
  try {
    server.listen(Number(uri.port), "127.0.0.1");
    await once(server, "listening");
  } catch (cause) {
    const message = `cannot listen at ${uri.host} for the sign-in to ${provider}: ${messageOf(cause)}`;
    throw new CitewellError("ProviderFailed", message, { hint: "end the other sign-in that uses this port", cause });
  }
  const address = server.address();
  if (typeof address === "object" && address !== null) uri.port = String(address.port);
  return {
    uri: uri.href,
    answer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
