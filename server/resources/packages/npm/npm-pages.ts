import * as z from "zod";
import { ownValue } from "../files.ts";
import { formatFacts, formatList, formatPage, type PackagePages } from "../package-pages.ts";
import type { Packument } from "./packument.ts";

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

/** The content of a version's registry page. */
export function pagesOf(packument: Packument, version: string): PackagePages {
  const metadata = metadataOf(packument, version);
  return { metadata, page: pageOf(metadata), readme: History.parse(packument).readme ?? "" };
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

function pageOf(metadata: Metadata): string {
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
  return formatPage([
    `# ${name} ${version}`,
    metadata.description,
    metadata.deprecated === undefined ? undefined : `**Deprecated:** ${metadata.deprecated}`,
    `\`\`\`sh\nnpm install ${wanted}\n\`\`\``,
    formatFacts(facts),
    formatRanges("Needs", metadata.engines),
    formatRanges("Dependencies", metadata.dependencies),
    formatRanges("Peer dependencies", metadata.peerDependencies),
    formatRanges("Optional dependencies", metadata.optionalDependencies),
  ]);
}

function formatRanges(title: string, ranges: Readonly<Record<string, string>>): string | undefined {
  return formatList(
    title,
    Object.entries(ranges).map(([name, range]) => `${name} ${range}`),
  );
}
