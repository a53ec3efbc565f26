import { readdir } from "node:fs/promises";
import path from "node:path";
import picomatch from "picomatch";
import semver from "semver";
import { parse as parseYaml } from "yaml";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { PackageName } from "../../protocol/kinds/npm.ts";
import { ResourceName } from "../../protocol/resource-fields.ts";
import { stopWords } from "../../source/words.ts";
import { readJsonFile, readTextFile } from "./files.ts";
import { findInstalled } from "./installed.ts";
import { findProjectRoot, foldersOf, type NpmConfigLocation } from "./npm-places.ts";
import { chooseVersion } from "./version-choice.ts";

/** A package that the workspace depends on. */
export interface Dependency {
  name: string;
  /** The installed version, else that of the lockfile; undefined if neither is known. */
  version: string | undefined;
  /** The version in `package.json`, if it is an exact one. */
  pinned: string | undefined;
  /** Whether a reference without a version means this one, from the folder of `location`. */
  isUsual: boolean;
}

const Names = z.record(z.string(), z.unknown()).catch({});
const Manifest = z.object({
  name: z.string().optional().catch(undefined),
  workspaces: z
    .union([z.array(z.string()), z.object({ packages: z.array(z.string()) }).transform((it) => it.packages)])
    .catch([]),
  dependencies: Names,
  devDependencies: Names,
  optionalDependencies: Names,
});
const PnpmWorkspace = z.object({ packages: z.array(z.string()).catch([]) });

/** Deeper than workspaces nest packages. */
const depthLimit = 6;

/**
 * The dependencies of the open projects' packages, by name, without those packages. Undefined without a
 * `package.json`.
 */
export async function readDependencies(location: NpmConfigLocation): Promise<Dependency[] | undefined> {
  const found = await Promise.all(foldersOf(location).map((cwd) => readDependenciesAround({ ...location, cwd })));
  const lists = found.filter((list) => list !== undefined);
  if (lists.length === 0) return undefined;
  // The first project that depends on a package decides its version, as in `chooseVersion`.
  const byName = new Map(
    lists
      .flat()
      .toReversed()
      .map((dependency) => [dependency.name, dependency]),
  );
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A dependency that a text names. */
export interface NamedDependency {
  name: string;
  /** The installed version. */
  version: string;
}

/** A text that names more dependencies is about dependencies in general. */
const namedLimit = 5;

/**
 * The installed dependencies of the open projects that a text names. Reads only the manifests of the working directory,
 * the other open projects and their workspace roots, because it runs with every question.
 */
export async function findNamedDependencies(text: string, location: NpmConfigLocation): Promise<NamedDependency[]> {
  const words = new Set(text.match(/(?<![\w/@.-])@?[\w~-][\w.~-]*(?:\/[\w.~-]+)?/g)?.map(withoutFinalDots));
  const found = new Map<string, NamedDependency>();
  for (const folder of foldersOf(location)) {
    const manifests = await Promise.all([...new Set([folder, await findProjectRoot(folder)])].map(readManifest));
    const names = manifests.flatMap((manifest) => (manifest === undefined ? [] : namesIn(manifest)));
    for (const name of names.filter((name) => words.has(name) && !isPlainWord(name, text) && !found.has(name))) {
      const installed = await findInstalled(name, { cwd: folder });
      if (installed !== undefined) found.set(name, { name, version: installed.version });
    }
  }
  return [...found.values()].slice(0, namedLimit);
}

function withoutFinalDots(word: string): string {
  return word.replace(/\.+$/, "");
}

function namesIn({ dependencies, devDependencies, optionalDependencies }: z.infer<typeof Manifest>): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }).filter(isUsable);
}

/** Packages such as `which` and `once` count as named only in backticks or as `npm:once`. */
function isPlainWord(name: string, text: string): boolean {
  return stopWords.has(name) && !text.includes(`\`${name}\``) && !text.includes(`npm:${name}`);
}

async function readDependenciesAround(location: NpmConfigLocation): Promise<Dependency[] | undefined> {
  const root = await findProjectRoot(location.cwd);
  const own = await readManifest(root);
  if (own === undefined) return undefined;
  const folders = [root, ...(await findMembers(root, await patternsOf(root, own.workspaces)))];
  const manifests = await Promise.all(folders.map(async (folder) => ({ folder, ...(await readManifest(folder)) })));
  const ownNames = new Set(manifests.map(({ name }) => name));
  const wantedBy = new Map<string, { folder: string; wanted: unknown }>();
  for (const { folder, dependencies, devDependencies, optionalDependencies } of manifests) {
    for (const [name, wanted] of Object.entries({ ...devDependencies, ...dependencies, ...optionalDependencies })) {
      if (!ownNames.has(name) && !wantedBy.has(name) && isUsable(name)) wantedBy.set(name, { folder, wanted });
    }
  }
  const names = [...wantedBy].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const dependencies = await Promise.all(names.map(([name, by]) => describe(name, { ...by, location })));
  return dependencies.filter((dependency) => dependency !== undefined);
}

/** Whether a package can be a resource of its own name. */
function isUsable(name: string): boolean {
  return PackageName.safeParse(name).success && ResourceName.safeParse(name).success;
}

/** Undefined if it is neither on disk nor from a registry. */
async function describe(
  name: string,
  { folder, wanted, location }: { folder: string; wanted: unknown; location: NpmConfigLocation },
): Promise<Dependency | undefined> {
  try {
    const version = await versionOf(name, { ...location, cwd: folder });
    const isUsual = version === (await versionOf(name, location).catch(() => undefined));
    return { name, version, pinned: exactVersion(wanted), isUsual };
  } catch (error) {
    if (error instanceof CitewellError && error.tag === "PackageNotFound") return undefined;
    throw error;
  }
}

async function versionOf(name: string, location: NpmConfigLocation): Promise<string | undefined> {
  const choice = await chooseVersion({ package: name }, location);
  if (choice.type === "installed") return choice.installed.version;
  if (choice.type === "cached") return choice.cached.version;
  return choice.wanted.version === "latest" ? undefined : choice.wanted.version;
}

function exactVersion(wanted: unknown): string | undefined {
  return typeof wanted === "string" ? (semver.clean(wanted, { loose: true }) ?? undefined) : undefined;
}

async function readManifest(folder: string): Promise<z.infer<typeof Manifest> | undefined> {
  return Manifest.safeParse(await readJsonFile(path.join(folder, "package.json"))).data;
}

async function patternsOf(root: string, workspaces: readonly string[]): Promise<string[]> {
  const pnpm = PnpmWorkspace.safeParse(parseQuietly(await readTextFile(path.join(root, "pnpm-workspace.yaml")))).data;
  return [...workspaces, ...(pnpm?.packages ?? [])].map((pattern) => pattern.replace(/^(!?)\.?\/|\/+$/g, "$1"));
}

function parseQuietly(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseYaml(text);
  } catch {
    return undefined;
  }
}

/** The folders with a `package.json` that match the patterns; those of `!…` are excluded. */
async function findMembers(root: string, patterns: readonly string[]): Promise<string[]> {
  const wanted = patterns.filter((pattern) => !pattern.startsWith("!"));
  if (wanted.length === 0) return [];
  const unwanted = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  const isMember = picomatch(wanted, { ignore: unwanted });
  const members: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (depth > depthLimit) return;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory() || entry.name === "node_modules" || entry.name === ".git") continue;
      const child = path.join(folder, entry.name);
      if (isMember(path.relative(root, child).split(path.sep).join("/"))) members.push(child);
      await visit(child, depth + 1);
    }
  };
  await visit(root, 1);
  return members;
}
