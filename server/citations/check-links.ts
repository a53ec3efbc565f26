import path from "node:path";
import type { FileLink } from "../protocol/verify.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { CitedResources } from "./cited-resources.ts";
import { findLinks, type FoundLink } from "./find-links.ts";

type Checked = Omit<FileLink, "target" | "at">;

/**
 * Checks whether the relative links of a Markdown document lead to a file or folder: of the document's project, else of
 * the resources that the request names, else beside the document on this computer. None of a text without a place.
 */
export async function checkLinks(text: string, { cited }: { cited: CitedResources }): Promise<FileLink[]> {
  const links = findLinks(text);
  if (links.length === 0) return [];
  const own = await cited.own();
  if (own?.type === "failed") {
    const { resource, reason } = own;
    return links.map((link) => report(link, { state: "not-checked", resource, path: link.path, reason }));
  }
  const named = own === undefined && cited.areNamed ? await cited.others() : [];
  const snapshots =
    own === undefined ? named.flatMap((one) => (one.type === "snapshot" ? [one.snapshot] : [])) : [own.snapshot];
  const trees = snapshots.map((snapshot) => openTree(snapshot, cited.folder));
  if (trees.length === 0 && cited.folder === undefined) return [];
  const checked: FileLink[] = [];
  for (const link of links) checked.push(report(link, await check(link, { trees, cited })));
  return checked;
}

function report({ line, target }: FoundLink, checked: Checked): FileLink {
  return { target, ...checked, at: { line, text: target } };
}

/** The files of a snapshot, and the document's folder in it, if it is there. */
interface Tree {
  resource: string;
  folder: string | undefined;
  has(file: string): boolean;
}

function openTree({ resource, files, skipped, info }: Snapshot, folder: string | undefined): Tree {
  const entries = new Set([""]);
  for (const file of [...files, ...skipped]) {
    for (let entry = file.path; entry !== "." && !entries.has(entry); entry = path.posix.dirname(entry))
      entries.add(entry);
  }
  const relative =
    info.directory === undefined || folder === undefined ? undefined : path.relative(info.directory, folder);
  const isWithin = relative !== undefined && !/^\.\.(?:[/\\]|$)/.test(relative) && !path.isAbsolute(relative);
  return {
    resource,
    folder: isWithin ? relative.split(path.sep).join("/") : undefined,
    has: (file) => entries.has(file),
  };
}

async function check(
  link: FoundLink,
  { trees, cited }: { trees: readonly Tree[]; cited: CitedResources },
): Promise<Checked> {
  const outside: Checked[] = [];
  for (const tree of trees) {
    const places = placesOf(link.path, tree.folder);
    if (places.length === 0)
      outside.push({ state: "outside", resource: tree.resource, path: link.path, reason: leadsOut });
    const found = places.flatMap(spellingsOf).find((place) => tree.has(place));
    if (found !== undefined) return { state: "found", resource: tree.resource, path: found };
  }
  const [first] = outside;
  if (first !== undefined) return first;
  return (await onDisk(link.path, cited)) ?? missing(link.path, trees);
}

const leadsOut = "it leads out of the project";

/** From the document's folder; after `/`, from the root or, as sites have it, from a folder above the document. */
function placesOf(written: string, folder = ""): string[] {
  const isFromRoot = written.startsWith("/");
  const parts = folder === "" ? [] : folder.split("/");
  const folders = isFromRoot
    ? [...parts.keys(), parts.length].map((count) => parts.slice(0, count).join("/"))
    : [folder];
  return folders
    .map((one) => path.posix.join(one, `./${written}`))
    .filter((place) => !/^\.\.(?:\/|$)/.test(place))
    .map(trim);
}

function trim(place: string): string {
  return place.replace(/\/+$/, "").replace(/^\.$/, "");
}

/** A page of a site may leave out what its file ends with. */
function spellingsOf(place: string): string[] {
  const page = place.replace(/\.html$/, "");
  const name = page.slice(page.lastIndexOf("/") + 1);
  return name.includes(".") && page === place ? [place] : [place, `${page}.md`, `${page}.mdx`];
}

/** Files that the project ignores, and those beside a document that belongs to none. */
async function onDisk(written: string, { folder, onDisk: find }: CitedResources): Promise<Checked | undefined> {
  if (folder === undefined || written.startsWith("/")) return undefined;
  const found = await find(path.resolve(folder, written));
  if (found?.type !== "file") return undefined;
  return { state: "found", resource: found.snapshot.resource, path: found.path };
}

function missing(written: string, trees: readonly Tree[]): Checked {
  const [tree] = trees;
  const names = trees.map(({ resource }) => resource).join(", ");
  const fromRoot = trim(path.posix.normalize(written.replace(/^\/+/, "")));
  const isFromRoot = tree?.folder !== undefined && tree.folder !== "" && tree.has(fromRoot) && !written.startsWith("/");
  const hint = isFromRoot ? `; /${fromRoot} is there, from the root` : "";
  const where = names === "" ? "beside the document" : `in ${names}`;
  return { state: "missing", resource: tree?.resource ?? "", path: written, reason: `no such file ${where}${hint}` };
}
