import { realpath } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import type { Exclude } from "../../walk.ts";
import type { Installed } from "../ecosystem.ts";
import { foldersUpFrom, readJsonFile, readTextFile } from "../files.ts";
import { isIntegrity } from "../integrity.ts";
import { readNpmLock } from "./lockfiles/npm-lock.ts";
import { findProjectRoot } from "./npm-places.ts";
import { findMembers } from "./workspace-members.ts";

/** Optional: a workspace's own packages need no version. */
const Manifest = z.object({ name: z.string().optional(), version: z.string().catch("0.0.0") });

/**
 * Finds a package from `cwd` as Node does, by its real path: workspaces and pnpm install links. Folders without a `package.json` do not
 * count.
 */
export async function findInstalled(name: string, { cwd }: { cwd: string }): Promise<Installed | undefined> {
  for (const above of foldersUpFrom(cwd)) {
    if (path.basename(above) === "node_modules") continue;
    const place = path.join(above, "node_modules", name);
    const parsed = Manifest.safeParse(await readJsonFile(path.join(place, "package.json"))).data;
    if (parsed === undefined) continue;
    const manifest = { name: parsed.name ?? name, version: parsed.version };
    const folder = await realpath(place);
    const isLink = folder !== path.join(await realpath(above), "node_modules", name);
    const integrity = isLink ? undefined : await findIntegrity(name, manifest, above);
    return { folder, ...manifest, integrity };
  }
  return undefined;
}

/** A package of the workspace around `cwd`, by its name. */
export async function findMember(name: string, cwd: string): Promise<Installed | undefined> {
  const root = await findProjectRoot(cwd);
  for (const folder of await findMembers(root)) {
    const manifest = Manifest.safeParse(await readJsonFile(path.join(folder, "package.json"))).data;
    if (manifest?.name !== name) continue;
    return { folder: await realpath(folder), name, version: manifest.version, integrity: undefined };
  }
  return undefined;
}

/** Excludes nested packages, which are resources of their own. */
export const excludeNestedPackages: Exclude = (entryPath) =>
  path.posix.basename(entryPath) === "node_modules" ? "other packages" : undefined;

/** From npm's record of the installation, else from the lockfile; an entry for another version is out of date. */
async function findIntegrity(
  name: string,
  manifest: Pick<Installed, "name" | "version">,
  folder: string,
): Promise<string | undefined> {
  for (const file of [path.join("node_modules", ".package-lock.json"), "package-lock.json"]) {
    const text = await readTextFile(path.join(folder, file));
    const locked =
      text === undefined
        ? undefined
        : readNpmLock(text, { package: name, importer: "", wanted: undefined, resolutions: {} });
    if (locked?.type !== "published" || locked.integrity === undefined || !isIntegrity(locked.integrity)) continue;
    if (locked.name === manifest.name && locked.version === manifest.version) return locked.integrity;
  }
  return undefined;
}
