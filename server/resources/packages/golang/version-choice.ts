import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { CitewellError } from "../../../errors.ts";
import { isStandardLibrary } from "../../../protocol/kinds/packages.ts";
import type { Exclude } from "../../walk.ts";
import { fromRegistry } from "../choices.ts";
import type { InstalledChoice, PublishedChoice, RequestedPackage } from "../ecosystem.ts";
import { projectPath, readTextFile } from "../files.ts";
import type { PackageLocation } from "../package-location.ts";
import { integrityIn, toIntegrity } from "./checksums.ts";
import { findGoRoot } from "./go-env.ts";
import { escapePath, isExact, isWithin, modulesOf, normalizeVersion } from "./module-path.ts";
import { type GoProject, type GoWorkspaces, openGoWorkspaces, type ProjectRequirement } from "./project.ts";

type Choice = InstalledChoice | PublishedChoice;

/** What choosing one module needs. */
interface Reach extends Pick<GoWorkspaces, "cache" | "location"> {
  /** The requested module or package. */
  name: string;
}

/**
 * The requested version, else the one that the project builds with: replaced, in `vendor`, in the module cache, else
 * published; else `latest`. A package means the module that has it.
 * @throws PackageNotFound (a replacement or the standard library is not on disk), VersionNotFound (another version of
 * the standard library)
 */
export async function chooseVersion(requested: RequestedPackage, location: PackageLocation): Promise<Choice> {
  return chooseFrom(requested, await openGoWorkspaces(location));
}

/** @throws as `chooseVersion` */
export async function chooseFrom(
  { package: name, version }: RequestedPackage,
  { projects, cache, location }: GoWorkspaces,
): Promise<Choice> {
  const wanted = version ? normalizeVersion(version) : undefined;
  const reach = { name, cache, location };
  let other: { name: string; version: string; isInstalled: boolean } | undefined;
  let integrity: string | undefined;
  for (const project of projects) {
    const choice = await chooseIn(project, reach);
    if (choice === undefined) continue;
    const found = choice.type === "installed" ? choice.installed : choice.wanted;
    if (wanted === undefined || wanted === found.version) return choice;
    other ??= { name: found.name, version: found.version, isInstalled: choice.type === "installed" };
    integrity ??= integrityIn(project.sums, found.name, wanted);
  }
  if (other === undefined && isStandardLibrary("golang", name)) return chooseStandard(name, { version, location });
  const module = other?.name ?? name;
  if (wanted !== undefined && isExact(wanted) && location.isAnonymous !== true) {
    for (const candidate of other === undefined ? modulesOf(name) : [module]) {
      const cached = await findCached(candidate, wanted, reach);
      if (cached !== undefined && (await hasPackage(cached.installed.folder, candidate, name))) return cached;
    }
  }
  const installedVersion = other?.isInstalled === true ? other.version : undefined;
  const choice = fromRegistry(module, wanted, { isExact, installedVersion });
  return { ...choice, wanted: { ...choice.wanted, integrity } };
}

/** The first of the modules that may have a package, longest path first. A module on disk must have its folder. */
async function chooseIn(project: GoProject, reach: Reach): Promise<Choice | undefined> {
  for (const module of modulesOf(reach.name)) {
    const own = project.modules.find(({ manifest }) => manifest.module === module);
    const requirement = project.requires.get(module);
    const choice =
      own === undefined
        ? requirement === undefined
          ? undefined
          : await chooseRequired(requirement, project, reach)
        : await onDisk(own.folder, { name: module, version: "devel", origin: "in this project", isOwn: true });
    if (choice === undefined) continue;
    const has =
      choice.type === "published"
        ? !majorSuffix.test(reach.name.slice(module.length))
        : await hasPackage(choice.installed.folder, module, reach.name);
    if (has) return choice;
  }
  return undefined;
}

/** What begins so after a module's path is another module: https://go.dev/ref/mod#major-version-suffixes */
const majorSuffix = /^\/v(?:[2-9]|[1-9]\d+)(?:\/|$)/;

async function chooseRequired(required: ProjectRequirement, project: GoProject, reach: Reach): Promise<Choice> {
  const replacement = project.replaces.find(
    ({ path: replaced, version }) => replaced === required.path && (version ?? required.version) === required.version,
  );
  const vendored = project.vendored.get(required.path);
  const local = replacement !== undefined && replacement.toVersion === undefined ? replacement : undefined;
  const { path: module, version } =
    replacement?.toVersion === undefined ? required : { path: replacement.to, version: replacement.toVersion };
  const by =
    replacement === undefined
      ? `from go.mod${olderNote(required.go)}`
      : `replaced by ${replacement.to} in ${replacement.file}`;
  if (vendored !== undefined) {
    const folder = path.join(project.folder, "vendor", ...required.path.split("/"));
    const choice = await onDisk(folder, {
      name: required.path,
      version: vendored,
      origin: "in the project's vendor folder",
    });
    const others = [...project.vendored.keys()].filter((it) => it !== required.path && isWithin(it, required.path));
    const exclude = excludeFolders(new Set(others.map((it) => it.slice(required.path.length + 1))));
    if (choice !== undefined) return { ...choice, installed: { ...choice.installed, exclude } };
  }
  if (local !== undefined) {
    const folder = projectPath(local.folder, local.to);
    const choice =
      folder === undefined
        ? undefined
        : await onDisk(folder, { name: required.path, version, origin: by, isOwn: true });
    if (choice !== undefined) return choice;
    throw new CitewellError(
      "PackageNotFound",
      `${local.file} takes ${required.path} from ${local.to}, which is not there`,
      {
        hint: "restore that folder, or name a version",
      },
    );
  }
  const cached = await findCached(module, version, reach);
  const integrity = integrityIn(project.sums, module, version);
  if (cached !== undefined) return { ...cached, origin: `${by}, ${cached.origin}` };
  return { type: "published", wanted: { name: module, version, integrity }, origin: by, isLocked: true };
}

/** A file `go.mod` lists every module of a build only since Go 1.17: https://go.dev/ref/mod#graph-pruning */
function olderNote(go: string | undefined): string {
  const [, minor] = /^1\.(\d+)/.exec(go ?? "1.16") ?? [];
  return minor !== undefined && Number(minor) < 17
    ? ` of Go 1.${minor}, where another module may require a higher version`
    : "";
}

/** A module that was downloaded: https://go.dev/ref/mod#module-cache */
async function findCached(module: string, version: string, { cache }: Reach): Promise<InstalledChoice | undefined> {
  const [place, file] = [escapePath(module), escapePath(version)];
  const folder = await cache();
  const choice = await onDisk(path.join(folder, `${place}@${file}`), {
    name: module,
    version,
    origin: "in the module cache",
  });
  if (choice === undefined) return undefined;
  const hash = await readTextFile(path.join(folder, "cache", "download", place, "@v", `${file}.ziphash`));
  const integrity = hash === undefined ? undefined : toIntegrity(hash);
  return { ...choice, installed: { ...choice.installed, integrity } };
}

async function onDisk(
  folder: string,
  { name, version, origin, isOwn = false }: { name: string; version: string; origin: string; isOwn?: boolean },
): Promise<InstalledChoice | undefined> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined || (await readdir(real).catch(() => [])).length === 0) return undefined;
  const installed = { folder: real, name, version, integrity: undefined, ...(isOwn ? { exclude: excludeVendor } : {}) };
  return { type: "installed", installed, origin };
}

async function hasPackage(folder: string, module: string, name: string): Promise<boolean> {
  if (!isWithin(name, module)) return true;
  return (
    (await stat(path.join(folder, ...name.slice(module.length).split("/"))).catch(() => undefined))?.isDirectory() ===
    true
  );
}

const excludeVendor: Exclude = (entry, { isFolder }) => (isFolder && entry === "vendor" ? "" : undefined);

function excludeFolders(folders: ReadonlySet<string>): Exclude {
  return (entry, { isFolder }) => (isFolder && folders.has(entry) ? "" : undefined);
}

/** All of the standard library, or one package with those below it. */
async function chooseStandard(
  name: string,
  { version, location }: { version: string | null | undefined; location: PackageLocation },
): Promise<InstalledChoice> {
  const root = await findGoRoot(location);
  const repository = "or ask about https://github.com/golang/go";
  if (root === undefined) {
    throw new CitewellError(
      "PackageNotFound",
      `${name} is of Go's standard library, and no Go installation was found`,
      {
        hint: `set GOROOT, ${repository}`,
      },
    );
  }
  const found = (await readTextFile(path.join(root, "VERSION")))?.split("\n")[0]?.trim() ?? "";
  const choice = await onDisk(path.join(root, "src"), { name, version: found, origin: `of ${root}` });
  const isAll = name === "std";
  if (choice === undefined || (!isAll && !(await hasPackage(choice.installed.folder, "", `/${name}`)))) {
    throw new CitewellError("PackageNotFound", `the standard library of ${found} in ${root} has no package "${name}"`, {
      hint: "a module's path begins with a host, as in go:github.com/spf13/cobra",
    });
  }
  if (version && version.replace(/^(?:go|v)?/, "go") !== found) {
    throw new CitewellError("VersionNotFound", `the standard library here is of ${found}, not of ${version}`, {
      hint: `leave the version out, ${repository} at the tag of that version`,
    });
  }
  if (isAll) return choice;
  const exclude: Exclude = (entry, { isFolder }) =>
    isWithin(entry, name) || (isFolder && isWithin(name, entry)) ? undefined : "";
  return { ...choice, installed: { ...choice.installed, exclude } };
}
