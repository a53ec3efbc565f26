import { CitewellError } from "../../../errors.ts";
import { nearest } from "../../../lib/nearest.ts";
import { isExactVersion } from "../../../protocol/kinds/packages.ts";
import type { Registry, RegistryReach, Release, Wanted } from "../ecosystem.ts";
import { integrityOf } from "../integrity.ts";
import { formatFacts, formatList, formatPage, writePages } from "../package-pages.ts";
import { noVersion } from "../pick-version.ts";
import { clientsOf, firstThatHas, isMissing, type RegistryClient } from "../registry-client.ts";
import { failed, type RegistryAdvice } from "../registry-faults.ts";
import { isPlainPart } from "./local-repository.ts";
import { readMavenConfig } from "./maven-config.ts";
import { type Coordinates, type Pom, readPom } from "./pom.ts";
import { projectRepositories } from "./project.ts";
import { compareVersions, isInRange, isRange, isUnusual } from "./versions.ts";
import { elementsIn, parseXml, textOf } from "../xml.ts";

const advice: RegistryAdvice = {
  certificates: "set NODE_EXTRA_CA_CERTS",
  showRegistry: "mvn help:effective-settings",
  signIn: (address) =>
    `add a mirror or a profile's repository at ${address.hostname} to your settings.xml, and a server with its id`,
  missing: () => "check group and artifact: write it as maven:<group>:<artifact>",
};

/** One repository, and the package's place in it. */
interface Place {
  url: string;
  name: string;
  read(path: string, signal: AbortSignal): Promise<string>;
  client: RegistryClient;
}

/** The repositories of a package, of which the first that has the version is used. */
export async function openMavenRegistry(name: string, { location, network }: RegistryReach): Promise<Registry> {
  const config = await readMavenConfig(location);
  const clientOf = clientsOf(config, { networks: [network, config.network], advice });
  const urls = config.repositoriesFor(await projectRepositories(location));
  const [group = "", artifact = ""] = name.split(":");
  const places = urls.map((url): Place => {
    const client = clientOf(url);
    const read = async (path: string, signal: AbortSignal) =>
      (await client.read(new URL(path, url), { accept: "*/*", packageName: name, signal })).text;
    return { url, name, client, read };
  });
  return {
    id: urls.join(" "),
    list: (_name, { signal }) =>
      firstThatHas(places, isMissing, async (place) => {
        const metadata = `${group.replaceAll(".", "/")}/${artifact}/maven-metadata.xml`;
        return (await readVersions(await place.read(metadata, signal))).map((version) => ({
          version,
          date: undefined,
        }));
      }),
    async find(wanted, { signal, withPages }) {
      if (!isPlainPart(group) || !isPlainPart(artifact)) {
        const hint =
          "a class is found where the JAR that has it is on disk: run mvn dependency:resolve, or name the package";
        throw new CitewellError(
          "PackageNotFound",
          `"${name}" is not a group and an artifact, such as org.slf4j:slf4j-api`,
          { hint },
        );
      }
      return firstThatHas(places, isMissing, (place) =>
        findRelease(wanted, { place, group, artifact, withPages, signal }),
      );
    },
  };
}

interface FindOptions extends Pick<Coordinates, "group" | "artifact"> {
  place: Place;
  withPages: boolean;
  signal: AbortSignal;
}

async function findRelease({ name, version: wanted }: Wanted, options: FindOptions): Promise<Release> {
  const { place, group, artifact, withPages, signal } = options;
  const folder = `${group.replaceAll(".", "/")}/${artifact}/`;
  const versions = async () => readVersions(await place.read(`${folder}maven-metadata.xml`, signal));
  const version =
    isExactVersion(wanted) || isSnapshot(wanted) ? wanted : pickVersion(await versions(), { name, wanted });
  if (!isPlainPart(version)) throw missing(name, version, await versions());
  const stem = `${folder}${version}/${artifact}-${await fileVersion(version, { place, folder, signal })}`;
  const integrity = await readChecksums(`${stem}-sources.jar`, { place, signal });
  const pom =
    withPages || integrity === undefined ? await readPublishedPom(`${stem}.pom`, { place, signal }) : undefined;
  if (integrity === undefined) {
    if (pom === undefined) throw missing(name, version, await versions());
    const { host } = new URL(place.url);
    if (await place.client.has(new URL(`${stem}-sources.jar`, place.url), { packageName: name, signal })) {
      throw failed(
        `the sources JAR of ${name} ${version} on ${host} has no checksum beside it`,
        "ask the repository's operator to add its .sha1, or name another version",
      );
    }
    throw withoutSources({ name, version, host, pom });
  }
  return {
    version,
    integrity,
    archive: "zip",
    download: (target, download) => place.client.download(new URL(`${stem}-sources.jar`, place.url), target, download),
    writePages: (directory) => writeOwnPages(directory, { name, version, pom }),
  };
}

function isSnapshot(version: string): boolean {
  return /^\w.*-SNAPSHOT$/.test(version);
}

/** The versions in the metadata of an artifact, highest first; those that are no usual releases come last. */
async function readVersions(text: string): Promise<string[]> {
  const versions = elementsIn(await parseXml(text), "versioning", "versions").map((it) => it.text.trim());
  return versions.toSorted((a, b) => Number(isUnusual(a)) - Number(isUnusual(b)) || compareVersions(b, a));
}

/** @throws VersionNotFound */
function pickVersion(versions: readonly string[], { name, wanted }: { name: string; wanted: string }): string {
  const matching = isRange(wanted)
    ? versions.filter((version) => isInRange(version, wanted))
    : versions.filter((version) => version.startsWith(`${wanted}.`));
  const picked = /^(?:latest|release)$/i.test(wanted)
    ? versions[0]
    : (versions.find((version) => version === wanted) ?? matching[0]);
  if (picked === undefined) throw missing(name, wanted, versions);
  return picked;
}

function missing(name: string, wanted: string, known: readonly string[]): CitewellError {
  return noVersion(name, wanted, { newest: known[0], close: nearest(wanted, known) });
}

/** The version in the names of the files: of a snapshot, the time and number of its last build. */
async function fileVersion(
  version: string,
  { place, folder, signal }: { place: Place; folder: string; signal: AbortSignal },
): Promise<string> {
  if (!isSnapshot(version)) return version;
  const metadata = await parseXml(await place.read(`${folder}${version}/maven-metadata.xml`, signal));
  const files = elementsIn(metadata, "versioning", "snapshotVersions");
  const sources = files.find((it) => textOf(it, "classifier") === "sources" && textOf(it, "extension") === "jar");
  const value = textOf(sources ?? files[0], "value") ?? version;
  return isPlainPart(value) ? value : version;
}

/** The checksums beside a file; undefined if there are none. */
async function readChecksums(
  file: string,
  { place, signal }: { place: Place; signal: AbortSignal },
): Promise<string | undefined> {
  const texts = ["sha512", "sha256", "sha1"].map(async (algorithm) => {
    const text = await place.read(`${file}.${algorithm}`, signal).catch((error: unknown) => {
      if (isMissing(error)) return "";
      throw error;
    });
    return `${algorithm}:${/[0-9a-f]{40,128}/i.exec(text)?.[0] ?? ""}`;
  });
  return integrityOf(await Promise.all(texts));
}

/** With its parents, which often have the address of the source repository. */
async function readPublishedPom(
  first: string,
  { place, signal }: { place: Place; signal: AbortSignal },
): Promise<Pom | undefined> {
  return readPom(first, {
    async read(path) {
      // A parent beside the file is for trees of source.
      if (!path.endsWith(".pom")) return undefined;
      try {
        return await parseXml(await place.read(path, signal));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async placeOf({ group, artifact, version }) {
      if (![group, artifact, version].every(isPlainPart)) return undefined;
      return `${group.replaceAll(".", "/")}/${artifact}/${version}/${artifact}-${version}.pom`;
    },
  });
}

function withoutSources({
  name,
  version,
  host,
  pom: { source, relocation },
}: {
  name: string;
  version: string;
  host: string;
  pom: Pom;
}): CitewellError {
  if (relocation !== undefined) {
    return new CitewellError("PackageUnreadable", `${name} ${version} has moved to ${relocation}`, {
      hint: `name ${relocation} instead`,
    });
  }
  const [, repository] = /((?:https?|git|ssh):\/\/[^\s?#]+)/.exec(source.url ?? "") ?? [];
  const tag = source.tag === undefined || source.tag === "HEAD" ? "" : `@${source.tag}`;
  const address = repository
    ?.replace(/^(?:http|git|ssh)(?=:)/, "https")
    .replace(/\/\/[^/@]*@/, "//")
    .replace(/\.git$/, "");
  const hint =
    address === undefined
      ? "add its source repository as a resource"
      : `add its source repository instead: ${address}${tag}`;
  const elsewhere = address === undefined ? "" : `; its source is at ${address}`;
  return new CitewellError("PackageUnreadable", `${name} ${version} has no sources JAR on ${host}${elsewhere}`, {
    hint,
  });
}

async function writeOwnPages(
  directory: string,
  { name, version, pom }: { name: string; version: string; pom: Pom | undefined },
): Promise<void> {
  const dependencies = pom?.dependencies.filter(({ scope }) => scope !== "test") ?? [];
  const page = formatPage([
    `# ${name} ${version}`,
    pom?.description,
    formatFacts([
      ["Moved to", pom?.relocation],
      ["Source", pom?.source.url],
      ["License", pom?.license],
    ]),
    formatList(
      "Dependencies",
      dependencies.map((it) => `${it.group}:${it.artifact}${it.version === undefined ? "" : ` ${it.version}`}`),
    ),
  ]);
  await writePages(directory, {
    metadata: {
      name,
      version,
      source: pom?.source,
      dependencies,
      ...(pom?.relocation === undefined ? {} : { deprecated: `it has moved to ${pom.relocation}` }),
    },
    page,
    readme: pom?.description ?? "",
  });
}
