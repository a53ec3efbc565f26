import { realpath } from "node:fs/promises";
import path from "node:path";
import picomatch from "picomatch";
import { exists, programsOnPath, readTextFile } from "../files.ts";
import type { PackageLocation } from "../package-location.ts";

/** The setting of a variable of the `go` command; empty if there is none. */
export type GoEnv = (name: string) => string;

/**
 * The environment, else what `go env -w` wrote, else the defaults of the installation:
 * https://pkg.go.dev/cmd/go#hdr-Environment_variables. The command itself is never run.
 */
export async function readGoEnv(location: PackageLocation): Promise<GoEnv> {
  const { env, isAnonymous = false } = location;
  if (isAnonymous) return (name) => env[name] ?? "";
  const root = await findGoRoot(location);
  const files = [userFile(location), ...(root === undefined ? [] : [path.join(root, "go.env")])];
  const texts = await Promise.all(files.map(async (file) => (file === undefined ? "" : await readTextFile(file))));
  const written = texts.map(
    (text = "") => new Map([...text.matchAll(/^([A-Z]\w*)=(.*?)\r?$/gm)].map(([, a = "", b = ""]) => [a, b])),
  );
  return (name) => env[name] || (written.map((values) => values.get(name)).find(Boolean) ?? "");
}

/** `go/env` in the folder of the user's configuration, https://pkg.go.dev/os#UserConfigDir */
function userFile({ env, homeDirectory, platform }: PackageLocation): string | undefined {
  if (env["GOENV"]) return env["GOENV"] === "off" ? undefined : env["GOENV"];
  const folder =
    platform === "win32"
      ? (env["APPDATA"] ?? path.join(homeDirectory, "AppData", "Roaming"))
      : platform === "darwin"
        ? path.join(homeDirectory, "Library", "Application Support")
        : env["XDG_CONFIG_HOME"] || path.join(homeDirectory, ".config");
  return path.join(folder, "go", "env");
}

/** The Go installation of `GOROOT`, else of the `go` in `PATH`: its real path is `<installation>/bin/go`. */
export async function findGoRoot(location: PackageLocation): Promise<string | undefined> {
  const { env, isAnonymous = false } = location;
  if (isAnonymous) return undefined;
  const named = env["GOROOT"] ? await realpath(env["GOROOT"]).catch(() => undefined) : undefined;
  const programs = await programsOnPath(["go"], location);
  for (const root of [named, ...programs.map((program) => path.dirname(path.dirname(program)))]) {
    if (root !== undefined && (await exists(path.join(root, "VERSION")))) return root;
  }
  return undefined;
}

/** The folder of downloaded modules. */
export function moduleCache(goEnv: GoEnv, { homeDirectory, platform }: PackageLocation): string {
  const paths = goEnv("GOPATH").split(platform === "win32" ? ";" : ":");
  return goEnv("GOMODCACHE") || path.join(paths[0] || path.join(homeDirectory, "go"), "pkg", "mod");
}

/** Whether a module is one of the patterns of `GOPRIVATE` and the like: globs, each for whole elements of its beginning. */
export function matchesPatterns(module: string, patterns: string): boolean {
  return patterns.split(",").some((pattern) => {
    const glob = pattern.trim().replace(/\/+$/, "");
    if (glob === "") return false;
    const prefix = module.split("/").slice(0, glob.split("/").length).join("/");
    return picomatch.isMatch(prefix, glob);
  });
}
