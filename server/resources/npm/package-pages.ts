import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { ownValue, readTextFile } from "./files.ts";
import type { Packument } from "./packument.ts";

/** The folder beside a package's own files with pages about it from the registry. */
export const pagesFolder = ".citewell-package";

const Text = z.string().optional().catch(undefined);
const Texts = z.array(z.string()).catch([]);
const Ranges = z.record(z.string(), z.string()).catch({});
/** `"MIT"`, or `{ type: "MIT" }` in old packages; `"github:owner/name"`, or `{ url }`. */
const TextOr = (key: "type" | "url") =>
  z
    .union([z.string(), z.looseObject({ [key]: z.string() }).transform((value) => String(value[key]))])
    .optional()
    .catch(undefined);
const People = z.array(z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)])).catch([]);

/** Fields of a package and of one version; fields of another shape count as absent. */
const Facts = z.object({
  description: Text,
  keywords: Texts,
  license: TextOr("type"),
  homepage: Text,
  repository: TextOr("url"),
  bugs: TextOr("url"),
  maintainers: People,
  deprecated: Text,
  engines: Ranges,
  dependencies: Ranges,
  peerDependencies: Ranges,
  optionalDependencies: Ranges,
});
const History = z.object({ time: z.record(z.string(), z.string()).catch({}), readme: Text });

/** Writes the content of a version's registry page beside its files, which are already in `directory`. */
export async function writePackagePages(
  directory: string,
  { packument, version }: { packument: Packument; version: string },
): Promise<void> {
  const metadata = metadataOf(packument, version);
  const readme = (await readOwnReadme(directory)) ?? History.parse(packument).readme ?? "";
  const folder = path.join(directory, pagesFolder);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "metadata.json"), `${JSON.stringify(metadata, undefined, 2)}\n`);
  await writeFile(path.join(folder, "README.md"), readme);
  await writeFile(path.join(folder, "page.md"), formatPage(metadata));
}

type Metadata = ReturnType<typeof metadataOf>;

function metadataOf(packument: Packument, version: string) {
  const { time } = History.parse(packument);
  const manifest = z.looseObject({}).parse(ownValue(packument.versions, version));
  return {
    name: packument.name,
    version,
    // Some registries list maintainers only for the package.
    ...Facts.parse({ maintainers: packument["maintainers"], ...manifest }),
    publishedAt: ownValue(time, version),
    "dist-tags": packument["dist-tags"],
    createdAt: ownValue(time, "created"),
    modifiedAt: ownValue(time, "modified"),
    versions: Object.keys(packument.versions),
  };
}

function formatPage(metadata: Metadata): string {
  const { name, version, "dist-tags": tags } = metadata;
  const wanted = ownValue(tags, "latest") === version ? name : `${name}@${version}`;
  const facts: [string, string | undefined][] = [
    ["Published", metadata.publishedAt],
    [
      "Tags",
      Object.entries(tags)
        .map((entry) => entry.join(" "))
        .join(", "),
    ],
    ["Licence", metadata.license],
    ["Repository", metadata.repository],
    ["Homepage", metadata.homepage],
    ["Issues", metadata.bugs],
    ["Maintainers", String(metadata.maintainers.length || "")],
    ["Keywords", metadata.keywords.join(", ")],
    ["Versions", String(metadata.versions.length)],
    ["First published", metadata.createdAt],
  ];
  const sections = [
    `# ${name} ${version}`,
    metadata.description,
    metadata.deprecated === undefined ? undefined : `**Deprecated:** ${metadata.deprecated}`,
    `\`\`\`sh\nnpm install ${wanted}\n\`\`\``,
    facts.flatMap(([label, value]) => (value ? [`- ${label}: ${value}`] : [])).join("\n"),
    formatRanges("Needs", metadata.engines),
    formatRanges("Dependencies", metadata.dependencies),
    formatRanges("Peer dependencies", metadata.peerDependencies),
    formatRanges("Optional dependencies", metadata.optionalDependencies),
  ];
  return `${sections.filter((section) => section !== undefined).join("\n\n")}\n`;
}

function formatRanges(title: string, ranges: Readonly<Record<string, string>>): string | undefined {
  const rows = Object.entries(ranges).map(([name, range]) => `- ${name} ${range}`);
  return rows.length === 0 ? undefined : [`## ${title}`, "", ...rows].join("\n");
}

/** The tarball's readme belongs to this version; the registry's may be from a later one. */
async function readOwnReadme(directory: string): Promise<string | undefined> {
  const names = (await readdir(directory)).filter((name) => /^readme(\.(md|markdown|mkd|txt|rst))?$/i.test(name));
  const name = names.toSorted().find((name) => /\.(md|markdown|mkd)$/i.test(name)) ?? names[0];
  return name === undefined ? undefined : readTextFile(path.join(directory, name));
}
