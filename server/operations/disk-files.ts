import path from "node:path";
import type { CitedFile, Opened, OpenFailure } from "../citations/cited-resources.ts";
import { isWithin } from "../citations/resolve.ts";
import { toAbsolutePath } from "../lib/absolute-path.ts";
import { packageReference, type PackageType } from "../protocol/kinds/names.ts";
import { isOneOff, parseReference } from "../protocol/reference.ts";
import { exists } from "../resources/packages/files.ts";
import { realFile, realPath } from "../resources/real-paths.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { VerifyContext } from "./cited-resources.ts";
import type { Target } from "./targets.ts";

interface DiskFilesOptions extends Pick<VerifyContext, "known" | "places" | "projectOf"> {
  targets: readonly Target[];
  open: (target: Target, options?: { key?: string; isOptional?: boolean }) => Promise<Opened>;
  /** The snapshots that are already open. */
  snapshots: readonly Snapshot[];
}

/**
 * Finds a file of this computer in the resource or project that it belongs to. A file that belongs to none, and one
 * that its project ignores, is opened by itself, in its folder. Undefined where there is no such file.
 */
export function createDiskFiles(options: DiskFilesOptions) {
  const { targets, known, places, projectOf, open, snapshots } = options;

  return async function onDisk(written: string): Promise<CitedFile | OpenFailure | undefined> {
    if (projectOf === undefined) return undefined;
    const file = await realFile(toAbsolutePath(written, { folder: places.cwd, homeDirectory: places.homeDirectory }));
    if (file === undefined) return undefined;
    const cached = (await vendoredPackage(file, places.cwd)) ?? cachedPackage(file, places.cwd);
    const candidates = cached === undefined ? await candidatesFor(file, projectOf) : [cached];
    for (const candidate of candidates) {
      const opened = await open(candidate, { isOptional: candidate === cached });
      const found = opened.type === "snapshot" ? fileIn(opened.snapshot, file) : undefined;
      if (found !== undefined) return found;
    }
    const among = snapshots.map((snapshot) => fileIn(snapshot, file)).find((found) => found !== undefined);
    if (among !== undefined) return among;
    // Each file is opened by itself, and all of a folder have its name.
    const alone = await open({ type: "local", canonical: path.dirname(file), path: file }, { key: file });
    return alone.type === "failed" ? alone : fileIn(alone.snapshot, file);
  };

  /** The likeliest first. An installed package is what it is under the name that questions give it. */
  async function candidatesFor(
    file: string,
    projectOf: (folder: string) => Promise<string | undefined>,
  ): Promise<readonly Target[]> {
    const installed = packageOf(file);
    if (installed !== undefined) return packageTargets(installed);
    const local = [...targets, ...known.named].filter((target) => target.type === "local");
    const folders = await Promise.all(
      [...new Set(local)].map(async (target) => ({ target, folder: await realFolder(target.path) })),
    );
    const around = folders.filter(({ folder }) => folder !== undefined && isWithin(file, folder));
    around.sort((a, b) => (b.folder ?? "").length - (a.folder ?? "").length);
    if (around.length > 0) return around.map(({ target }) => target);
    const project = await projectOf(path.dirname(file));
    return project === undefined ? [] : [{ type: "local", canonical: project, path: project }];
  }

  /** `npm:hono` means the package installed above the working directory; any other is identified by its folder. */
  function packageTargets({ name, folder, above }: InstalledFile): readonly Target[] {
    const own: Target = { type: "local", canonical: folder, path: folder };
    const matching = targets.filter((target) => target.type === "npm" && target.package === name);
    const isNamed = isWithin(places.cwd, above);
    const canonical = `npm:${name}`;
    return [...matching, ...(isNamed ? [{ type: "npm", canonical, package: name } as const] : []), own];
  }

  async function realFolder(folder: string): Promise<string | undefined> {
    const absolute = toAbsolutePath(folder, { folder: places.cwd, homeDirectory: places.homeDirectory });
    return realPath(absolute);
  }
}

function fileIn(snapshot: Snapshot, file: string): CitedFile | undefined {
  const { directory } = snapshot.info;
  if (directory === undefined || !isWithin(file, directory)) return undefined;
  const relative = path.relative(directory, file).split(path.sep).join("/");
  const isThere = [...snapshot.files, ...snapshot.skipped].some((entry) => entry.path === relative);
  return isThere ? { type: "file", snapshot, path: relative } : undefined;
}

/**
 * The package that a file is of, where package managers other than npm keep them: Go's module cache and Cargo's registry
 * have the version in the path; a distribution of the environment of the project around a folder goes by its module.
 */
function cachedPackage(file: string, cwd: string): Target | undefined {
  const slashed = file.split(path.sep).join("/");
  const [, module, moduleVersion] = /\/mod\/([^@]+\.[^@]+)@(v[^/@]+)\//.exec(slashed) ?? [];
  if (module !== undefined && moduleVersion !== undefined) {
    const plain = (text: string) => text.replaceAll(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return packageTarget("golang", plain(module), plain(moduleVersion));
  }
  const [, crate, crateVersion] = /\/registry\/src\/[^/]+\/([^/]+?)-(\d[^/]*)\//.exec(slashed) ?? [];
  if (crate !== undefined && crateVersion !== undefined) return packageTarget("cargo", crate, crateVersion);
  const [, environment = "", distribution] =
    /^(.+)\/(?:lib|lib64|Lib)(?:\/[^/]+)?\/site-packages\/(\w+?)(?:\.py|\/|-\d)/.exec(slashed) ?? [];
  const isNamed = isWithin(cwd, path.dirname(environment.split("/").join(path.sep)));
  return distribution !== undefined && isNamed ? packageTarget("pypi", distribution) : undefined;
}

/** The package of Composer that a file is of, in the project around a folder. */
async function vendoredPackage(file: string, cwd: string): Promise<Target | undefined> {
  const parts = file.split(path.sep);
  const at = parts.lastIndexOf("vendor");
  const folder = parts.slice(0, at).join(path.sep);
  const isComposers =
    at > 0 && isWithin(cwd, folder) && (await exists(path.join(folder, "vendor", "composer", "installed.json")));
  return isComposers ? packageTarget("composer", parts.slice(at + 1, at + 3).join("/")) : undefined;
}

function packageTarget(type: PackageType, name: string, version?: string): Target | undefined {
  const reference = parseReference(packageReference(type, name, version));
  return isOneOff(reference) ? reference : undefined;
}

interface InstalledFile {
  name: string;
  folder: string;
  /** The folder that `node_modules` is in. */
  above: string;
}

function packageOf(file: string): InstalledFile | undefined {
  const parts = file.split(path.sep);
  const at = parts.lastIndexOf("node_modules");
  const [first = "", second = ""] = parts.slice(at + 1);
  const name = first.startsWith("@") ? `${first}/${second}` : first;
  if (at <= 0 || name === "" || first.startsWith(".")) return undefined;
  const above = parts.slice(0, at).join(path.sep);
  return { name, above, folder: path.join(above, "node_modules", ...name.split("/")) };
}
