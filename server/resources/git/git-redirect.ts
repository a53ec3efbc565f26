import { readFile } from "node:fs/promises";
import type { LookupFunction } from "node:net";
import { rootCertificates } from "node:tls";
import { Agent, type Dispatcher, fetch, ProxyAgent } from "undici";
import { CitewellError, connectionFaultOf } from "../../errors.ts";
import { gitUrlFault } from "../../protocol/kinds/git-url.ts";
import type { GitSetting } from "./git-environment.ts";
import type { Way } from "./git-routes.ts";

/** Git's first request, relative to the repository's URL: https://git-scm.com/docs/http-protocol */
const firstRequest = "/info/refs";

/**
 * Finds the target of a host's redirect, a repository's URL. Git does not report it, so its request is repeated over the
 * same route. The target's syntax is checked; it is not contacted.
 * @throws RepositoryFailed, RepositoryNotFound (the target is a page, such as a login)
 */
export async function askRedirect(
  way: Way,
  options: {
    user: Readonly<Record<string, string>>;
    settings: readonly GitSetting[];
    timeoutMs: number;
    signal: AbortSignal;
  },
): Promise<string> {
  const request = new URL(`${way.url.href.replace(/\/+$/, "")}${firstRequest}?service=git-upload-pack`);
  const location = await requestLocation(request, way, options);
  if (location === null || !URL.canParse(location, request.href)) {
    throw new CitewellError("RepositoryFailed", `${way.url.href} redirects to no readable address`);
  }
  const { href, pathname } = new URL(location, request);
  if (!pathname.endsWith(firstRequest)) {
    throw new CitewellError("RepositoryNotFound", `${way.url.href} does not exist, or needs a login`, {
      hint: "check the URL; for a private repository sign in with git first",
    });
  }
  const target = href.slice(0, href.lastIndexOf(firstRequest));
  const fault = gitUrlFault(target);
  if (fault === undefined) return target;
  throw new CitewellError("RepositoryFailed", `${way.url.href} redirects to an address that is refused: ${fault}`);
}

async function requestLocation(
  request: URL,
  way: Way,
  { user, settings, timeoutMs, signal }: Parameters<typeof askRedirect>[1],
): Promise<string | null> {
  const dispatcher = createDispatcher(way, await readCertificates(user, settings));
  try {
    const response = await fetch(request, {
      dispatcher,
      redirect: "manual",
      headers: { "user-agent": "git/2 (citewell)" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return response.headers.get("location");
  } catch (error) {
    signal.throwIfAborted();
    const reason = connectionFaultOf((error instanceof Error ? error.cause : undefined) ?? error);
    throw new CitewellError(
      "RepositoryFailed",
      `${way.url.host} moved the repository and did not say where: ${reason}`,
      {
        hint: "give the repository's new URL",
        cause: error,
      },
    );
  } finally {
    await dispatcher.destroy();
  }
}

function createDispatcher({ proxy, addresses }: Way, ca: string[]): Dispatcher {
  if (proxy !== undefined) return new ProxyAgent({ uri: proxy, requestTls: { ca }, proxyTls: { ca } });
  return new Agent({ connect: { ca, ...(addresses === undefined ? {} : { lookup: pinnedLookup(addresses) }) } });
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_host, options, callback) => {
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family);
  };
}

/** The built-in certificate authorities, and those trusted by the user's git, curl or Node. */
async function readCertificates(
  user: Readonly<Record<string, string>>,
  settings: readonly GitSetting[],
): Promise<string[]> {
  const variables = ["GIT_SSL_CAINFO", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"];
  const files = [
    ...variables.flatMap((name) => user[name] ?? []),
    ...settings.filter(([name]) => name.endsWith(".sslcainfo")).map(([, file]) => file),
  ];
  const extra = await Promise.all([...new Set(files)].map((file) => readFile(file, "utf8").catch(() => "")));
  return [...rootCertificates, ...extra.filter((text) => text !== "")];
}
