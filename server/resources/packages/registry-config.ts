import { toAbsolutePath } from "../../lib/absolute-path.ts";
import type { FetchSettings } from "../../lib/fetch.ts";
import { isLoopback } from "../../lib/public-host.ts";
import { readTextFile } from "./files.ts";
import type { PackageLocation } from "./package-location.ts";
import { type RegistryAccess, withoutCredentials } from "./registry-client.ts";
import { failed, redacted } from "./registry-faults.ts";

/** Half a minute, in milliseconds. */
const idleTimeoutMs = 30_000;

/** Whether an address may be contacted: HTTPS, loopback, or plain HTTP of an origin in the user's own configuration. */
export function createRequestRule(ownUrls: readonly string[]): (url: URL) => boolean {
  const origins = new Set(ownUrls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin));
  return (url) =>
    url.protocol === "https:" || (url.protocol === "http:" && (isLoopback(url.hostname) || origins.has(url.origin)));
}

/** Which addresses that a registry sends may be private. */
export function publicRule({
  isAnonymous = false,
  allowHosts,
}: PackageLocation): Pick<RegistryAccess, "requiresPublic" | "allowHosts"> {
  return { requiresPublic: isAnonymous, allowHosts };
}

/** The `Authorization` header of a user name and a password. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** How faults name a registry, and what the user can do about them. */
export interface RegistryWords {
  /** `package index` */
  noun: string;
  /** Where its address is configured, after "check". */
  places: string;
  /** The user's own file, in which a plain HTTP address is trusted. */
  ownFile: string;
}

/**
 * A configured address, with a slash at its end and without credentials.
 * @throws RegistryFailed (not a URL, or plain HTTP that the user did not configure)
 */
export function registryUrl(
  text: string,
  { mayRequest, words }: { mayRequest: (url: URL) => boolean; words: RegistryWords },
): string {
  const { noun, places, ownFile } = words;
  if (!URL.canParse(text)) throw failed(`the ${noun} "${redacted(text)}" is not a URL`, `check ${places}`);
  const url = withoutCredentials(new URL(text));
  if (!mayRequest(url)) {
    throw failed(
      `the ${noun} ${url.protocol}//${url.host} is not reached over https`,
      `trust it by naming it in your own ${ownFile}`,
    );
  }
  url.search = "";
  url.hash = "";
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}

/** Network settings of a package manager's configuration: a proxy, and a file of certificates in PEM. */
export async function readRegistryNetwork(
  { proxy, certificates }: { proxy: string | undefined; certificates: string | undefined },
  { cwd, homeDirectory }: Pick<PackageLocation, "cwd" | "homeDirectory">,
): Promise<FetchSettings> {
  const text =
    certificates === undefined
      ? undefined
      : await readTextFile(toAbsolutePath(certificates, { folder: cwd, homeDirectory }));
  return {
    ...(proxy === undefined ? {} : { httpProxy: proxy, httpsProxy: proxy }),
    ...(text?.includes("-----BEGIN") === true ? { ca: [text] } : {}),
    idleTimeoutMs,
  };
}
