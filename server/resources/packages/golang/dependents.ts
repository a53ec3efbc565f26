import path from "node:path";
import { nameOfModule } from "../../../protocol/kinds/packages.ts";
import type { DependentsList } from "../ecosystem.ts";
import { readTextFile } from "../files.ts";
import type { PackageLocation } from "../package-location.ts";
import { parseGoMod } from "./go-mod.ts";
import { escapePath } from "./module-path.ts";
import { openGoWorkspaces } from "./project.ts";

/** The modules of a build whose `go.mod`, in the module cache, requires a module; its last element names it, too. */
export async function dependentsOf(name: string, location: PackageLocation): Promise<DependentsList | undefined> {
  const { projects, cache } = await openGoWorkspaces(location);
  const [project] = projects;
  const all = [...(project?.requires.values() ?? [])];
  const wanted =
    all.find((it) => it.path === name) ??
    all.find((it) => it.path.endsWith(`/${name}`) || nameOfModule(it.path) === name);
  if (project === undefined || wanted === undefined) return undefined;
  const downloads = path.join(await cache(), "cache", "download");
  const own = project.modules.map(({ manifest }) => ({ version: undefined, manifest, file: "go.mod" }));
  const others = all.map(async ({ path: module, version }) => {
    const text = await readTextFile(path.join(downloads, escapePath(module), "@v", `${escapePath(version)}.mod`));
    return text === undefined ? [] : [{ version, manifest: parseGoMod(text), file: "its go.mod" }];
  });
  const by = [...own, ...(await Promise.all(others)).flat()].flatMap(({ version, manifest, file }) => {
    const found = manifest.requires.find((it) => it.path === wanted.path && !it.isIndirect);
    return found === undefined ? [] : [{ name: manifest.module ?? "", version, wanted: found.version, file }];
  });
  return { name: wanted.path, by };
}
