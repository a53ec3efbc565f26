import type { AskedFor, AskedForList, NearDependency } from "../ecosystem.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { findManifestFolder, findMembers, readManifests } from "./declared.ts";
import { normalizeName } from "./names.ts";
import { chooseVersion } from "./version-choice.ts";

/** What the open projects and the packages of their uv workspaces depend on; undefined without a manifest. */
export async function readDependencies(location: PackageLocation): Promise<AskedForList | undefined> {
  const roots = (await Promise.all(foldersOf(location).map(findManifestFolder))).filter((root) => root !== undefined);
  if (roots.length === 0) return undefined;
  const found = new Map<string, AskedFor>();
  for (const root of roots) {
    for (const cwd of [root, ...(await findMembers(root))]) {
      for (const { name } of await namesIn(cwd)) {
        const choose = () => chooseVersion({ package: name }, { ...location, cwd });
        if (!found.has(normalizeName(name))) found.set(normalizeName(name), { name, choose });
      }
    }
  }
  return { asked: [...found.values()] };
}

export async function namesNear({ cwd }: PackageLocation): Promise<NearDependency[]> {
  const folder = await findManifestFolder(cwd);
  return folder === undefined ? [] : namesIn(folder);
}

async function namesIn(folder: string): Promise<NearDependency[]> {
  const manifests = await readManifests(folder);
  return manifests.flatMap(({ requirements }) => requirements.filter((it) => it.isConstraint !== true));
}
