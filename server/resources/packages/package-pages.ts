import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { readTextFile } from "./files.ts";

/** The folder beside a package's own files with pages about it from the registry. */
export const pagesFolder = ".citewell-package";

/** What a registry publishes about a version: its metadata, and the page and readme that it shows. */
export interface PackagePages {
  metadata: unknown;
  page: string;
  /** The registry's readme, for a package without its own. */
  readme: string;
}

/** Writes the pages beside the package's files, which are already in `directory`. */
export async function writePages(directory: string, { metadata, page, readme }: PackagePages): Promise<void> {
  const own = await readOwnReadme(directory);
  const folder = path.join(directory, pagesFolder);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "metadata.json"), `${JSON.stringify(metadata, undefined, 2)}\n`);
  await writeFile(path.join(folder, "README.md"), own ?? readme);
  await writeFile(path.join(folder, "page.md"), page);
}

/** A page of sections; absent ones and facts without a value are left out. */
export function formatPage(sections: readonly (string | undefined)[]): string {
  return `${sections.filter((section) => section !== undefined).join("\n\n")}\n`;
}

export function formatFacts(facts: readonly [string, string | undefined][]): string {
  return facts.flatMap(([label, value]) => (value ? [`- ${label}: ${value}`] : [])).join("\n");
}

export function formatList(title: string, rows: readonly string[]): string | undefined {
  return rows.length === 0 ? undefined : [`## ${title}`, "", ...rows.map((row) => `- ${row}`)].join("\n");
}

/** The archive's readme belongs to this version; the registry's may be from a later one. */
async function readOwnReadme(directory: string): Promise<string | undefined> {
  const names = (await readdir(directory)).filter((name) => /^readme(\.(md|markdown|mkd|txt|rst))?$/i.test(name));
  const name = names.toSorted().find((name) => /\.(md|markdown|mkd)$/i.test(name)) ?? names[0];
  return name === undefined ? undefined : readTextFile(path.join(directory, name));
}
