import { parseJson } from "../../../lib/parse-json.ts";
import type { Registry, RegistryReach } from "../ecosystem.ts";
import {
  createRegistryClient,
  fetchersFor,
  hintOnAddress,
  type RegistryClientOptions,
  withoutCredentials,
} from "../registry-client.ts";
import { failed, type RegistryAdvice } from "../registry-faults.ts";
import { writePages } from "../package-pages.ts";
import { replacedHost } from "./default-registry.ts";
import { readNpmConfig } from "./npm-config.ts";
import { pagesOf } from "./npm-pages.ts";
import { listVersions, Packument, pickVersion, publishedVersion } from "./packument.ts";

/** An npm registry. */
export interface NpmRegistry extends Registry {
  /**
   * The metadata of a package: in short form the fields needed to choose a version, in full also those for its pages.
   * @throws PackageNotFound, PackageUnreadable (too large), RegistryFailed, RegistryTimeout
   */
  packument(name: string, options: { form: "short" | "full"; signal: AbortSignal }): Promise<Packument>;
}

/** https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md#abbreviated-metadata-format */
const accept = {
  short: "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*",
  full: "application/json",
} as const;

/** The advice names npm's commands. */
export const npmAdvice: RegistryAdvice = {
  timeLimit: "; npm's fetch-timeout sets the time limit",
  certificates: "npm config set cafile <file>",
  showRegistry: "npm config get registry",
  signIn,
  missing: (address, packageName) =>
    scopeOf(packageName) === undefined
      ? "check its spelling"
      : `check its spelling; if it is private, sign in: ${signIn(address, packageName)}`,
};

/** Reads npm's configuration each time: it may have changed since the last question. */
export async function openNpmRegistry(name: string, { location, network }: RegistryReach): Promise<NpmRegistry> {
  const config = await readNpmConfig(location);
  const fetchers = fetchersFor([network, config.network], config);
  return createNpmRegistry({ url: config.registryOf(name), config, ...fetchers });
}

/** A client of the registry at `url`. */
function createNpmRegistry(options: Omit<RegistryClientOptions, "advice">): NpmRegistry {
  const { url } = options;
  const client = createRegistryClient({ ...options, advice: npmAdvice });
  const packument: NpmRegistry["packument"] = async (name, { form, signal }) => {
    const address = new URL(name.replace("/", "%2f"), url);
    const { text } = await client.read(address, { accept: accept[form], packageName: name, signal });
    const parsed = Packument.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    const hint = "see whether a proxy or a sign-in page answers in the registry's place";
    throw failed(`${address.host} did not answer with the metadata of ${name}`, hint);
  };
  return {
    id: url,
    packument,
    async list(name, { signal }) {
      return listVersions(await packument(name, { form: "full", signal }));
    },
    async find({ name, version: wanted }, { withPages, signal }) {
      const found = await packument(name, { form: withPages ? "full" : "short", signal });
      const { version, tarball, integrity } = publishedVersion(found, pickVersion(found, wanted));
      return {
        version,
        integrity,
        archive: "tarball",
        download: (file, options) => client.download(tarballAddress(tarball, url), file, options),
        writePages: (directory) => writePages(directory, pagesOf(found, version)),
      };
    },
  };
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

function signIn(address: URL, packageName: string | undefined): string {
  const scope = scopeOf(packageName);
  return `npm login ${scope === undefined ? "" : `--scope=${scope} `}--registry=${address.origin}`;
}

function scopeOf(packageName: string | undefined): string | undefined {
  return packageName?.startsWith("@") === true ? packageName.split("/")[0] : undefined;
}
