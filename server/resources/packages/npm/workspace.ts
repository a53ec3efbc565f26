import path from "node:path";
import * as z from "zod";
import type { AskedFor, AskedForList, NearDependency } from "../ecosystem.ts";
import { ownValue, readJsonFile } from "../files.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { findDeclared } from "./declared.ts";
import { findProjectRoot } from "./npm-places.ts";
import { chooseVersion } from "./version-choice.ts";
import { findMembers } from "./workspace-members.ts";

const Names = z.record(z.string(), z.unknown()).catch({});
const Manifest = z.object({
  name: z.string().optional().catch(undefined),
  dependencies: Names,
  devDependencies: Names,
  optionalDependencies: Names,
  peerDependencies: Names,
  peerDependenciesMeta: z
    .record(z.string(), z.object({ optional: z.boolean().catch(false) }).catch({ optional: false }))
    .catch({}),
});

/** The dependencies of the open projects' packages; undefined without a `package.json`. */
export async function readDependencies(location: PackageLocation): Promise<AskedForList | undefined> {
  const found = await Promise.all(foldersOf(location).map((cwd) => readDependenciesAround({ ...location, cwd })));
  const lists = found.filter((list) => list !== undefined);
  return lists.length === 0 ? undefined : { asked: lists.flat() };
}

/** Those of the package around the folder, and of its workspace's root. */
export async function namesNear({ cwd }: PackageLocation): Promise<NearDependency[]> {
  const manifests = await Promise.all([...new Set([cwd, await findProjectRoot(cwd)])].map(readManifest));
  return manifests.flatMap((manifest) => (manifest === undefined ? [] : namesIn(manifest))).map((name) => ({ name }));
}

/** Package managers install peer dependencies of the project, too, except optional ones. */
function namesIn(manifest: z.infer<typeof Manifest>): string[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const peers = Object.keys(peerDependencies).filter((name) => ownValue(peerDependenciesMeta, name)?.optional !== true);
  return [...new Set([...Object.keys({ ...devDependencies, ...dependencies, ...optionalDependencies }), ...peers])];
}

async function readDependenciesAround(location: PackageLocation): Promise<AskedFor[] | undefined> {
  const root = await findProjectRoot(location.cwd);
  if ((await readManifest(root)) === undefined) return undefined;
  const read = [root, ...(await findMembers(root))].map(async (folder) => {
    const manifest = await readManifest(folder);
    return manifest === undefined ? [] : [{ folder, manifest }];
  });
  const manifests = (await Promise.all(read)).flat();
  const own = new Set(manifests.map(({ manifest }) => manifest.name));
  return manifests.flatMap(({ folder, manifest }) =>
    namesIn(manifest).map((name): AskedFor => {
      const choose = () => chooseVersion({ package: name }, { ...location, cwd: folder });
      if (own.has(name)) return { name, choose, reason: "it is a package of this workspace" };
      return { name, choose, faultOf: (version) => faultElsewhere(name, { version, folder, location }) };
    }),
  );
}

/** Elsewhere than in its folder, its version would name what the registry has under this name. */
async function faultElsewhere(
  name: string,
  { version, folder, location }: { version: string | undefined; folder: string; location: PackageLocation },
): Promise<string | undefined> {
  const { specified, isPatched } = await findDeclared(name, { cwd: folder });
  const where = path.relative(location.cwd, folder) || ".";
  if (specified?.type === "elsewhere") return `only ${where} takes it from ${specified.origin}`;
  return isPatched(version) ? `it is patched in ${where}` : undefined;
}

async function readManifest(folder: string): Promise<z.infer<typeof Manifest> | undefined> {
  return Manifest.safeParse(await readJsonFile(path.join(folder, "package.json"))).data;
}
