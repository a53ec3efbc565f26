import { readdir } from "node:fs/promises";
import path from "node:path";
import semver from "semver";
import * as z from "zod";
import { foldersUpFrom, ownValue, readJsonFile, readYamlFile } from "../files.ts";
import { findProjectRoot } from "./npm-places.ts";
import { parseSpecifier, type Specified } from "./specifier.ts";

/** What a project's own files say about a package, before any lockfile. */
export interface Declared {
  /** The nearest folder with a `package.json`, else the working directory. */
  folder: string;
  /** What that `package.json` asks for, with catalogs resolved. */
  specifier: string | undefined;
  /** The same, with overrides applied; undefined if nothing names the package. */
  specified: Specified | undefined;
  /** What decides it, in words. */
  by: string;
  /** Whether the project patches a version of the package; an undefined version is any. */
  isPatched: (version: string | undefined) => boolean;
}

const Specifiers = z.record(z.string(), z.string()).catch({});
const Catalogs = z.record(z.string(), Specifiers).catch({});
const Values = z.record(z.string(), z.unknown()).catch({});
const Catalogued = { catalog: Specifiers, catalogs: Catalogs };
const Pnpm = { overrides: Values, patchedDependencies: Values };
const dependencyKinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] as const;
const Manifest = z.object({
  dependencies: Specifiers,
  devDependencies: Specifiers,
  optionalDependencies: Specifiers,
  peerDependencies: Specifiers,
  resolutions: Values,
  ...Pnpm,
  pnpm: z.object(Pnpm).catch({ overrides: {}, patchedDependencies: {} }),
  ...Catalogued,
  workspaces: z.object(Catalogued).catch({ catalog: {}, catalogs: {} }),
});
type Manifest = z.infer<typeof Manifest>;
const Settings = z.object({ ...Catalogued, ...Pnpm });

/** Reads `package.json`, that of the workspace's root, and the settings of pnpm and yarn beside it. */
export async function findDeclared(name: string, { cwd }: { cwd: string }): Promise<Declared> {
  const folder = await findManifestFolder(cwd);
  const root = await findProjectRoot(folder);
  const own = await readManifest(folder);
  const above = root === folder ? own : await readManifest(root);
  const [pnpm, yarn] = await Promise.all(
    ["pnpm-workspace.yaml", ".yarnrc.yml"].map(async (file) =>
      Settings.parse((await readYamlFile(path.join(root, file))) ?? {}),
    ),
  );
  const settings = [pnpm, yarn].filter((it) => it !== undefined);
  const catalogued = [above, above.workspaces, ...settings];
  const resolve = (specifier: string) => resolveCatalog(name, specifier, catalogued);

  const asked = askedFor(name, own);
  const specifier = asked === undefined ? undefined : resolve(asked);
  const overrides = [above.overrides, above.resolutions, above.pnpm.overrides, ...settings.map((it) => it.overrides)];
  const override = overrides.map((it) => findOverride(name, specifier, it)).find((it) => it !== undefined);
  const overridden = override?.startsWith("$") ? askedFor(override.slice(1), above) : override;
  const applied = overridden === undefined ? specifier : resolve(overridden);

  const patches = [above.patchedDependencies, above.pnpm.patchedDependencies, pnpm?.patchedDependencies ?? {}];
  const keys = [...patches.flatMap((it) => Object.keys(it)), ...(await patchFiles(new Set([root, folder])))];
  const patched = keys.map(splitKey).filter((key) => key.name === name);
  return {
    folder,
    specifier,
    specified: applied === undefined ? undefined : parseSpecifier(name, applied),
    by: overridden !== undefined ? "an override" : specifier === asked ? "package.json" : "a catalog",
    isPatched: (version) =>
      patched.some(
        ({ range }) =>
          version === undefined || range === undefined || semver.satisfies(version, range, { loose: true }),
      ),
  };
}

async function findManifestFolder(cwd: string): Promise<string> {
  for (const folder of foldersUpFrom(cwd)) {
    const value = await readJsonFile(path.join(folder, "package.json"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return folder;
  }
  return cwd;
}

async function readManifest(folder: string): Promise<Manifest> {
  const value = await readJsonFile(path.join(folder, "package.json"));
  return Manifest.safeParse(value).data ?? Manifest.parse({});
}

function askedFor(name: string, manifest: Manifest): string | undefined {
  return dependencyKinds.map((kind) => ownValue(manifest[kind], name)).find((specifier) => specifier !== undefined);
}

/** `catalog:` and `catalog:name` of pnpm, yarn and bun; one that is not defined stays as it is. */
function resolveCatalog(
  name: string,
  specifier: string,
  sources: readonly { catalog: Record<string, string>; catalogs: Record<string, Record<string, string>> }[],
): string {
  if (!specifier.startsWith("catalog:")) return specifier;
  const chosen = specifier.slice("catalog:".length).trim() || "default";
  const found = sources.flatMap(({ catalog, catalogs }) => [
    chosen === "default" ? ownValue(catalog, name) : undefined,
    ownValue(ownValue(catalogs, chosen) ?? {}, name),
  ]);
  return found.find((it) => it !== undefined) ?? specifier;
}

/** An entry that applies to a dependency of the project itself: those below a parent (`a>b`, `a/b`) do not. */
function findOverride(
  name: string,
  specifier: string | undefined,
  overrides: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const [key, value] of Object.entries(overrides)) {
    const { name: target, range } = splitKey(key.replace(/^\*\*\//, ""));
    if (target !== name || !isOverridden(name, specifier, range)) continue;
    // npm's long form also lists overrides of the package's own dependencies.
    const own = typeof value === "object" && value !== null && "." in value ? value["."] : value;
    if (typeof own === "string") return own;
  }
  return undefined;
}

/** The range of an indirect dependency is not known: any override of it may apply. */
function isOverridden(name: string, specifier: string | undefined, range: string | undefined): boolean {
  if (specifier === undefined || range === undefined || range === specifier) return true;
  const [asked, target] = [parseSpecifier(name, specifier), parseSpecifier(name, range)];
  if (asked.type !== "registry" || target.type !== "registry") return false;
  const ranges = [asked.version, target.version].map((version) => semver.validRange(version, { loose: true }));
  const [a, b] = ranges;
  return a && b ? semver.intersects(a, b, { loose: true }) : asked.version === target.version;
}

/** `name` or `name@range`. */
function splitKey(key: string): { name: string; range: string | undefined } {
  const at = key.indexOf("@", 1);
  return at === -1 ? { name: key, range: undefined } : { name: key.slice(0, at), range: key.slice(at + 1) };
}

/** The patches of patch-package, `patches/@scope+name+1.0.0.patch`, as `@scope/name@1.0.0`. */
async function patchFiles(folders: ReadonlySet<string>): Promise<string[]> {
  const lists = [...folders].map((folder) => readdir(path.join(folder, "patches")).catch(() => []));
  return (await Promise.all(lists)).flat().flatMap((file) => {
    const match = /^(?:.*\+\+)?(@[^+]+\+)?([^+@]+)\+(\d[^+]*?)(?:\+.*)?(?:\.dev)?\.patch$/.exec(file);
    return match === null ? [] : [`${match[1]?.replace("+", "/") ?? ""}${match[2]}@${match[3]}`];
  });
}
