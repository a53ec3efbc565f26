import { createServer } from "node:net";
import { once } from "node:events";
import type { ConfigLocation } from "../../server/config/config.ts";
import type { NetworkSettings } from "../../server/config/environment.ts";
import { CitewellError, messageOf } from "../../server/errors.ts";
import { createFetch } from "../../server/lib/fetch.ts";
import { quoteValue } from "../../server/protocol/validation.ts";
import { ecosystems } from "../../server/resources/packages/ecosystems.ts";
import { latestVersion } from "../../server/resources/packages/packages.ts";
import { readServerFile } from "../app/server-file.ts";
import { fail, type Finding, fromError, ok, warn } from "./check.ts";

/** Reports the proxy settings, without passwords. */
export function checkProxy({ httpsProxy, httpProxy, noProxy }: NetworkSettings): Finding {
  const proxies = [...new Set([httpsProxy, httpProxy].filter((proxy) => proxy !== undefined))];
  if (proxies.length === 0) return ok("proxy", "none is set");
  const wrong = proxies.find((proxy) => !URL.canParse(proxy.includes("://") ? proxy : `http://${proxy}`));
  if (wrong !== undefined) return fail("proxy", `${quoteValue(wrong)} is no URL`, "correct HTTPS_PROXY or HTTP_PROXY");
  const except = noProxy === undefined ? "" : `, not for ${noProxy}`;
  return ok("proxy", `${proxies.map(quoteValue).join(", ")}${except}`);
}

/** Reports additional certificates. */
export function checkCertificates({ ca, warnings }: NetworkSettings): Finding {
  const [first] = warnings;
  if (first !== undefined) {
    return warn("certificates", warnings.join("; "), "correct NODE_EXTRA_CA_CERTS or SSL_CERT_FILE");
  }
  return ok("certificates", ca.length === 0 ? "the built-in ones" : `the built-in ones and ${ca.length} more`);
}

const registryMs = 5000;

/** Whether the user's registry answers; that it does not have the package is an answer, too. */
export async function checkRegistry(
  location: ConfigLocation,
  { network, signal }: { network: NetworkSettings; signal: AbortSignal },
): Promise<Finding> {
  const late = AbortSignal.timeout(registryMs);
  try {
    const version = await latestVersion(ecosystems.npm, "zod", {
      location,
      network,
      signal: AbortSignal.any([signal, late]),
    });
    return ok("registry", `reachable (zod ${version})`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CitewellError && error.tag === "PackageNotFound") return ok("registry", "reachable");
    const fix = "check the connection, the proxy and registry in .npmrc; what was fetched once still answers";
    if (late.aborted) return warn("registry", `no answer within ${registryMs / 1000} s`, fix);
    return fromError("registry", error, "warn", fix);
  }
}

/** Whether the server that is announced runs, or, without one, whether its usual port is free. */
export async function checkServer(dataDirectory: string, { signal }: { signal: AbortSignal }): Promise<Finding> {
  const announced = await readServerFile(dataDirectory);
  if (announced !== undefined) {
    const url = `http://127.0.0.1:${announced.port}`;
    if (await answers(url, signal)) return ok("server", `citewell ${announced.version} at ${url}`);
    return warn("server", `the server at ${url} is gone without a word`, "citewell serve starts one anew");
  }
  const fault = await faultOfPort(usualPort);
  if (fault === undefined) return ok("server", `not running; port ${usualPort} is free`);
  return warn("server", `port ${usualPort}: ${fault}`, "citewell serve --port 0 takes any port that is free");
}

const usualPort = 8080;

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  const fetch = createFetch({});
  const quickly = AbortSignal.any([signal, AbortSignal.timeout(2000)]);
  return fetch(url, { signal: quickly }).then(
    (response) => response.ok,
    () => false,
  );
}

async function faultOfPort(port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen({ port, host: "127.0.0.1" });
    await once(server, "listening");
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    server.close();
  }
}
