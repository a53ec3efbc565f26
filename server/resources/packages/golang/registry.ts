import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as z from "zod";
import { CitewellError } from "../../../errors.ts";
import { parseJson } from "../../../lib/parse-json.ts";
import type { Registry, RegistryReach, Release, Wanted } from "../ecosystem.ts";
import { readTextFile } from "../files.ts";
import { sharesChecksum } from "../integrity.ts";
import { formatFacts, formatList, formatPage, writePages } from "../package-pages.ts";
import { createFolderClient } from "../folder-client.ts";
import { dayOf } from "../published-day.ts";
import { noVersion } from "../pick-version.ts";
import { clientsOf, isPackageMissing, mismatch, type RegistryClient } from "../registry-client.ts";
import { failed, type RegistryAdvice } from "../registry-faults.ts";
import { hashZip, integrityIn } from "./checksums.ts";
import { type GoConfig, readGoConfig } from "./go-config.ts";
import { isRetracted, parseGoMod } from "./go-mod.ts";
import { answersQuery, escapePath, isExact, modulesOf, sortVersions } from "./module-path.ts";

const advice: RegistryAdvice = {
  certificates: "set NODE_EXTRA_CA_CERTS to its file",
  showRegistry: "go env GOPROXY",
  signIn: (address) => `add ${address.hostname} to your .netrc, or a user name and password to its address in GOPROXY`,
  missing: (_address, name) =>
    `check its path; a module that no proxy has is asked about by its repository: -r ${repositoryOf(name)}`,
};

const Info = z.object({
  Version: z.string(),
  Time: z.string().optional().catch(undefined),
  Origin: z.object({ URL: z.string().optional(), Hash: z.string().optional() }).optional().catch(undefined),
});
type Info = z.infer<typeof Info>;

/** A client of each proxy, in the order of `GOPROXY`. */
interface Proxies {
  config: GoConfig;
  client: (url: string) => RegistryClient;
}

/** What a request to a proxy is about. */
interface Request {
  module: string;
  proxies: Proxies;
  signal: AbortSignal;
}

/** The module proxies: https://go.dev/ref/mod#goproxy-protocol */
export async function openGolangRegistry(name: string, { location, network }: RegistryReach): Promise<Registry> {
  const config = await readGoConfig(location);
  const clientOf = clientsOf(config, { networks: [network, config.network], advice });
  const client = (url: string) => (url.startsWith("file:") ? createFolderClient(advice) : clientOf(url));
  const computed = new Map<string, string>();
  return {
    // A module with a checksum in the database is the same from every proxy, as in Go's module cache.
    id: config.sumdbOf(name)?.name ?? config.routes.map(({ url }) => url).join(" "),
    async find(wanted, { signal }) {
      const { module, info } = await findVersion(wanted, { config, client }, signal);
      const request = { module, proxies: { config, client }, signal };
      const label = `${module} ${info.Version}`;
      const integrity = wanted.integrity ?? computed.get(label) ?? (await findChecksum(info.Version, request));
      computed.set(label, integrity);
      return releaseOf(info, integrity, request);
    },
    async list(wanted, { signal }) {
      const { module } = await findVersion({ name: wanted, version: "latest" }, { config, client }, signal);
      const request = { module, proxies: { config, client }, signal };
      const versions = await listVersions(request);
      const dated = await Promise.all(
        versions.slice(0, datesRead).map(async (version) => {
          const info = await ifFound(readInfo(`@v/${segmentOf(version)}.info`, request));
          return { version, date: dayOf(info?.Time) };
        }),
      );
      return [...dated, ...versions.slice(datesRead).map((version) => ({ version, date: undefined }))];
    },
  };
}

/** Each date is a request of its own. */
const datesRead = 20;

function releaseOf(info: Info, integrity: string, { module, proxies, signal }: Request): Release {
  return {
    version: info.Version,
    integrity,
    archive: "zip",
    folder: `${module}@${info.Version}/`,
    download: (file, options) => downloadZip(info.Version, file, { ...options, module, proxies }),
    async writePages(directory) {
      const versions = await listVersions({ module, proxies, signal });
      await writeOwnPages(directory, { module, info, versions });
    },
  };
}

/** Calls an action for each proxy until one has the module. @throws what the last one threw, PackageNotFound, RegistryFailed */
async function onProxies<Result>(
  { module, proxies: { config, client } }: Pick<Request, "module" | "proxies">,
  action: (client: RegistryClient, base: string) => Promise<Result>,
): Promise<Result> {
  const isPrivate = config.isPrivate(module);
  let fault: unknown;
  for (const { url, fallsThrough } of isPrivate ? [{ url: "direct", fallsThrough: false }] : config.routes) {
    if (url === "off")
      throw fault ?? failed(`GOPROXY=off: ${module} is not fetched`, "download it with: go mod download");
    if (url === "direct") throw fault ?? onlyInRepository(module, isPrivate);
    try {
      return await action(client(url), `${url}${escapePath(module)}/`);
    } catch (error) {
      if (!(error instanceof CitewellError)) throw error;
      if (error.tag !== "PackageNotFound" && !fallsThrough) throw error;
      fault = error;
    }
  }
  throw fault ?? onlyInRepository(module, isPrivate);
}

function onlyInRepository(module: string, isPrivate: boolean): CitewellError {
  const reason = isPrivate ? "it is private (go env GOPRIVATE GONOPROXY)" : "GOPROXY has no proxy for it";
  return new CitewellError("PackageNotFound", `${module} comes from its repository only: ${reason}`, {
    hint: `ask about the repository: -r ${repositoryOf(module)}; or download it with: go mod download`,
  });
}

function repositoryOf(module: string): string {
  const [host = "", ...elements] = module.replace(/\/v\d+$/, "").split("/");
  const path = host === "github.com" ? elements.slice(0, 2) : elements;
  return `https://${[host, ...path].join("/")}`;
}

function readText(suffix: string, { signal, ...request }: Request): Promise<string> {
  return onProxies(request, async (client, base) => {
    const options = { accept: "*/*", packageName: request.module, signal };
    return (await client.read(new URL(suffix, base), options)).text;
  });
}

async function readInfo(suffix: string, request: Request): Promise<Info> {
  const found = Info.safeParse(parseJson(await readText(suffix, request))).data;
  if (found !== undefined && isExact(found.Version)) return found;
  throw failed(`the module proxy did not answer with a version of ${request.module}`, "see: go env GOPROXY");
}

/** Undefined if no proxy has it. */
async function ifFound<Result>(result: Promise<Result>): Promise<Result | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isPackageMissing(error)) return undefined;
    throw error;
  }
}

/** Highest first. */
async function listVersions(request: Request): Promise<string[]> {
  return sortVersions(((await ifFound(readText("@v/list", request))) ?? "").split(/\s+/));
}

/**
 * The module that has a package, which is the one with the longest path, and its version.
 * @throws PackageNotFound, VersionNotFound
 */
async function findVersion(
  { name, version, integrity }: Wanted,
  proxies: Proxies,
  signal: AbortSignal,
): Promise<{ module: string; info: Info }> {
  const modules = integrity === undefined ? modulesOf(name) : [name];
  for (const module of modules) {
    const info = await resolveVersion(version, { module, proxies, signal });
    if (info !== undefined) return { module, info };
  }
  for (const module of modules) {
    const known = await listVersions({ module, proxies, signal });
    if (known.length === 0) continue;
    throw noVersion(module, version, { newest: known[0], close: [] });
  }
  // Says why, as the last proxy answered.
  const info = await readInfo("@latest", { module: name, proxies, signal });
  return { module: name, info };
}

/** The version for a version, a query (https://go.dev/ref/mod#version-queries), a branch or a commit. */
async function resolveVersion(version: string, request: Request): Promise<Info | undefined> {
  const info = (found: string) => ifFound(readInfo(`@v/${segmentOf(found)}.info`, request));
  if (!/^(?:latest$|[<>]|v\d+(?:\.\d+)?$)/.test(version)) return info(version);
  const known = await listVersions(request);
  const matching = version === "latest" ? known : known.filter((one) => answersQuery(one, version));
  const picked = await pickNewest(matching, { known, request });
  if (picked !== undefined) return info(picked);
  return version === "latest" ? ifFound(readInfo("@latest", request)) : undefined;
}

function segmentOf(version: string): string {
  return encodeURIComponent(escapePath(version)).replaceAll("%2B", "+");
}

/**
 * The highest release that was not withdrawn, else the highest pre-release. A version `+incompatible` is used only if
 * no other version has a `go.mod`, for which a proxy answers with the module's name alone.
 */
async function pickNewest(
  matching: readonly string[],
  { known, request }: { known: readonly string[]; request: Request },
): Promise<string | undefined> {
  const isRelease = (version: string) => !version.replace(/\+.*/, "").includes("-");
  const isCompatible = (version: string) => !version.endsWith("+incompatible");
  const newest = known.find((version) => isRelease(version) && isCompatible(version)) ?? known[0];
  if (newest === undefined) return undefined;
  const text = (await ifFound(readText(`@v/${segmentOf(newest)}.mod`, request))) ?? "";
  const manifest = parseGoMod(text);
  const hasManifest = text.trim().split("\n").length > 1;
  const kept = matching.filter((version) => !isRetracted(version, manifest));
  const compatible = kept.filter(isCompatible);
  const allowed = hasManifest && compatible.length > 0 ? compatible : kept;
  return allowed.find(isRelease) ?? allowed[0] ?? matching[0];
}

/**
 * The checksum of a version in the checksum database, which is asked through the proxy where that has it. Where the
 * user turned the database off for the module, the checksum of what the proxy has.
 * @throws RegistryFailed (the database has none)
 */
async function findChecksum(version: string, { module, proxies, signal }: Request): Promise<string> {
  const { config, client } = proxies;
  const sumdb = config.sumdbOf(module);
  if (sumdb === undefined) return checksumOfDownload(version, { module, proxies, signal });
  const lookup = `lookup/${escapePath(module)}@${escapePath(version)}`;
  const urls = config.routes.filter(({ url }) => url.includes(":")).map(({ url }) => `${url}sumdb/${sumdb.name}/`);
  let fault: unknown;
  for (const url of [...urls, sumdb.url]) {
    try {
      const { text } = await client(url).read(new URL(lookup, url), { accept: "*/*", packageName: module, signal });
      const found = integrityIn(text.split("\n"), module, version);
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof CitewellError)) throw error;
      fault = error;
    }
  }
  throw failed(
    `the checksum database ${sumdb.name} has no checksum of ${module} ${version}`,
    "if the module is private, set GONOSUMDB or GOPRIVATE: go env -w GONOSUMDB=<pattern>",
    fault,
  );
}

async function checksumOfDownload(version: string, request: Request): Promise<string> {
  const { module, signal } = request;
  const folder = await mkdtemp(path.join(tmpdir(), "citewell-"));
  try {
    const file = path.join(folder, "module.zip");
    await fetchZip(version, file, { ...request, onBytes: () => {} });
    return await hashZip(file, { label: `${module} ${version}`, signal });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type DownloadRequest = Request & { onBytes: (received: number, total: number | undefined) => void };

async function downloadZip(
  version: string,
  file: string,
  { integrity, ...request }: DownloadRequest & { integrity: string },
): Promise<void> {
  const address = await fetchZip(version, file, request);
  const found = await hashZip(file, { label: `${request.module} ${version}`, signal: request.signal });
  if (!sharesChecksum(found, integrity)) throw mismatch(address);
}

function fetchZip(version: string, file: string, { signal, onBytes, ...request }: DownloadRequest): Promise<URL> {
  return onProxies(request, async (client, base) => {
    const address = new URL(`@v/${segmentOf(version)}.zip`, base);
    await rm(file, { force: true });
    await client.download(address, file, { packageName: request.module, signal, onBytes });
    return address;
  });
}

async function writeOwnPages(
  directory: string,
  { module, info, versions }: { module: string; info: Info; versions: readonly string[] },
): Promise<void> {
  const { Version: version, Time: time, Origin: origin } = info;
  const { go, requires } = parseGoMod((await readTextFile(path.join(directory, "go.mod"))) ?? "");
  const direct = requires
    .filter(({ isIndirect }) => !isIndirect)
    .map(({ path: required, version: at }) => `${required} ${at}`);
  const page = formatPage([
    `# ${module} ${version}`,
    `\`\`\`sh\ngo get ${module}@${version}\n\`\`\``,
    formatFacts([
      ["Published", time],
      ["Repository", origin?.URL],
      ["Commit", origin?.Hash],
      ["Go", go],
      ["Versions", String(versions.length)],
    ]),
    formatList("Requires", direct),
  ]);
  const metadata = {
    module,
    version,
    time,
    repository: origin?.URL,
    commit: origin?.Hash,
    go,
    requires: direct,
    versions,
  };
  await writePages(directory, { metadata, page, readme: "" });
}
