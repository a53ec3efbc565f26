import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { CitewellError } from "../../../errors.ts";
import { notPublished } from "../choices.ts";
import type { Ecosystem, InstalledChoice, NearDependency, RequestedPackage } from "../ecosystem.ts";
import { foldersUpFrom, placeOnDisk, projectPath, readTextFile } from "../files.ts";
import { wordTest } from "../named-in-text.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { type GemLock, parseGemLock } from "./gemfile-lock.ts";

/** Ruby gems: `Gemfile.lock`, and what Bundler and RubyGems have installed. No registry is asked. */
export const gemEcosystem: Ecosystem = {
  type: "gem",
  choose: chooseVersion,
  isExact: (version) => /^\d+(?:\.\w+)+$/.test(version),
  onDisk: {
    noun: "Ruby gems",
    fix: "install them in the project (bundle install --path vendor/bundle), or set GEM_HOME",
    async places(location) {
      const folders = await gemFolders(foldersOf(location), location);
      return (await Promise.all(folders.map(({ folder }) => placeOnDisk(folder)))).flat();
    },
  },
  imports: {
    languages: ["ruby"],
    packagesOf: (module) => [...new Set([module.replaceAll("/", "-"), module.split("/")[0] ?? module])],
  },
  async dependencies(location) {
    const locks = await Promise.all(foldersOf(location).map(findLock));
    const found = locks.filter((lock) => lock !== undefined);
    if (found.length === 0) return undefined;
    const choose = (name: string) => () => chooseVersion({ package: name }, location);
    return { asked: found.flatMap(({ direct }) => direct.map((name) => ({ name, choose: choose(name) }))) };
  },
  namesNear,
  nameTest: (text) => wordTest(text, { type: "gem", word: "[A-Za-z0-9][\\w.-]*" }),
};

/**
 * The requested version, else that of `Gemfile.lock`, else the highest that is installed. A gem from a folder is read there.
 * @throws PackageNotFound (not installed, or the project takes it from a repository)
 */
async function chooseVersion(
  { package: name, version }: RequestedPackage,
  location: PackageLocation,
): Promise<InstalledChoice> {
  const folders = foldersOf(location);
  let locked: string | undefined;
  for (const cwd of version ? [] : folders) {
    const lock = await findLock(cwd);
    const entry = lock?.specs.get(name);
    if (lock === undefined || entry === undefined) continue;
    const own = entry.type === "path" ? await realFolder(projectPath(lock.folder, entry.remote)) : undefined;
    if (own !== undefined) return installedAt(own, { name, version: entry.version, origin: "read in place" });
    if (entry.type !== "gem") throw notPublished(name, { by: "Gemfile.lock", origin: entry.remote });
    locked ??= entry.version;
  }
  const wanted = version || locked;
  for (const { folder, label } of await gemFolders(folders, location)) {
    const found = versionsIn(await readdir(folder).catch(() => []), name);
    const chosen = wanted === undefined ? found[0] : found.find((it) => it === wanted || it.startsWith(`${wanted}-`));
    const place = chosen === undefined ? undefined : await realFolder(path.join(folder, `${name}-${chosen}`));
    if (chosen === undefined || place === undefined) continue;
    const by = locked === undefined ? "" : "from Gemfile.lock, ";
    return installedAt(place, { name, version: chosen, origin: `${by}installed in ${label}` });
  }
  throw new CitewellError("PackageNotFound", `${name}${wanted === undefined ? "" : ` ${wanted}`} is not installed`, {
    hint: "run: bundle install; or add its repository as a resource",
  });
}

function installedAt(
  folder: string,
  { origin, ...own }: { name: string; version: string; origin: string },
): InstalledChoice {
  return { type: "installed", installed: { folder, ...own, integrity: undefined }, origin };
}

async function namesNear({ cwd }: PackageLocation): Promise<NearDependency[]> {
  return ((await findLock(cwd))?.direct ?? []).map((name) => ({ name }));
}

async function findLock(cwd: string): Promise<(GemLock & { folder: string }) | undefined> {
  for (const folder of foldersUpFrom(cwd)) {
    for (const file of ["Gemfile.lock", "gems.locked"]) {
      const text = await readTextFile(path.join(folder, file));
      if (text !== undefined) return { ...parseGemLock(text), folder };
    }
  }
  return undefined;
}

/** The folders with gems: of the projects, where Bundler's settings or its usual place are, then the user's. */
async function gemFolders(
  folders: readonly string[],
  { env, isAnonymous = false }: PackageLocation,
): Promise<{ folder: string; label: string }[]> {
  const own = folders.flatMap(foldersUpFrom).map(async (folder) => {
    const settings = (await readTextFile(path.join(folder, ".bundle", "config"))) ?? "";
    const named = /^BUNDLE_PATH:\s*["']?([^"'\n]+?)["']?\s*$/m.exec(settings)?.[1];
    const bundle = projectPath(folder, named ?? "vendor/bundle");
    const ruby = bundle === undefined ? "" : path.join(bundle, "ruby");
    const versions = await readdir(ruby).catch(() => []);
    return versions.map((one) => ({ folder: path.join(ruby, one, "gems"), label: named ?? "vendor/bundle" }));
  });
  const homes = [env["GEM_HOME"] ?? "", ...(env["GEM_PATH"] ?? "").split(path.delimiter)];
  const users = homes.filter((home) => path.isAbsolute(home)).map((home) => path.join(home, "gems"));
  return isAnonymous ? [] : [...(await Promise.all(own)).flat(), ...users.map((folder) => ({ folder, label: folder }))];
}

/** Highest first; `1.16.0-x86_64-linux` is one with compiled code. */
function versionsIn(names: readonly string[], gem: string): string[] {
  const versions = names.filter((name) => name.startsWith(`${gem}-`)).map((name) => name.slice(gem.length + 1));
  return versions
    .filter((version) => /^\d+(?:\.\w+)*(?:-[\w-]+)?$/.test(version))
    .toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
}

async function realFolder(folder: string | undefined): Promise<string | undefined> {
  return folder === undefined ? undefined : realpath(folder).catch(() => undefined);
}
