import { readdir } from "node:fs/promises";
import path from "node:path";
import { CitewellError } from "../../../errors.ts";
import type { ListedVersion, Registry, RegistryReach, Release, Wanted } from "../ecosystem.ts";
import { readTextFile } from "../files.ts";
import { sharesChecksum } from "../integrity.ts";
import { formatFacts, formatList, formatPage, writePages } from "../package-pages.ts";
import { dayOf } from "../published-day.ts";
import { pickVersion } from "../pick-version.ts";
import {
  clientsOf,
  firstThatHas,
  isPackageMissing,
  type RegistryClient,
  withoutCredentials,
} from "../registry-client.ts";
import { failed, type RegistryAdvice } from "../registry-faults.ts";
import { descriptionOf, fieldOf, fieldsOf } from "./metadata.ts";
import { normalizeName } from "./names.ts";
import { compareVersions, versionRules } from "./pep440.ts";
import { readPypiConfig } from "./pypi-config.ts";
import { accept, type IndexFile, readIndexPage } from "./simple-index.ts";

const advice: RegistryAdvice = {
  certificates: "set PIP_CERT, or cert in pip.conf",
  showRegistry: "pip config list",
  signIn: (address) =>
    `add ${address.hostname} to your .netrc, or a user name and password to index-url in your pip.conf`,
  missing: () => "check its spelling: a package may be imported under another name (PyYAML as yaml)",
};

/** The indexes of a package, of which the first that has it is used. */
export async function openPypiRegistry(name: string, { location, network }: RegistryReach): Promise<Registry> {
  const config = await readPypiConfig(location);
  const indexes = config.indexesOf(name);
  const clientOf = clientsOf(config, { networks: [network, config.network], advice });
  return {
    id: indexes.join(" "),
    list: (packageName, { signal }) =>
      firstThatHas(indexes, isPackageMissing, async (url) =>
        listReleases(await readFiles(packageName, { url, client: clientOf(url), signal })),
      ),
    find: (wanted, { signal }) =>
      firstThatHas(indexes, isPackageMissing, (url) => findRelease(wanted, { url, client: clientOf(url), signal })),
  };
}

async function findRelease(
  wanted: Wanted,
  { url, client, signal }: { url: string; client: RegistryClient; signal: AbortSignal },
): Promise<Release> {
  const { name } = wanted;
  const files = await readFiles(name, { url, client, signal });
  const isWithdrawn = (one: string) => files.every((it) => it.version !== one || it.isYanked);
  const version = pickVersion(versionsOf(files), wanted, { ...versionRules, isWithdrawn });
  const { filename, integrity, url: file } = pickFile(files, { ...wanted, version });
  const versions = versionsOf(files);
  return {
    version,
    integrity,
    archive: /\.(?:whl|zip)$/.test(filename) ? "zip" : "tarball",
    download: (target, options) => client.download(withoutCredentials(new URL(file)), target, options),
    writePages: (directory) => writeOwnPages(directory, { name, version, versions, filename }),
  };
}

async function readFiles(
  name: string,
  { url, client, signal }: { url: string; client: RegistryClient; signal: AbortSignal },
): Promise<IndexFile[]> {
  const first = new URL(`${normalizeName(name)}/`, url);
  const { text, address, contentType } = await client.read(first, { accept, packageName: name, signal });
  const files = readIndexPage(text, { name, contentType, address });
  if (files !== undefined) return files;
  const hint = "see whether a proxy or a sign-in page answers in the index's place";
  throw failed(`${address.host} did not answer with the files of ${name}`, hint);
}

/** The day of a version is that of its first file. */
function listReleases(files: readonly IndexFile[]): ListedVersion[] {
  const usable = files.filter(({ isYanked }) => !isYanked);
  return versionsOf(usable).map((version) => {
    const times = usable.flatMap((file) => (file.version === version ? (file.uploadedAt ?? []) : []));
    return { version, date: dayOf(times.toSorted()[0]) };
  });
}

/** Highest first. */
function versionsOf(files: readonly IndexFile[]): string[] {
  return [...new Set(files.map(({ version }) => version))].toSorted((a, b) => compareVersions(b, a));
}

/**
 * What is installed where no compiled code is needed (a pure wheel), else the sources, else the smallest wheel; of a
 * locked version one of the locked files.
 * @throws RegistryFailed (no usable file), IntegrityMismatch (none of the locked files)
 */
function pickFile(
  files: readonly IndexFile[],
  { name, version, integrity: locked }: Wanted,
): IndexFile & { integrity: string } {
  const ofVersion = files.filter((file) => file.version === version);
  const checked = ofVersion.flatMap((file) =>
    file.integrity === undefined ? [] : [{ ...file, integrity: file.integrity }],
  );
  const allowed = locked === undefined ? checked : checked.filter(({ integrity }) => sharesChecksum(integrity, locked));
  const [best] = allowed.toSorted(
    (a, b) =>
      rank(a.filename) - rank(b.filename) ||
      (a.sizeBytes ?? 0) - (b.sizeBytes ?? 0) ||
      (a.filename < b.filename ? -1 : 1),
  );
  if (best !== undefined) return best;
  if (checked.length > 0) {
    throw new CitewellError(
      "IntegrityMismatch",
      `no file of ${name} ${version} on the index has a checksum of the lockfile`,
      {
        hint: "nothing was stored; lock the project again, and if it happens again, ask the index's operator",
      },
    );
  }
  throw failed(
    `${name} ${version} has no file with a checksum on the index`,
    "ask the index's operator, or name another version",
  );
}

function rank(filename: string): number {
  if (filename.endsWith("-none-any.whl")) return filename.includes("-py3") || filename.includes(".py3") ? 0 : 1;
  if (/\.(?:tar\.gz|tgz)$/.test(filename)) return 2;
  return filename.endsWith(".zip") ? 3 : 4;
}

/** The page from the archive's own metadata: an index has files only. */
async function writeOwnPages(
  directory: string,
  {
    name,
    version,
    versions,
    filename,
  }: { name: string; version: string; versions: readonly string[]; filename: string },
): Promise<void> {
  const text = await readMetadata(directory);
  const facts = ["License", "License-Expression", "Requires-Python", "Author", "Maintainer", "Home-page", "Keywords"];
  const urls = fieldsOf(text, "Project-URL").map((url): [string, string] => {
    const [label = "", address = ""] = url.split(/,\s*/);
    return [label, address];
  });
  const readme = descriptionOf(text);
  const title = fieldOf(text, "Name") ?? name;
  const page = formatPage([
    `# ${title} ${version}`,
    fieldOf(text, "Summary"),
    `\`\`\`sh\npip install ${title}==${version}\n\`\`\``,
    formatFacts([
      ...facts.map((field): [string, string | undefined] => [field, fieldOf(text, field)?.split("\n")[0]]),
      ...urls,
      ["File", filename],
      ["Versions", String(versions.length)],
    ]),
    formatList("Dependencies", fieldsOf(text, "Requires-Dist")),
    formatList("Classifiers", fieldsOf(text, "Classifier")),
  ]);
  const metadata = {
    name: title,
    version,
    summary: fieldOf(text, "Summary"),
    requiresPython: fieldOf(text, "Requires-Python"),
    dependencies: fieldsOf(text, "Requires-Dist"),
    projectUrls: Object.fromEntries(urls),
    file: filename,
    versions,
  };
  await writePages(directory, { metadata, page, readme });
}

/** `METADATA` of a wheel, `PKG-INFO` of a source archive. */
async function readMetadata(directory: string): Promise<string> {
  const names = await readdir(directory);
  const info = names.find((name) => name.endsWith(".dist-info"));
  const file = info === undefined ? "PKG-INFO" : path.join(info, "METADATA");
  return (await readTextFile(path.join(directory, file))) ?? "";
}
