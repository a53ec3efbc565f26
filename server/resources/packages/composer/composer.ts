import path from "node:path";
import { CitewellError } from "../../../errors.ts";
import { gitUrlFault, normalizeGitUrl } from "../../../protocol/kinds/git-url.ts";
import { aliasNote, fromRegistry } from "../choices.ts";
import type { Ecosystem, InstalledChoice, NearDependency, RequestedPackage, VersionChoice } from "../ecosystem.ts";
import { placeOnDisk } from "../files.ts";
import { wordTest } from "../named-in-text.ts";
import type { Exclude } from "../../walk.ts";
import { findByClass } from "./autoload.ts";
import {
  type ComposerEntry,
  type ComposerProject,
  installedFolder,
  isSameName,
  readNearest,
  readProjects,
} from "./project.ts";

const isExact = (version: string) => /^v?\d+(?:\.\w+)+/.test(version);

/** PHP packages: what Composer has installed, `composer.lock` and `composer.json`. No registry is asked. */
export const composerEcosystem: Ecosystem = {
  type: "composer",
  choose: async (requested, location) => chooseFrom(requested, await readProjects(location)),
  isExact,
  onDisk: {
    noun: "PHP packages",
    fix: "install them (composer install)",
    async places({ cwd }) {
      const vendor = (await readNearest(cwd))?.vendor;
      return vendor === undefined ? [] : placeOnDisk(vendor);
    },
  },
  imports: {
    languages: ["php"],
    packagesOf: (module, name) => (module === name ? [name] : [`${module}\\${name}`, module]),
  },
  async dependencies(location) {
    const projects = await readProjects(location);
    if (projects.length === 0) return undefined;
    const asked = projects.flatMap((project) =>
      project.direct.map((name) => ({ name, choose: () => chooseFrom({ package: name }, [project]) })),
    );
    return { asked, usual: (name) => chooseFrom({ package: name }, projects) };
  },
  namesNear: async ({ cwd }) => ((await readNearest(cwd))?.direct ?? []).map((name) => ({ name })),
  nameTest,
};

/**
 * What is installed: a package by its name or that of one which it replaces, or by a class, function or namespace. One that
 * a project names and that is not installed is refused.
 * @throws PackageNotFound
 */
async function chooseFrom(
  { package: name, version }: RequestedPackage,
  projects: readonly ComposerProject[],
): Promise<VersionChoice> {
  let fault: CitewellError | undefined;
  for (const project of projects) {
    const entry = await findInstalled(name, project);
    const locked = project.locked.find((one) => isSameName(one.name, entry?.name ?? name));
    if (entry !== undefined && (!version || plain(version) === plain(entry.version))) {
      const choice = await installedAt(entry, { name, project, locked });
      if (choice !== undefined) return choice;
    }
    const isNamed = locked !== undefined || project.direct.some((one) => isSameName(one, name));
    if (entry !== undefined || isNamed) fault ??= notInstalled(name, { version, entry, locked });
  }
  if (fault !== undefined) throw fault;
  return fromRegistry(name, version, { isExact });
}

async function findInstalled(name: string, project: ComposerProject): Promise<ComposerEntry | undefined> {
  const { installed } = project;
  return (
    installed.find((one) => isSameName(one.name, name)) ??
    installed.find(({ replace = {} }) => Object.keys(replace).some((one) => isSameName(one, name))) ??
    (name.includes("/") ? undefined : findByClass(name, project))
  );
}

async function installedAt(
  entry: ComposerEntry,
  { name, project, locked }: { name: string; project: ComposerProject; locked: ComposerEntry | undefined },
): Promise<InstalledChoice | undefined> {
  const folder = await installedFolder(entry, project);
  if (folder === undefined) return undefined;
  const { version } = entry;
  const by = locked?.version === version ? "from composer.lock, " : "";
  const other = locked === undefined || by !== "" ? "" : `; composer.lock has ${locked.version}`;
  const place = path.relative(project.folder, project.vendor).split(path.sep).join("/");
  const own = aliasNote(name, entry.name, (text) => text.toLowerCase());
  return {
    type: "installed",
    installed: { folder, name: entry.name, version, integrity: undefined, exclude: excludeOthers },
    origin: `${by}installed in ${place.startsWith("..") ? project.vendor : place}${own}${other}`,
  };
}

/** A package that is linked from its own folder may have packages of its own. */
const excludeOthers: Exclude = (entry, { mayHaveSibling }) =>
  entry === "vendor" && mayHaveSibling("composer.lock") ? "other packages" : undefined;

/** The lock file names the repository and the commit. */
function notInstalled(
  name: string,
  {
    version,
    entry,
    locked,
  }: { version: string | null | undefined; entry: ComposerEntry | undefined; locked: ComposerEntry | undefined },
): CitewellError {
  const wanted = version || locked?.version;
  const other = version && entry !== undefined ? `; ${entry.version} is` : "";
  const { url = "", reference = "" } = locked?.source ?? {};
  const isKnown = gitUrlFault(url) === undefined && /^[0-9a-f]{40}$/.test(reference);
  const isLocked = !version || (locked !== undefined && plain(version) === plain(locked.version));
  const repository =
    isKnown && isLocked
      ? `; or add its repository: citewell add ${normalizeGitUrl(url).url} --branch ${reference}`
      : "; or add its repository as a resource";
  return new CitewellError("PackageNotFound", `${name}${wanted ? ` ${wanted}` : ""} is not installed${other}`, {
    hint: `run: composer install${repository}`,
  });
}

/** `v1.2.0` and `1.2.0` are one. */
function plain(version: string): string {
  return version.replace(/^v(?=\d)/, "");
}

/**
 * By its name, or by its last part where that part is the vendor's name too or is in backticks (`monolog`, `twig`), or
 * follows the vendor's name ("Symfony Console"): others are plain words.
 */
function nameTest(text: string): (dependency: NearDependency) => boolean {
  const lower = text.toLowerCase();
  const spelled = wordTest(lower, { type: "composer", word: "[a-z0-9][\\w.-]*(?:/[\\w.-]+)?" });
  return ({ name }) => {
    const [vendor = "", own = ""] = name.toLowerCase().split("/");
    if (spelled({ name: name.toLowerCase() }) || lower.includes(`\`${own}\``)) return true;
    if (
      new RegExp(
        `(?<![\\w-])${vendor.replaceAll(/[-.]/g, "\\$&")}(?:['’]s)?[ -]${own.replaceAll(/[-.]/g, "[-. ]")}(?![\\w-])`,
      ).test(lower)
    )
      return true;
    return vendor.includes(own) && spelled({ name: own });
  };
}
