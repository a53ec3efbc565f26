import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { plainPathFault } from "../../../lib/plain-path.ts";
import type { Exclude } from "../../walk.ts";
import type { Installed } from "../ecosystem.ts";
import { readJsonFile, readTextFile } from "../files.ts";
import type { PackageLocation } from "../package-location.ts";
import { type Environment, findEnvironments } from "./environments.ts";
import { fieldOf } from "./metadata.ts";
import { normalizeName } from "./names.ts";

/** A distribution that is installed in an environment. */
export interface InstalledDistribution extends Installed {
  /** The label of its environment, and how it is installed: `installed in .venv`. */
  origin: string;
}

interface Distribution {
  environment: Environment;
  /** The folder that it is installed into. */
  folder: string;
  /** `requests-2.32.3.dist-info`. */
  info: string;
}

/** Finds a distribution by its name, else by a module that it has, in the environments around a folder. */
export async function findInstalled(
  name: string,
  location: PackageLocation,
): Promise<InstalledDistribution | undefined> {
  const environments = await findEnvironments(location);
  const listed = await Promise.all(environments.map(distributionsIn));
  const byName = listed.flat().find(({ info }) => normalizeName(nameOf(info)) === normalizeName(name));
  if (byName !== undefined) return describe(byName, location);
  if (!/^[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)*$/u.test(name)) return undefined;
  for (const distributions of listed) {
    const found = await findModule(name, distributions);
    if (found !== undefined) return describe(found, location);
  }
  return undefined;
}

/** The metadata of all distributions in the nearest environment. */
export async function readDistributions(location: PackageLocation): Promise<string[]> {
  const [environment] = await findEnvironments(location);
  const all = environment === undefined ? [] : await distributionsIn(environment);
  const texts = all.map(
    async ({ folder, info }) =>
      (await readTextFile(path.join(folder, info, "METADATA"))) ?? readTextFile(path.join(folder, info, "PKG-INFO")),
  );
  return (await Promise.all(texts)).filter((text) => text !== undefined);
}

async function distributionsIn(environment: Environment): Promise<Distribution[]> {
  const lists = environment.sitePackages.map(async (folder) => {
    const names = await readdir(folder).catch(() => []);
    const infos = names.filter((name) => /^[^-]+-.+\.(?:dist|egg)-info$/.test(name));
    return infos.map((info) => ({ environment, folder, info }));
  });
  return (await Promise.all(lists)).flat();
}

function nameOf(info: string): string {
  return info.slice(0, info.indexOf("-"));
}

/**
 * The distribution with a module: `yaml` is in PyYAML, `google.cloud.storage` in google-cloud-storage. A namespace that
 * several packages have means none of them.
 */
async function findModule(name: string, distributions: readonly Distribution[]): Promise<Distribution | undefined> {
  const parts = name.split(".");
  for (let length = parts.length; length > 0; length--) {
    const module = parts.slice(0, length).join("/");
    const folders = [...new Set(distributions.map(({ folder }) => folder))];
    if (!(await Promise.all(folders.map((folder) => hasModule(folder, module)))).includes(true)) continue;
    const having = await Promise.all(
      distributions.map(async (distribution) =>
        (await fileList(distribution)).some((file) => isOf(file, module)) ? [distribution] : [],
      ),
    );
    const [first, ...others] = having.flat();
    return others.length === 0 ? first : undefined;
  }
  // The modules of an editable installation are elsewhere: it only lists their names.
  const named = await Promise.all(
    distributions.map(async (distribution) => {
      const names = await readTextFile(path.join(distribution.folder, distribution.info, "top_level.txt"));
      return names?.split(/\s+/).includes(parts[0] ?? "") === true ? distribution : undefined;
    }),
  );
  return named.find((distribution) => distribution !== undefined);
}

async function hasModule(folder: string, module: string): Promise<boolean> {
  const parent = path.join(folder, path.dirname(module));
  const base = path.basename(module);
  return (await readdir(parent).catch(() => [])).some((entry) => entry === base || entry.startsWith(`${base}.`));
}

function isOf(file: string, module: string): boolean {
  return (
    file.startsWith(`${module}/`) ||
    file === `${module}.py` ||
    (file.startsWith(`${module}.`) && /\.(?:so|pyd)$/.test(file))
  );
}

/** Its files, relative to the folder, without those outside of it, such as scripts. */
async function fileList({ folder, info }: Distribution): Promise<string[]> {
  const record = (await readTextFile(path.join(folder, info, "RECORD"))) ?? "";
  const installed = await readTextFile(path.join(folder, info, "installed-files.txt"));
  const own = installed?.split("\n").map((file) => path.posix.join(info, file.trim()));
  const listed =
    own ??
    record
      .split("\n")
      .map((line) => /^(?:"((?:[^"]|"")*)"|([^,]*))/.exec(line))
      .map((match) => match?.[1]?.replaceAll('""', '"') ?? match?.[2] ?? "");
  return listed
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file !== "" && plainPathFault(file) === undefined);
}

const DirectUrl = z.object({ url: z.string(), dir_info: z.object({ editable: z.boolean().optional() }).optional() });

async function describe(distribution: Distribution, location: PackageLocation): Promise<InstalledDistribution> {
  const { environment, folder, info } = distribution;
  const metadata =
    (await readTextFile(path.join(folder, info, "METADATA"))) ??
    (await readTextFile(path.join(folder, info, "PKG-INFO"))) ??
    "";
  const stem = info.replace(/\.(?:dist|egg)-info$/, "");
  const name = fieldOf(metadata, "Name") ?? nameOf(info);
  const version = fieldOf(metadata, "Version") ?? stem.slice(stem.indexOf("-") + 1).replace(/-py\d.*$/, "");
  const origin = `installed in ${environment.label}`;
  const editable = await editableFolder(path.join(folder, info), location);
  if (editable !== undefined) {
    return {
      folder: editable,
      name,
      version,
      integrity: undefined,
      exclude: excludeUnwanted,
      origin: `${origin}, editable`,
    };
  }
  const files = new Set(await fileList(distribution));
  return { folder, name, version, integrity: undefined, exclude: excludeOthers(files, info), origin };
}

/** The folder of an editable installation, if it has a Python project: it is read as it is now. */
async function editableFolder(info: string, { platform }: PackageLocation): Promise<string | undefined> {
  const direct = DirectUrl.safeParse(await readJsonFile(path.join(info, "direct_url.json"))).data;
  // Windows signs in to the host of a network path, which an untrusted project must not choose.
  if (direct?.dir_info?.editable !== true || !/^file:\/\/\/(?!\/)/.test(direct.url)) return undefined;
  if (platform === "win32" && !/^file:\/\/\/[a-z]:/i.test(direct.url)) return undefined;
  try {
    const folder = await realpath(fileURLToPath(direct.url));
    for (const manifest of ["pyproject.toml", "setup.py", "setup.cfg"]) {
      if ((await stat(path.join(folder, manifest)).catch(() => undefined))?.isFile() === true) return folder;
    }
  } catch {
    // It was moved or removed.
  }
  return undefined;
}

const excludeUnwanted: Exclude = (entryPath, { isFolder, mayHaveSibling }) => {
  const name = path.posix.basename(entryPath);
  const isBuilt =
    /^(?:__pycache__|\.git|\.hg|\.tox|\.nox|\.mypy_cache|\.pytest_cache|\.ruff_cache|node_modules|.*\.egg-info)$/.test(
      name,
    );
  if (isFolder && (isBuilt || (/^\.?v?env$/.test(name) && !mayHaveSibling("__init__.py")))) return "";
  return name.endsWith(".pyc") ? "" : undefined;
};

/** The list of a package's files, which says nothing that the files do not. */
export const excludeRecord: Exclude = (entryPath) => (/^[^/]+\.dist-info\/RECORD$/.test(entryPath) ? "" : undefined);

/** The files that one package has in a folder that all share. Compiled files and the list itself are left out. */
function excludeOthers(files: ReadonlySet<string>, info: string): Exclude {
  const folders = new Set<string>([info]);
  for (const file of files) {
    for (
      let folder = path.posix.dirname(file);
      folder !== "." && !folders.has(folder);
      folder = path.posix.dirname(folder)
    )
      folders.add(folder);
  }
  return (entryPath, { isFolder }) => {
    if (isFolder) return folders.has(entryPath) && !entryPath.endsWith("__pycache__") ? undefined : "";
    const isInfo = path.posix.dirname(entryPath) === info;
    if (!files.has(entryPath) && !isInfo) return "";
    return entryPath.endsWith(".pyc") || entryPath === `${info}/RECORD` ? "" : undefined;
  };
}
