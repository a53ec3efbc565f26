/**
 * An ecosystem as a contributor would add it (docs/development/adding-an-ecosystem.md): packages are folders in `toys`,
 * else come from a registry with a JSON file and a tarball for each. New files are complete; existing tables are edited by
 * text replacements.
 */
export const toyEcosystem: Readonly<Record<string, string | readonly (readonly [before: string, after: string])[]>> = {
  "server/protocol/kinds/names.ts": [
    ['"nuget"] as const', '"nuget", "toy"] as const'],
    ['  golang: ["go"', '  toy: ["toy"],\n  golang: ["go"'],
  ],
  "server/protocol/kinds/packages.ts": [
    [
      "/** The pure half of each ecosystem's packages",
      `const toy = packageKind({
  type: "toy",
  id: "ToyResource",
  about: "A toy.",
  Name: PypiName,
  example: "duck",
  noun: "toy",
  snippet: { package: "\${1:toy}" },
  label: (l10n) => l10n.t("Toy"),
  summary: (l10n) => l10n.t("The one in your box, or any other"),
  prompt: (l10n) => ({ prompt: l10n.t("The toy's name."), placeholder: "duck" }),
  readPage: ({ hostname, pathname }) => (hostname === "toys.example" ? pathname.slice(1) : undefined),
  isExact: (version) => /^\\d+$/.test(version),
});

/** The pure half of each ecosystem's packages`,
    ],
    ["packageKinds = { npm,", "packageKinds = { toy, npm,"],
  ],
  "server/resources/packages/toy/toy.ts": `import path from "node:path";
import * as z from "zod";
import { parseJson } from "../../../lib/parse-json.ts";
import { fromRegistry } from "../choices.ts";
import type { Ecosystem, VersionChoice } from "../ecosystem.ts";
import { readJsonFile, readTextFile } from "../files.ts";
import { integrityOf } from "../integrity.ts";
import { wordTest } from "../named-in-text.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { clientsOf } from "../registry-client.ts";
import { createRequestRule } from "../registry-config.ts";
import { failed } from "../registry-faults.ts";

const Manifest = z.object({ toys: z.array(z.string()) });
const Published = z.object({ version: z.string(), sha256: z.string() });
const isExact = (version: string) => /^\\d+$/.test(version);
const advice = {
  certificates: "trust it",
  showRegistry: "TOY_REGISTRY",
  signIn: () => "ask the shop",
  missing: () => "check its spelling",
};

async function choose(name: string, version: string | null | undefined, location: PackageLocation): Promise<VersionChoice> {
  for (const cwd of foldersOf(location)) {
    const folder = path.join(cwd, "toys", name);
    const found = (await readTextFile(path.join(folder, "VERSION")))?.trim();
    if (found === undefined || (version && version !== found)) continue;
    return { type: "installed", installed: { folder, name, version: found, integrity: undefined }, origin: "in the box" };
  }
  return fromRegistry(name, version, { isExact });
}

async function namesNear({ cwd }: PackageLocation): Promise<{ name: string }[]> {
  const manifest = Manifest.safeParse(await readJsonFile(path.join(cwd, "toys.json"))).data;
  return (manifest?.toys ?? []).map((name) => ({ name }));
}

export const toyEcosystem: Ecosystem = {
  type: "toy",
  choose: ({ package: name, version }, location) => choose(name, version, location),
  isExact,
  onDisk: { noun: "Toys", fix: "get some", places: async () => [] },
  async openRegistry(name, { location, network }) {
    const url = location.env["TOY_REGISTRY"] ?? "https://toys.example/";
    const mayRequest = createRequestRule([url]);
    const access = { mayRequest, requiresPublic: location.isAnonymous === true, authorizationFor: () => undefined };
    const client = clientsOf(access, { networks: [network], advice })(url);
    const readPublished = async (signal: AbortSignal) => {
      const { text } = await client.read(new URL(\`\${name}.json\`, url), { accept: "*/*", packageName: name, signal });
      return Published.safeParse(parseJson(text)).data ?? { version: "", sha256: "" };
    };
    return {
      id: url,
      list: async (_name, { signal }) => [{ version: (await readPublished(signal)).version, date: undefined }],
      async find(_wanted, { signal }) {
        const { version, sha256 } = await readPublished(signal);
        const integrity = integrityOf([\`sha256:\${sha256}\`]);
        if (integrity === undefined) throw failed(\`\${name} has no checksum\`, "ask the shop");
        return {
          version,
          integrity,
          archive: "tarball",
          download: (file, options) => client.download(new URL(\`\${name}.tgz\`, url), file, options),
          writePages: async () => {},
        };
      },
    };
  },
  imports: { languages: [], packagesOf: () => [] },
  async dependencies(location) {
    const lists = await Promise.all(foldersOf(location).map((cwd) => namesNear({ ...location, cwd })));
    const asked = lists.flat().map(({ name }) => ({ name, choose: () => choose(name, undefined, location) }));
    return asked.length === 0 ? undefined : { asked };
  },
  namesNear,
  nameTest: (text) => wordTest(text, { type: "toy", word: "[a-z]+" }),
};
`,
  "server/resources/packages/ecosystems.ts": [
    ["import { pypiEcosystem }", 'import { toyEcosystem } from "./toy/toy.ts";\nimport { pypiEcosystem }'],
    ["  npm: npmEcosystem,", "  toy: toyEcosystem,\n  npm: npmEcosystem,"],
  ],
};
