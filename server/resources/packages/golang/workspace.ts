import { nameOfModule } from "../../../protocol/kinds/packages.ts";
import { stopWords } from "../../../source/words.ts";
import type { AskedForList, NearDependency } from "../ecosystem.ts";
import type { PackageLocation } from "../package-location.ts";
import { isWithin } from "./module-path.ts";
import { openGoWorkspaces, readGoProjects } from "./project.ts";
import { chooseFrom } from "./version-choice.ts";

/** The modules that the open projects require directly; undefined without a `go.mod`. */
export async function readDependencies(location: PackageLocation): Promise<AskedForList | undefined> {
  const workspaces = await openGoWorkspaces(location);
  if (workspaces.projects.length === 0) return undefined;
  const asked = workspaces.projects.flatMap((project) => {
    const own = project.modules.map(({ manifest }) => manifest.module);
    const direct = [...project.requires.values()].filter(({ path, isIndirect }) => !isIndirect && !own.includes(path));
    return direct.map(({ path }) => ({
      name: path,
      choose: () => chooseFrom({ package: path }, { ...workspaces, projects: [project] }),
    }));
  });
  return { asked, usual: (name) => chooseFrom({ package: name }, workspaces) };
}

export async function namesNear(location: PackageLocation): Promise<NearDependency[]> {
  const projects = await readGoProjects(location);
  return projects.flatMap((project) =>
    [...project.requires.values()].map(({ path, isIndirect }) => ({ name: path, isIndirect })),
  );
}

/** By its path, that of a package, or its last element: `cobra`, `spf13/cobra`, `github.com/spf13/cobra/doc`. */
export function nameTest(text: string): (dependency: NearDependency) => boolean {
  const found = text.match(/(?<![\w/@.-])[A-Za-z0-9][\w./~-]*/g)?.map((word) => word.replace(/[./-]+$/, ""));
  const words = [...new Set(found)];
  return ({ name, isIndirect = false }) => words.some((word) => isNamed(name, { word, isIndirect, text }));
}

/**
 * A module that only others require is named by its path alone, and so are those of `golang.org/x`, whose last elements
 * are plain words.
 */
function isNamed(
  path: string,
  { word, isIndirect, text }: { word: string; isIndirect: boolean; text: string },
): boolean {
  if (isWithin(word, path)) return true;
  if (isIndirect) return false;
  const elements = path.replace(/\/v\d+$/, "").split("/");
  if (word.toLowerCase() === elements.slice(-2).join("/").toLowerCase()) return true;
  const name = nameOfModule(path);
  const isPlain = stopWords.has(name) || path.startsWith("golang.org/x/");
  return word.toLowerCase() === name.toLowerCase() && (!isPlain || text.includes(`\`${word}\``));
}
