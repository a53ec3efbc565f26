import path from "node:path";
import * as z from "zod";
import { expandFolders, foldersUpFrom, projectPath } from "../files.ts";
import { readTomlFile } from "../toml.ts";
import { type Lockfile, readLockfile } from "./lockfile.ts";
import { normalizeName } from "./names.ts";

/** What a manifest asks for. */
export interface CrateDependency {
  /** The name in the manifest and in code. */
  alias: string;
  /** The crate's own name. */
  name: string;
  /** Cargo's requirement; empty for any version. */
  requirement: string;
  /** Absolute. */
  folder: string | undefined;
  /** The address of a git repository. */
  git: string | undefined;
  /** The name of another registry than crates.io. */
  registry: string | undefined;
}

/** A folder with a `Cargo.toml`. */
export interface Crate {
  folder: string;
  /** Undefined for a workspace's root that is no crate itself. */
  name: string | undefined;
  version: string | undefined;
  /** For use, tests, builds, and other platforms. */
  dependencies: readonly CrateDependency[];
}

/** The crates that share one `Cargo.lock`. */
export interface CargoProject {
  root: string;
  /** The crate around the asking folder. */
  crate: Crate;
  lock(): Promise<Lockfile | undefined>;
  /**
   * The dependency that an alias or a name, in any spelling, means in any crate of the workspace; else in what the root
   * sets for all, replacements of published crates included.
   */
  find(name: string): Promise<CrateDependency | undefined>;
  /** The crates of the workspace. */
  members(): Promise<readonly Crate[]>;
  /** Those, and the folders outside of it that they depend on. */
  locals(): Promise<readonly Crate[]>;
}

const Text = z.string().optional().catch(undefined);
const Texts = z.array(z.string()).catch([]);
const Table = z.record(z.string(), z.unknown()).catch({});
const Tables = z.object({
  dependencies: Table,
  "dev-dependencies": Table,
  "build-dependencies": Table,
});
const Manifest = Tables.extend({
  package: z.object({ name: Text, version: Text, workspace: Text }).optional().catch(undefined),
  workspace: z
    .object({
      members: Texts,
      exclude: Texts,
      dependencies: Table,
      package: z.object({ version: Text }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  target: z.record(z.string(), Tables).catch({}),
  patch: z.record(z.string(), Table).catch({}),
});
type Manifest = z.infer<typeof Manifest>;
const Details = z.object({
  version: Text,
  package: Text,
  path: Text,
  git: Text,
  registry: Text,
  workspace: z.boolean().optional().catch(undefined),
});

/** The project around a folder; undefined without a `Cargo.toml`. */
export async function openProject(cwd: string): Promise<CargoProject | undefined> {
  for (const folder of foldersUpFrom(cwd)) {
    const manifest = await readManifest(folder);
    if (manifest !== undefined) return openAround(folder, manifest);
  }
  return undefined;
}

async function openAround(folder: string, manifest: Manifest): Promise<CargoProject> {
  const root = (await findRoot(folder, manifest)) ?? { folder, manifest };
  const shared = dependenciesIn(root.manifest.workspace?.dependencies ?? {}, { folder: root.folder, shared: [] });
  const patches = Object.values(root.manifest.patch).flatMap((table) =>
    dependenciesIn(table, { folder: root.folder, shared: [] }),
  );
  const toCrate = (at: string, own: Manifest) => crateOf(at, own, { root: root.manifest, shared });
  const read = async (at: string) => {
    const own = await readManifest(at);
    return own === undefined ? undefined : toCrate(at, own);
  };
  const locals = once(() => readLocals(root, { patches, read }));
  const members = once(async () => (await locals()).filter((crate) => isBelow(crate.folder, root)));
  const finder = once(async () => {
    const all = (await members()).flatMap(({ dependencies }) => dependencies);
    return createFinder([...all, ...shared, ...patches]);
  });
  return {
    root: root.folder,
    crate: toCrate(folder, manifest),
    lock: once(() => readLockfile(root.folder)),
    find: async (name) => (await finder())(name),
    locals,
    members,
  };
}

function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => (made ??= make());
}

/** Finds the first dependency of an alias, else of a name, in any spelling. */
export function createFinder(dependencies: readonly CrateDependency[]): (name: string) => CrateDependency | undefined {
  const indexOf = (field: "alias" | "name") =>
    new Map(dependencies.toReversed().map((it) => [normalizeName(it[field]), it]));
  const [byAlias, byName] = [indexOf("alias"), indexOf("name")];
  return (name) => byAlias.get(normalizeName(name)) ?? byName.get(normalizeName(name));
}

interface Root {
  folder: string;
  manifest: Manifest;
}

/** The root that the manifest names, else the nearest workspace above that does not exclude it. */
async function findRoot(folder: string, own: Manifest): Promise<Root | undefined> {
  const named = own.package?.workspace;
  const at = named === undefined ? undefined : projectPath(folder, named);
  const manifest = at === undefined ? undefined : await readManifest(at);
  if (at !== undefined && manifest !== undefined) return { folder: at, manifest };
  for (const at of foldersUpFrom(folder)) {
    const manifest = at === folder ? own : await readManifest(at);
    if (manifest?.workspace !== undefined && isBelow(folder, { folder: at, manifest })) return { folder: at, manifest };
  }
  return undefined;
}

/** Whether a folder is in a workspace: below its root, and not excluded. */
function isBelow(folder: string, { folder: root, manifest }: Root): boolean {
  const { members = [], exclude = [] } = manifest.workspace ?? {};
  const isIn = (below: string) => !path.relative(path.join(root, below), folder).startsWith("..");
  return folder === root || members.some(isIn) || (isIn("") && !exclude.some(isIn));
}

async function readLocals(
  { folder: root, manifest }: Root,
  { patches, read }: { patches: readonly CrateDependency[]; read: (folder: string) => Promise<Crate | undefined> },
): Promise<Crate[]> {
  const members = await Promise.all((manifest.workspace?.members ?? []).map((it) => expandFolders(root, it)));
  const patched = patches.flatMap(({ folder }) => folder ?? []);
  const found = new Map<string, Crate>();
  let folders = [root, ...members.flat(), ...patched];
  while (folders.length > 0) {
    const fresh = [...new Set(folders)].filter((folder) => !found.has(folder));
    const crates = (await Promise.all(fresh.map(read))).filter((crate) => crate !== undefined);
    for (const crate of crates) found.set(crate.folder, crate);
    folders = crates.flatMap(({ dependencies }) => dependencies.flatMap(({ folder }) => folder ?? []));
    folders = folders.filter((folder) => !found.has(folder));
  }
  return [...found.values()];
}

async function readManifest(folder: string): Promise<Manifest | undefined> {
  return Manifest.safeParse(await readTomlFile(path.join(folder, "Cargo.toml"))).data;
}

/** The crate in a folder by itself, as an installed one is; undefined if it has none. */
export async function readCrate(folder: string): Promise<Crate | undefined> {
  const manifest = await readManifest(folder);
  return manifest === undefined ? undefined : crateOf(folder, manifest, { root: manifest, shared: [] });
}

function crateOf(
  folder: string,
  manifest: Manifest,
  { root, shared }: { root: Manifest; shared: readonly CrateDependency[] },
): Crate {
  const tables = [manifest, ...Object.values(manifest.target)].flatMap((it) => [
    it.dependencies,
    it["build-dependencies"],
    it["dev-dependencies"],
  ]);
  return {
    folder,
    name: manifest.package?.name,
    version: manifest.package?.version ?? root.workspace?.package?.version,
    dependencies: tables.flatMap((table) => dependenciesIn(table, { folder, shared })),
  };
}

function dependenciesIn(
  table: Readonly<Record<string, unknown>>,
  { folder, shared }: { folder: string; shared: readonly CrateDependency[] },
): CrateDependency[] {
  return Object.entries(table).map(([alias, value]) => {
    const details = Details.catch({}).parse(typeof value === "string" ? { version: value } : value);
    const inherited = details.workspace === true ? shared.find((it) => it.alias === alias) : undefined;
    if (inherited !== undefined) return inherited;
    const { package: name = alias, version = "", path: at, git, registry } = details;
    return {
      alias,
      name,
      requirement: version,
      folder: at === undefined ? undefined : projectPath(folder, at),
      git: git?.replace(/(?<=:\/\/)[^/@]*@/, ""),
      registry,
    };
  });
}
