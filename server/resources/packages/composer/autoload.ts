import path from "node:path";
import { exists, readTextFile } from "../files.ts";
import { type ComposerEntry, type ComposerProject, installedFolder } from "./project.ts";

/** Where a package may have a class, by a prefix of its name: https://getcomposer.org/doc/04-schema.md#autoload */
interface Place {
  entry: ComposerEntry;
  prefix: string;
  /** In the package's folder. */
  file: string;
}

/**
 * The installed package that has a class, function or namespace: by the file that its prefix means, else by the map of
 * classes that Composer has written, else by the longest prefix, if only one package has it.
 */
export async function findByClass(name: string, project: ComposerProject): Promise<ComposerEntry | undefined> {
  const own = name.replace(/^\\/, "");
  if (!/^\w+(?:\\\w+)*$/.test(own)) return undefined;
  const places = project.installed
    .flatMap((entry) => placesIn(entry, own))
    .toSorted((a, b) => b.prefix.length - a.prefix.length);
  for (const { entry, file } of places) {
    const folder = await installedFolder(entry, project);
    if (folder !== undefined && (await exists(path.join(folder, file)))) return entry;
  }
  const mapped = await findInClassMap(own, project);
  if (mapped !== undefined) return mapped;
  const [first] = places;
  const equal = new Set(places.filter(({ prefix }) => prefix === first?.prefix).map(({ entry }) => entry));
  return first?.prefix === "" || equal.size !== 1 ? undefined : first?.entry;
}

function placesIn(entry: ComposerEntry, name: string): Place[] {
  const { "psr-4": psr4 = {}, "psr-0": psr0 = {} } = entry.autoload ?? {};
  const among = (prefixes: typeof psr4, fileOf: (prefix: string) => string) =>
    Object.entries(prefixes)
      .filter(([prefix]) => `${name}\\`.startsWith(prefix))
      .flatMap(([prefix, folders]) =>
        folders.map((folder) => ({ entry, prefix, file: path.join(folder, `${fileOf(prefix)}.php`) })),
      );
  const slashed = (text: string) => text.replaceAll("\\", "/");
  const last = name.lastIndexOf("\\") + 1;
  return [
    ...among(psr4, (prefix) => slashed(name.slice(prefix.length))),
    ...among(psr0, () => `${slashed(name.slice(0, last))}${name.slice(last).replaceAll("_", "/")}`),
  ];
}

/** The map is PHP that Composer has generated, a class on a line. */
async function findInClassMap(
  name: string,
  { vendor, installed }: ComposerProject,
): Promise<ComposerEntry | undefined> {
  const text = (await readTextFile(path.join(vendor, "composer", "autoload_classmap.php"))) ?? "";
  const start = `'${name.replaceAll("\\", "\\\\")}' => $vendorDir . '/`;
  const at = text.indexOf(start);
  const file = at === -1 ? "" : text.slice(at + start.length, text.indexOf("'", at + start.length));
  return installed.find((entry) => file.startsWith(`${entry.name}/`));
}
