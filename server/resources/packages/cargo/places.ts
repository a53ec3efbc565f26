import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import type { Exclude } from "../../walk.ts";
import { cachedArchive, createCachedArchiveSource } from "../cached-archive.ts";
import type { CachedChoice, Installed, InstalledChoice } from "../ecosystem.ts";
import { exists, readJsonFile } from "../files.ts";
import { integrityOf } from "../integrity.ts";
import type { PackageLocation } from "../package-location.ts";
import { cargoHome, type CrateOrigin } from "./cargo-config.ts";
import { readCrate } from "./manifest.ts";

/** A version to look for on disk. */
export interface SoughtCrate {
  name: string;
  version: string;
  /** The lockfile's SHA-256 of the archive, in hexadecimal. */
  checksum: string | undefined;
}

type Place = Pick<InstalledChoice, "type" | "installed" | "origin"> | CachedChoice;

/** What Cargo and its caches write beside a crate's own files. */
export const excludeUnwanted: Exclude = (entryPath, { isFolder, mayHaveSibling }) => {
  const name = path.posix.basename(entryPath);
  if (isFolder) return name === "target" && mayHaveSibling("cargo.toml") ? "" : undefined;
  return entryPath === ".cargo-ok" || entryPath === ".cargo-checksum.json" ? "" : undefined;
};

/** A version of a registry's crate: vendored, unpacked by Cargo, or as an archive in Cargo's cache. */
export async function findOnDisk(
  sought: SoughtCrate,
  { origin, location }: { origin: CrateOrigin; location: PackageLocation },
): Promise<Place | undefined> {
  const stem = `${sought.name}-${sought.version}`;
  if (origin.type === "directory") return findVendored(sought, { folder: origin.folder, location });
  if (origin.type === "local-registry") return findArchive(sought, path.join(origin.folder, `${stem}.crate`));
  const registry = path.join(cargoHome(location), "registry");
  const names = await foldersOfIndex(registry, origin.index);
  for (const name of names) {
    const folder = path.join(registry, "src", name, stem);
    // Cargo writes this file when all others are unpacked.
    const isComplete = await exists(path.join(folder, ".cargo-ok"));
    if (!isComplete) continue;
    const { name: own, version } = sought;
    const installed = { folder: await realpath(folder), name: own, version, integrity: undefined };
    return { type: "installed", installed, origin: "unpacked by Cargo" };
  }
  for (const name of names) {
    const found = await findArchive(sought, path.join(registry, "cache", name, `${stem}.crate`));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `index.crates.io-<hash>`, `github.com-<hash>` of older versions: the host of the index, and a hash of its address. */
async function foldersOfIndex(registry: string, index: string): Promise<string[]> {
  const address = index.replace(/^(?:sparse|registry)\+/, "");
  const host = URL.canParse(address) ? new URL(address).hostname : "";
  const hosts = host === "index.crates.io" ? [host, "github.com"] : [host];
  const lists = ["src", "cache"].map((kind) => readdir(path.join(registry, kind)).catch(() => []));
  const names = [...new Set((await Promise.all(lists)).flat())].toSorted();
  return hosts.flatMap((host) => names.filter((name) => name.startsWith(`${host}-`)));
}

const Checksums = z.object({ package: z.string().optional().catch(undefined) });

/** A folder of `cargo vendor` has the version in its name where there are several. */
async function findVendored(
  sought: SoughtCrate,
  { folder, location }: { folder: string; location: PackageLocation },
): Promise<Place | undefined> {
  for (const name of [`${sought.name}-${sought.version}`, sought.name]) {
    const installed = await readInstalled(path.join(folder, name), sought);
    if (installed === undefined) continue;
    const checksums = Checksums.safeParse(await readJsonFile(path.join(installed.folder, ".cargo-checksum.json")));
    const hash = checksums.data?.package;
    const integrity = hash === undefined ? undefined : integrityOf([`sha256:${hash}`]);
    const label = path.relative(location.cwd, folder).split(path.sep).join("/");
    return { type: "installed", installed: { ...installed, integrity }, origin: `vendored in ${label}` };
  }
  return undefined;
}

async function readInstalled(folder: string, { name, version }: SoughtCrate): Promise<Installed | undefined> {
  const crate = await readCrate(folder);
  if (crate?.name !== name || crate.version !== version) return undefined;
  return { folder: await realpath(folder), name, version, integrity: undefined };
}

async function findArchive({ name, version, checksum }: SoughtCrate, file: string): Promise<CachedChoice | undefined> {
  const integrity = checksum === undefined ? undefined : integrityOf([`sha256:${checksum}`]);
  const archive = await cachedArchive(file, { name, version, integrity });
  if (archive === undefined) return undefined;
  const source = createCachedArchiveSource(archive, {
    id: "cargo-cache",
    place: "Cargo's cache",
    advice: "remove it, then run: cargo fetch",
    archive: "tarball",
  });
  return { type: "cached", cached: { name, version }, source, origin: "archive in Cargo's cache" };
}

/** Deeper than repositories nest crates. */
const depthLimit = 6;

/** A crate of a repository that Cargo has checked out, at the commit of the lockfile. */
export async function findCheckout(
  { name, version, source }: { name: string; version: string; source: string },
  location: PackageLocation,
): Promise<InstalledChoice | undefined> {
  const [, address = "", commit = ""] = /^git\+([^?#]+)[^#]*#([0-9a-f]{40})$/.exec(source) ?? [];
  const repository = address
    .replace(/\/+$/, "")
    .split("/")
    .at(-1)
    ?.replace(/\.git$/, "");
  if (commit === "" || !repository) return undefined;
  const checkouts = path.join(cargoHome(location), "git", "checkouts");
  const clones = (await readdir(checkouts).catch(() => [])).filter((it) => /^.+-[0-9a-f]{16}$/.test(it));
  for (const clone of clones.filter((it) => it.slice(0, -17) === repository)) {
    const commits = await readdir(path.join(checkouts, clone)).catch(() => []);
    for (const short of commits.filter((it) => it.length >= 7 && commit.startsWith(it))) {
      const folder = await findCrateBelow(path.join(checkouts, clone, short), name, depthLimit);
      if (folder === undefined) continue;
      const installed = { folder: await realpath(folder), name, version, integrity: undefined };
      return { type: "installed", installed, origin: `commit ${short} of ${address}` };
    }
  }
  return undefined;
}

async function findCrateBelow(folder: string, name: string, depth: number): Promise<string | undefined> {
  if ((await readCrate(folder))?.name === name) return folder;
  if (depth === 0) return undefined;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isDirectory() || entry.name === ".git" || entry.name === "target") continue;
    const found = await findCrateBelow(path.join(folder, entry.name), name, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
