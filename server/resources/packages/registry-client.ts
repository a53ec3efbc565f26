import { open } from "node:fs/promises";
import { CitewellError } from "../../errors.ts";
import type { Fetch, FetchSettings } from "../../lib/fetch.ts";
import { createFetch } from "../../lib/fetch.ts";
import { isTrustedHost, privateHostFault } from "../../lib/public-host.ts";
import { createPublicLookup } from "../../lib/public-lookup.ts";
import { createIntegrityCheck } from "./integrity.ts";
import { answerFault, connectionFault, failed, type RegistryAdvice } from "./registry-faults.ts";

/** What the user's configuration allows. */
export interface RegistryAccess {
  /** Whether an address may be contacted: HTTPS, loopback, or a plain HTTP host in the user's own files. */
  mayRequest(url: URL): boolean;
  /**
   * Whether addresses that a registry sends must be public, except at its own host: the packages of a service's tenants
   * must not make it contact private networks. A proxy resolves names itself, so behind one only literal addresses are
   * checked.
   */
  requiresPublic: boolean;
  /** Hosts that may have a private address nevertheless. */
  allowHosts?: readonly string[] | undefined;
  /** The `Authorization` header for an address: only if configured for its host. */
  authorizationFor(url: URL): string | undefined;
}

/** Requests to one registry, and to the addresses that it sends. */
export interface RegistryClient {
  /**
   * The metadata at an address of a package.
   * @throws PackageNotFound, PackageUnreadable (too large), RegistryFailed, RegistryTimeout
   */
  read(
    address: URL,
    options: { accept: string; packageName: string; signal: AbortSignal },
  ): Promise<{ text: string; address: URL; contentType: string }>;
  /** Whether there is a file at an address. @throws RegistryFailed, RegistryTimeout */
  has(address: URL, options: { packageName: string; signal: AbortSignal }): Promise<boolean>;
  /**
   * Writes an archive to a file.
   * @throws IntegrityMismatch, PackageUnreadable (too large), RegistryFailed, RegistryTimeout
   */
  download(address: URL, file: string, options: ClientDownloadOptions): Promise<void>;
}

export interface DownloadOptions {
  /** The checksums of the archive, as subresource integrity. */
  integrity: string;
  signal: AbortSignal;
  /** Called with the bytes received and the total, if the registry says it. */
  onBytes: (received: number, total: number | undefined) => void;
}

/** Without an integrity, the caller checks the file; with a package's name, a missing archive is a missing package. */
export type ClientDownloadOptions = Omit<DownloadOptions, "integrity"> & { integrity?: string; packageName?: string };

/** The dependencies of `createRegistryClient`. */
export interface RegistryClientOptions {
  url: string;
  config: RegistryAccess;
  advice: RegistryAdvice;
  /** The fetch for addresses at the registry's own host and at those that may be private. */
  fetch: Fetch;
  /** The fetch for the other addresses that a registry sends. */
  fetchElsewhere: Fetch;
}

/** The largest metadata in use, of npm packages with thousands of versions, have about 50 MB. */
const metadataLimitBytes = 100 * 1024 * 1024;
/** npm's own registry accepts packages up to about 250 MB. */
const archiveLimitBytes = 256 * 1024 * 1024;
const redirectLimit = 5;
export const hintOnAddress = "the registry sent this address: ask its operator";
/** Time limit of a request, in milliseconds, even while data is arriving. */
const requestLimitMs = 15 * 60_000;

/** Clients of the registries that one configuration names. Of several network settings, the last take precedence. */
export function clientsOf(
  config: RegistryAccess,
  { networks, advice }: { networks: readonly FetchSettings[]; advice: RegistryAdvice },
): (url: string) => RegistryClient {
  const fetchers = fetchersFor(networks, config);
  return (url) => createRegistryClient({ url, config, advice, ...fetchers });
}

/** The certificates of all settings are trusted. */
export function fetchersFor(
  networks: readonly FetchSettings[],
  { requiresPublic }: Pick<RegistryAccess, "requiresPublic">,
): Pick<RegistryClientOptions, "fetch" | "fetchElsewhere"> {
  const settings: FetchSettings = Object.assign({}, ...networks, { ca: networks.flatMap(({ ca = [] }) => ca) });
  const fetch = createFetch(settings);
  const fetchElsewhere = requiresPublic ? createFetch({ ...settings, lookup: createPublicLookup() }) : fetch;
  return { fetch, fetchElsewhere };
}

/** The result of the first place that is not missing it; else the error of one that misses the version alone. */
export async function firstThatHas<Place, Result>(
  places: readonly Place[],
  isMissingIn: (error: unknown) => boolean,
  action: (place: Place) => Promise<Result>,
): Promise<Result> {
  const faults: unknown[] = [];
  for (const place of places) {
    try {
      return await action(place);
    } catch (error) {
      if (!isMissingIn(error)) throw error;
      faults.push(error);
    }
  }
  throw faults.find((fault) => !isPackageMissing(fault)) ?? faults[0];
}

export function isPackageMissing(error: unknown): boolean {
  return error instanceof CitewellError && error.tag === "PackageNotFound";
}

/** Whether a registry does not have a package or its version. */
export function isMissing(error: unknown): boolean {
  return isPackageMissing(error) || (error instanceof CitewellError && error.tag === "VersionNotFound");
}

/** A client of the registry at `url`. */
export function createRegistryClient({
  url,
  config,
  advice,
  fetch,
  fetchElsewhere,
}: RegistryClientOptions): RegistryClient {
  const { host } = new URL(url);
  return {
    async read(address, { accept, packageName, signal }) {
      const chunks: Uint8Array[] = [];
      const { response, address: last } = await request(address, { accept, packageName, signal });
      const limitBytes = metadataLimitBytes;
      for await (const chunk of bytesOf(response, { limitBytes, address, advice, signal })) chunks.push(chunk);
      const contentType = response.headers.get("content-type") ?? "";
      return { text: Buffer.concat(chunks).toString(), address: last, contentType };
    },
    async has(address, options) {
      try {
        const { response } = await request(address, { accept: "*/*", ...options });
        // Not every repository answers HEAD requests.
        await response.body?.cancel();
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    },
    async download(address, file, { integrity, signal, onBytes, ...named }) {
      const { response } = await request(address, { accept: "*/*", ...named, signal });
      const total = Number(response.headers.get("content-length")) || undefined;
      const check = integrity === undefined ? undefined : createIntegrityCheck(integrity);
      await using handle = await open(file, "wx");
      let received = 0;
      const limitBytes = archiveLimitBytes;
      for await (const chunk of bytesOf(response, { limitBytes, address, advice, signal })) {
        check?.update(chunk);
        await handle.appendFile(chunk);
        received += chunk.length;
        onBytes(received, total);
      }
      if (check?.isMet() === false) throw mismatch(address);
    },
  };

  /** Follows redirects itself, so that each address is checked and gets its own authorization, or none. */
  async function request(
    first: URL,
    { accept, packageName, signal }: { accept: string; packageName?: string; signal: AbortSignal },
  ): Promise<{ response: Response; address: URL }> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(requestLimitMs)]);
    let address = first;
    for (let hops = 0; hops <= redirectLimit; hops++) {
      if (!config.mayRequest(address)) {
        throw failed(`${address.protocol}//${address.host} is not reached over https`, hintOnAddress);
      }
      const isGuarded = address.host !== host && !isTrustedHost(address, config.allowHosts ?? []);
      if (isGuarded && config.requiresPublic && privateHostFault(address.hostname) !== undefined) {
        throw failed("the registry sent an address of the package that is not a public one", hintOnAddress);
      }
      const authorization = config.authorizationFor(address);
      const headers = { accept, "user-agent": "citewell", ...(authorization === undefined ? {} : { authorization }) };
      const send = isGuarded ? fetchElsewhere : fetch;
      const response = await send(address, { headers, redirect: "manual", signal: limited }).catch((error: unknown) => {
        throw connectionFault(error, { address, advice, signal });
      });
      if (response.ok) return { response, address };
      await response.body?.cancel();
      const location = isRedirect(response.status) ? response.headers.get("location") : null;
      if (location === null) throw answerFault(response.status, address, { packageName, advice });
      if (!URL.canParse(location, address.href)) throw failed(`${address.host} redirects to no address`, hintOnAddress);
      address = withoutCredentials(new URL(location, address));
    }
    throw failed(`${first.host} redirects in circles`, `see: ${advice.showRegistry}`);
  }
}

async function* bytesOf(
  response: Response,
  {
    limitBytes,
    address,
    advice,
    signal,
  }: { limitBytes: number; address: URL; advice: RegistryAdvice; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = response.body ?? [];
  let received = 0;
  try {
    for await (const chunk of body) {
      received += chunk.length;
      if (received > limitBytes) break;
      yield chunk;
    }
  } catch (error) {
    throw connectionFault(error, { address, advice, signal });
  }
  if (received <= limitBytes) return;
  const fault = `${address.host} sends more than ${limitBytes / 1024 / 1024} MB for one package`;
  throw new CitewellError("PackageUnreadable", fault, { hint: "name a smaller package" });
}

/** An IntegrityMismatch of a downloaded archive. */
export function mismatch(address: URL): CitewellError {
  return new CitewellError("IntegrityMismatch", `${address.host}${address.pathname} does not match its checksum`, {
    hint: "nothing was stored; try again, and if it happens again, ask the registry's operator",
  });
}

/** An address without user name and password: those of a registry's answer are not the user's. */
export function withoutCredentials(address: URL): URL {
  address.username = "";
  address.password = "";
  return address;
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}
