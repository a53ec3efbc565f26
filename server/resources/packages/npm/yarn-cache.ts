import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import semver from "semver";
import { parse } from "yaml";
import * as z from "zod";
import { toAbsolutePath } from "../../../lib/absolute-path.ts";
import { foldersUpFrom, readTextFile } from "../files.ts";
import type { PackageLocation } from "../package-location.ts";
import type { YarnLocator } from "./lockfiles/lockfile.ts";

/** A package in yarn's cache: a zip, which Plug'n'Play reads instead of `node_modules`. */
export interface CachedPackage extends YarnLocator {
  /** The zip. */
  file: string;
  sizeBytes: number;
  mtimeMs: number;
}

/**
 * Finds a package in the project's cache, else in the user's; `project` is the folder of `yarn.lock`. Both are
 * searched, whatever the value of `enableGlobalCache`: the same name means the same package in both.
 */
export async function findCached(
  locator: YarnLocator,
  { project, location }: { project: string; location: PackageLocation },
): Promise<CachedPackage | undefined> {
  const slug = slugOf(locator);
  for (const folder of await cacheFolders(project, location)) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((name) => name.startsWith(`${slug}-`) && name.endsWith(".zip")).toSorted()) {
      const file = path.join(folder, name);
      const stats = await stat(file).catch(() => undefined);
      if (stats?.isFile()) return { ...locator, file, sizeBytes: stats.size, mtimeMs: stats.mtimeMs };
    }
  }
  return undefined;
}

/**
 * The start of the names of a package's zips: `left-pad-npm-1.3.0-0382e69409`. Yarn's `slugifyLocator`:
 * https://github.com/yarnpkg/berry/blob/master/packages/yarnpkg-core/sources/structUtils.ts
 */
function slugOf({ name, reference }: YarnLocator): string {
  const hash = sha512(sha512(name.replace(/^@([^/]*)\//, "$1")) + reference);
  const [, protocol = "exotic:", selector = ""] = /^([^#:]*:)?((?:(?!::)[^#])*)/.exec(reference) ?? [];
  const version = semver.valid(selector);
  const parts = [name.replace("/", "-"), protocol.slice(0, -1), ...(version === null ? [] : [version])];
  return `${parts.join("-")}-${hash.slice(0, 10)}`;
}

function sha512(text: string): string {
  return createHash("sha512").update(text).digest("hex");
}

const Settings = z.object({
  cacheFolder: z.string().optional().catch(undefined),
  globalFolder: z.string().optional().catch(undefined),
});
type Setting = keyof z.infer<typeof Settings>;

/** Yarn's layers, strongest first: environment, `.yarnrc.yml` from the working directory upward, the user's own. */
async function cacheFolders(project: string, location: PackageLocation): Promise<string[]> {
  const { cwd, env, homeDirectory } = location;
  const environment = { cacheFolder: env["YARN_CACHE_FOLDER"], globalFolder: env["YARN_GLOBAL_FOLDER"] };
  const files = [...foldersUpFrom(cwd), homeDirectory].map(async (folder) => ({
    folder,
    settings: withoutNetwork(await readSettings(folder), { folder, location }),
  }));
  const layers = [{ folder: cwd, settings: environment }, ...(await Promise.all(files))];
  const folderOf = (setting: Setting) => {
    const layer = layers.find(({ settings }) => settings[setting]);
    const text = expandVariables(layer?.settings[setting] ?? "", env);
    return layer === undefined ? undefined : toAbsolutePath(text, { folder: layer.folder, homeDirectory });
  };
  return [
    folderOf("cacheFolder") ?? path.join(project, ".yarn", "cache"),
    path.join(folderOf("globalFolder") ?? defaultGlobalFolder(location), "cache"),
  ];
}

async function readSettings(folder: string): Promise<z.infer<typeof Settings>> {
  const text = await readTextFile(path.join(folder, ".yarnrc.yml"));
  try {
    return Settings.parse(parse(text ?? "", { logLevel: "silent" }) ?? {});
  } catch {
    return {};
  }
}

/** Windows signs in to the host of a network path, which an untrusted project must not choose. */
function withoutNetwork(
  settings: z.infer<typeof Settings>,
  { folder, location }: { folder: string; location: PackageLocation },
): z.infer<typeof Settings> {
  if (location.platform !== "win32" || folder === location.homeDirectory) return settings;
  const local = Object.entries(settings).filter(([, text]) => !/^[/\\]{2}/.test(text ?? ""));
  return Object.fromEntries(local);
}

/** `${NAME}`, `${NAME-else}` and `${NAME:-else}`: https://yarnpkg.com/configuration/yarnrc */
function expandVariables(text: string, env: PackageLocation["env"]): string {
  return text.replace(/\$\{(\w+)(?::?-([^}]*))?\}/g, (_, name: string, otherwise = "") => env[name] || otherwise);
}

function defaultGlobalFolder({ platform, env, homeDirectory }: PackageLocation): string {
  if (platform === "win32") {
    return path.join(env["LOCALAPPDATA"] ?? path.join(homeDirectory, "AppData", "Local"), "Yarn", "Berry");
  }
  if (env["XDG_DATA_HOME"]) return path.join(env["XDG_DATA_HOME"], "yarn", "berry");
  return path.join(homeDirectory, ".yarn", "berry");
}
