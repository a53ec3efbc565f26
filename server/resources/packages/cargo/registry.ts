import path from "node:path";
import * as z from "zod";
import { parseJson } from "../../../lib/parse-json.ts";
import type { Registry, RegistryReach, Release, Wanted } from "../ecosystem.ts";
import { integrityOf } from "../integrity.ts";
import { formatFacts, formatList, formatPage, writePages } from "../package-pages.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { dayOf } from "../published-day.ts";
import { pickVersion } from "../pick-version.ts";
import { clientsOf, isPackageMissing, type RegistryClient } from "../registry-client.ts";
import { failed, type RegistryAdvice } from "../registry-faults.ts";
import { readTomlFile } from "../toml.ts";
import { type CargoConfig, cratesIo, readCargoConfig } from "./cargo-config.ts";
import { openProject } from "./manifest.ts";
import { versionRules } from "./requirements.ts";
import { findDeclared } from "./version-choice.ts";

const advice: RegistryAdvice = {
  certificates: "set CARGO_HTTP_CAINFO, or http.cainfo in Cargo's config.toml",
  showRegistry: "[registries] and [source] in .cargo/config.toml",
  signIn: () => "cargo login --registry <name>, with the registry in the config.toml of Cargo's home",
  missing: () => "check its spelling: a crate may have another name than the library in it",
};

/** The sparse index of the registry that the project takes a crate from. */
export async function openCargoRegistry(name: string, { location, network }: RegistryReach): Promise<Registry> {
  const config = await readCargoConfig(location);
  const { url, access } = config.open(await indexOf(name, { config, location }));
  const client = clientsOf(access, { networks: [network, config.network], advice })(url);
  return {
    id: url,
    find: (wanted, { signal }) => findRelease(wanted, { url, client, signal }),
    list: async (crate, { signal }) =>
      (await readIndex(crate, { url, client, signal }))
        .filter(({ yanked }) => !yanked)
        .toSorted((a, b) => versionRules.compare(a.vers, b.vers))
        .map(({ vers, pubtime }) => ({ version: vers, date: dayOf(pubtime) })),
  };
}

/** @throws RegistryFailed (replaced by a folder) */
async function indexOf(
  name: string,
  { config, location }: { config: CargoConfig; location: PackageLocation },
): Promise<string> {
  const origin = config.originOf(await sourceOf(name, { config, location }));
  if (origin?.type === "registry") return origin.index;
  throw failed(
    `${name} is not in ${origin?.folder ?? "a registry"}, which Cargo's configuration uses instead of a registry`,
    "run cargo vendor again, or remove replace-with from .cargo/config.toml",
  );
}

async function sourceOf(
  name: string,
  { config, location }: { config: CargoConfig; location: PackageLocation },
): Promise<string> {
  for (const cwd of foldersOf(location)) {
    const project = await openProject(cwd);
    if (project === undefined) continue;
    const locked = (await project.lock())
      ?.named(name)
      .find(({ source }) => /^(?:registry|sparse)\+/.test(source ?? ""));
    if (locked?.source !== undefined) return locked.source;
    const registry = (await findDeclared(name, project))?.registry;
    if (registry !== undefined) return config.sourceOf(registry);
  }
  return cratesIo;
}

const IndexConfig = z.object({ dl: z.string() });
const IndexLine = z.object({
  name: z.string(),
  vers: z.string(),
  cksum: z.string(),
  yanked: z.boolean().catch(false),
  deps: z
    .array(
      z.object({ name: z.string(), req: z.string(), kind: z.string().nullish(), optional: z.boolean().catch(false) }),
    )
    .catch([]),
  features: z.record(z.string(), z.array(z.string())).catch({}),
  features2: z.record(z.string(), z.array(z.string())).catch({}),
  pubtime: z.string().nullish().catch(undefined),
  rust_version: z.string().nullish().catch(undefined),
});

/** A version as the index has it. */
export type IndexedVersion = z.infer<typeof IndexLine>;

async function findRelease(
  wanted: Wanted,
  { url, client, signal }: { url: string; client: RegistryClient; signal: AbortSignal },
): Promise<Release> {
  const { dl } = await readIndexConfig(wanted, { url, client, signal });
  const lines = await readIndex(wanted.name, { url, client, signal });
  const isWithdrawn = (version: string) => lines.some(({ vers, yanked }) => vers === version && yanked);
  const version = pickVersion(
    lines.map(({ vers }) => vers),
    wanted,
    { ...versionRules, isWithdrawn },
  );
  const line = lines.find(({ vers }) => vers === version);
  if (line === undefined) throw failed(`the index has no ${wanted.name} ${version}`, "ask the registry's operator");
  const integrity = integrityOf([`sha256:${line.cksum}`]);
  if (integrity === undefined) {
    throw failed(`${line.name} ${line.vers} has no checksum in the index`, "ask the registry's operator");
  }
  const address = downloadUrl(dl, line);
  if (!URL.canParse(address)) throw failed(`the index names no address for downloads: "${dl}"`, "ask its operator");
  return {
    version: line.vers,
    integrity,
    archive: "tarball",
    download: (target, options) => client.download(new URL(address), target, options),
    writePages: (directory) => writeOwnPages(directory, { line, lines }),
  };
}

async function readIndexConfig(
  { name }: Wanted,
  { url, client, signal }: { url: string; client: RegistryClient; signal: AbortSignal },
): Promise<z.infer<typeof IndexConfig>> {
  const address = new URL("config.json", url);
  const text = await client.read(address, { accept: "application/json", packageName: name, signal }).then(
    (answer) => answer.text,
    (error: unknown) => {
      if (isPackageMissing(error)) return "";
      throw error;
    },
  );
  const config = IndexConfig.safeParse(parseJson(text)).data;
  if (config !== undefined) return config;
  throw failed(`${address.host} did not answer with a sparse index's config.json`, `see ${advice.showRegistry}`);
}

/** A name in another spelling, `serde-json`, is looked for with all of its dashes, and with all of its underscores. */
async function readIndex(
  name: string,
  { url, client, signal }: { url: string; client: RegistryClient; signal: AbortSignal },
): Promise<IndexedVersion[]> {
  const spellings = [...new Set([name, name.replaceAll("_", "-"), name.replaceAll("-", "_")])];
  let missing: unknown;
  for (const spelling of spellings) {
    try {
      const address = new URL(`${prefixOf(spelling.toLowerCase())}/${spelling.toLowerCase()}`, url);
      const { text } = await client.read(address, { accept: "text/plain", packageName: name, signal });
      const lines = text.split("\n").flatMap((line) => IndexLine.safeParse(parseJson(line)).data ?? []);
      if (lines.length > 0) return lines;
      throw failed(`${address.host} did not answer with the versions of ${name}`, `see ${advice.showRegistry}`);
    } catch (error) {
      if (!isPackageMissing(error)) throw error;
      missing ??= error;
    }
  }
  throw missing;
}

/** `1`, `2`, `3/s`, `se/rd` (https://doc.rust-lang.org/cargo/reference/registry-index.html#index-files). */
function prefixOf(name: string): string {
  if (name.length <= 2) return String(name.length);
  return name.length === 3 ? `3/${name.slice(0, 1)}` : `${name.slice(0, 2)}/${name.slice(2, 4)}`;
}

/** The address of an archive: `dl` with its markers filled in, or with the usual path. */
function downloadUrl(dl: string, { name, vers, cksum }: IndexedVersion): string {
  const values: Readonly<Record<string, string>> = {
    crate: name,
    version: vers,
    prefix: prefixOf(name),
    lowerprefix: prefixOf(name.toLowerCase()),
    "sha256-checksum": cksum,
  };
  const marker = /\{(crate|version|prefix|lowerprefix|sha256-checksum)\}/g;
  const template = dl.search(marker) === -1 ? `${dl.replace(/\/$/, "")}/{crate}/{version}/download` : dl;
  return template.replace(marker, (_, key: string) => encodeURIComponent(values[key] ?? "").replaceAll("%2F", "/"));
}

const Text = z.string().optional().catch(undefined);
const Texts = z.array(z.string()).catch([]);
const Package = z
  .object({
    package: z.object({
      description: Text,
      license: Text,
      repository: Text,
      homepage: Text,
      documentation: Text,
      keywords: Texts,
      categories: Texts,
    }),
  })
  .transform((manifest) => manifest.package);

/** The page from the archive's manifest, and what the index has of the version. */
async function writeOwnPages(
  directory: string,
  { line, lines }: { line: IndexedVersion; lines: readonly IndexedVersion[] },
): Promise<void> {
  const { name, vers: version } = line;
  const about = Package.safeParse(await readTomlFile(path.join(directory, "Cargo.toml"))).data;
  const features = Object.entries({ ...line.features, ...line.features2 });
  const dependencies = line.deps.map(({ name, req, kind, optional }) => {
    const notes = [...(kind && kind !== "normal" ? [kind] : []), ...(optional ? ["optional"] : [])];
    return `${name} ${req}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
  });
  const page = formatPage([
    `# ${name} ${version}`,
    about?.description?.trim(),
    `\`\`\`sh\ncargo add ${name}@${version}\n\`\`\``,
    formatFacts([
      ["License", about?.license],
      ["Rust", line.rust_version ?? undefined],
      ["Repository", about?.repository],
      ["Homepage", about?.homepage],
      ["Documentation", about?.documentation],
      ["Keywords", about?.keywords.join(", ")],
      ["Categories", about?.categories.join(", ")],
      ["Yanked", line.yanked ? "yes" : undefined],
      ["Versions", String(lines.length)],
    ]),
    formatList(
      "Features",
      features.map(([feature, list]) => (list.length === 0 ? feature : `${feature}: ${list.join(", ")}`)),
    ),
    formatList("Dependencies", dependencies),
  ]);
  const versions = lines.map(({ vers, yanked }) => (yanked ? `${vers} (yanked)` : vers)).toReversed();
  await writePages(directory, { metadata: { ...line, ...about, versions }, page, readme: "" });
}
