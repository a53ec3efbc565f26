import { open } from "node:fs/promises";
import { CitewellError } from "../../errors.ts";
import type { Fetch } from "../../lib/fetch.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { privateHostFault } from "../../lib/public-host.ts";
import { replacedHost } from "./default-registry.ts";
import { createIntegrityCheck } from "./integrity.ts";
import type { NpmConfig } from "./npm-config.ts";
import { Packument, type Published } from "./packument.ts";
import { answerFault, connectionFault, failed } from "./registry-faults.ts";

/** A registry, contacted as the user's npm would. */
export interface Registry {
  /** With a slash at its end. */
  readonly url: string;
  /**
   * The metadata of a package: in short form the fields needed to choose a version, in full also those for its pages.
   * @throws PackageNotFound, PackageUnreadable (too large), RegistryFailed, RegistryTimeout
   */
  packument(name: string, options: { form: "short" | "full"; signal: AbortSignal }): Promise<Packument>;
  /**
   * Writes the tarball of a version to a file; `onBytes` is called with the bytes received and the total.
   * @throws IntegrityMismatch, PackageUnreadable (too large), RegistryFailed, RegistryTimeout
   */
  download(
    published: Published,
    file: string,
    options: { signal: AbortSignal; onBytes: (received: number, total: number | undefined) => void },
  ): Promise<void>;
}

/** The dependencies of `createRegistry`. */
export interface RegistryOptions {
  url: string;
  config: Pick<NpmConfig, "mayRequest" | "requiresPublic" | "authorizationFor">;
  /** For addresses at the registry's own host. */
  fetch: Fetch;
  /** For the other addresses that a registry sends. */
  fetchElsewhere: Fetch;
}

/** The largest packuments in use, for packages with thousands of versions, have about 50 MB. */
const packumentLimitBytes = 100 * 1024 * 1024;
/** npm's own registry accepts packages up to about 250 MB. */
const tarballLimitBytes = 256 * 1024 * 1024;
const redirectLimit = 5;
const hintOnAddress = "the registry sent this address: ask its operator";
/** Time limit of a request, in milliseconds, even while data is arriving. */
const requestLimitMs = 15 * 60_000;

/** https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md#abbreviated-metadata-format */
const accept = {
  short: "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*",
  full: "application/json",
} as const;

/** A client of the registry at `url`. */
export function createRegistry({ url, config, fetch, fetchElsewhere }: RegistryOptions): Registry {
  const { host } = new URL(url);
  return {
    url,
    async packument(name, { form, signal }) {
      const address = new URL(name.replace("/", "%2f"), url);
      const chunks: Uint8Array[] = [];
      const response = await request(address, { accept: accept[form], packageName: name, signal });
      for await (const chunk of bytesOf(response, { limitBytes: packumentLimitBytes, address, signal })) {
        chunks.push(chunk);
      }
      const packument = Packument.safeParse(parseJson(Buffer.concat(chunks).toString()));
      if (packument.success) return packument.data;
      const hint = "see whether a proxy or a sign-in page answers in the registry's place";
      throw failed(`${address.host} did not answer with the metadata of ${name}`, hint);
    },
    async download({ tarball, integrity }, file, { signal, onBytes }) {
      const address = tarballAddress(tarball, url);
      const response = await request(address, { accept: "*/*", signal });
      const total = Number(response.headers.get("content-length")) || undefined;
      const check = createIntegrityCheck(integrity);
      await using handle = await open(file, "wx");
      let received = 0;
      for await (const chunk of bytesOf(response, { limitBytes: tarballLimitBytes, address, signal })) {
        check.update(chunk);
        await handle.appendFile(chunk);
        received += chunk.length;
        onBytes(received, total);
      }
      if (check.isMet()) return;
      throw new CitewellError("IntegrityMismatch", `${address.host}${address.pathname} does not match its checksum`, {
        hint: "nothing was stored; try again, and if it happens again, ask the registry's operator",
      });
    },
  };

  /** Follows redirects itself, so that each address is checked and gets its own authorization, or none. */
  async function request(
    first: URL,
    { accept, packageName, signal }: { accept: string; packageName?: string; signal: AbortSignal },
  ): Promise<Response> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(requestLimitMs)]);
    let address = first;
    for (let hops = 0; hops <= redirectLimit; hops++) {
      if (!config.mayRequest(address)) {
        throw failed(`${address.protocol}//${address.host} is not reached over https`, hintOnAddress);
      }
      const isElsewhere = address.host !== host;
      if (isElsewhere && config.requiresPublic && privateHostFault(address.hostname) !== undefined) {
        throw failed("the registry sent an address of the package that is not a public one", hintOnAddress);
      }
      const authorization = config.authorizationFor(address);
      const headers = { accept, "user-agent": "citewell", ...(authorization === undefined ? {} : { authorization }) };
      const send = isElsewhere ? fetchElsewhere : fetch;
      const response = await send(address, { headers, redirect: "manual", signal: limited }).catch((error: unknown) => {
        throw connectionFault(error, { address, signal });
      });
      if (response.ok) return response;
      await response.body?.cancel();
      const location = isRedirect(response.status) ? response.headers.get("location") : null;
      if (location === null) throw answerFault(response.status, address, { packageName });
      if (!URL.canParse(location, address.href)) throw failed(`${address.host} redirects to no address`, hintOnAddress);
      address = withoutCredentials(new URL(location, address));
    }
    throw failed(`${first.host} redirects in circles`, "see: npm config get registry");
  }
}

async function* bytesOf(
  response: Response,
  { limitBytes, address, signal }: { limitBytes: number; address: URL; signal: AbortSignal },
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
    throw connectionFault(error, { address, signal });
  }
  if (received <= limitBytes) return;
  const fault = `${address.host} sends more than ${limitBytes / 1024 / 1024} MB for one package`;
  throw new CitewellError("PackageUnreadable", fault, { hint: "name a smaller package" });
}

function tarballAddress(tarball: string, registryUrl: string): URL {
  if (!URL.canParse(tarball)) throw failed("the tarball's address is not a URL", hintOnAddress);
  const address = withoutCredentials(new URL(tarball));
  const registry = new URL(registryUrl);
  if (address.host === replacedHost) return new URL(address.pathname, registry);
  // Old metadata has plain HTTP addresses of registries that have since moved to HTTPS.
  if (address.host === registry.host) address.protocol = registry.protocol;
  return address;
}

function withoutCredentials(address: URL): URL {
  address.username = "";
  address.password = "";
  return address;
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}
