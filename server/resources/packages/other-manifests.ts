import { readdir } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { stopWords } from "../../source/words.ts";
import { exists, foldersUpFrom, readJsonFile, readTextFile, readYamlFile } from "./files.ts";
import { foldersOf, type PackageLocation } from "./package-location.ts";

/** A manifest whose dependencies cannot be resources, because no ecosystem reads it. */
export interface OtherManifest {
  file: string;
  /** `Elixir packages` */
  what: string;
}

/** A dependency in such a manifest. */
interface Listed {
  name: string;
  /** The address of its repository, where the manifest has it. */
  url?: string;
}

interface ManifestForm {
  what: string;
  read(file: string): Promise<readonly Listed[]>;
  /** Where the package manager keeps the source of a dependency, in the manifest's folder. */
  sources?: string;
}

const Imports = z.object({ imports: z.record(z.string(), z.string()).catch({}) });
const Section = z.record(z.string(), z.unknown()).nullish().catch({});
const Pubspec = z.object({ dependencies: Section, dev_dependencies: Section });

/** By the name of the manifest. */
const forms: Readonly<Record<string, ManifestForm>> = {
  Gemfile: { what: "Ruby gems without a Gemfile.lock", read: namesBy(/^\s*gem\s*\(?\s*["']([\w.-]+)["']/gm) },
  "deno.json": {
    what: "Deno's packages",
    async read(file) {
      const { imports = {} } = Imports.safeParse(await readJsonFile(file)).data ?? {};
      return Object.keys(imports).map((name) => ({ name: name.replace(/\/$/, "") }));
    },
  },
  "mix.exs": { what: "Elixir packages", read: namesBy(/\{\s*:(\w+)\s*,/g), sources: "deps" },
  "pubspec.yaml": {
    what: "Dart packages",
    async read(file) {
      const { dependencies, dev_dependencies: others } = Pubspec.safeParse(await readYamlFile(file)).data ?? {};
      return Object.keys({ ...dependencies, ...others }).map((name) => ({ name }));
    },
  },
  "Package.swift": {
    what: "Swift packages",
    sources: ".build/checkouts",
    async read(file) {
      const text = (await readTextFile(file)) ?? "";
      return [...text.matchAll(/\burl:\s*"(https:\/\/[^"\s]+?)(?:\.git)?"/g)].map(([, url = ""]) => ({
        name: url.slice(url.lastIndexOf("/") + 1),
        url,
      }));
    },
  },
};

function namesBy(pattern: RegExp): ManifestForm["read"] {
  return async (file) => [...((await readTextFile(file)) ?? "").matchAll(pattern)].map(([, name = ""]) => ({ name }));
}

/** The manifests in a folder that no ecosystem reads. */
export async function findOtherManifests(folder: string): Promise<OtherManifest[]> {
  const files = await readdir(folder).catch((): string[] => []);
  return Object.entries(forms).flatMap(([file, { what }]) => {
    const isRead = file === "Gemfile" && files.includes("Gemfile.lock");
    return files.includes(file) && !isRead ? [{ file, what }] : [];
  });
}

/** A dependency that a text names and that cannot be opened as a package. */
export interface UnreadDependency extends OtherManifest {
  name: string;
  /** What names its source as a resource: a folder, or the address of its repository. */
  reference: string | undefined;
  /** The folder that has its source once it is fetched, from that of the manifest. */
  folder: string | undefined;
}

/** The dependencies in the nearest of these manifests that a text names as a word. */
export async function findUnreadNamed(text: string, location: PackageLocation): Promise<UnreadDependency[]> {
  const words = new Set((text.match(/[@\w][\w./@-]*/g) ?? []).map((word) => spell(word.replace(/\.+$/, ""))));
  const isNamed = ({ name }: Listed) =>
    words.has(spell(name)) && (!stopWords.has(name) || text.includes(`\`${name}\``));
  const found = new Map<string, UnreadDependency>();
  for (const cwd of foldersOf(location)) {
    for (const folder of foldersUpFrom(cwd)) {
      const manifests = await findOtherManifests(folder);
      for (const manifest of manifests) {
        const { read, sources } = forms[manifest.file] ?? {};
        for (const listed of ((await read?.(path.join(folder, manifest.file))) ?? []).filter(isNamed)) {
          const { name, url } = listed;
          const below = sources === undefined ? undefined : `${sources}/${name}`;
          const own = below === undefined ? undefined : path.join(folder, below);
          const isThere = own !== undefined && (await exists(own));
          found.set(name, { ...manifest, name, reference: isThere ? own : url, folder: below });
        }
      }
      if (manifests.length > 0) break;
    }
  }
  return [...found.values()];
}

function spell(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
