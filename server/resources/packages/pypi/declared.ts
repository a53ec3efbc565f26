import { readdir } from "node:fs/promises";
import path from "node:path";
import ini from "ini";
import * as z from "zod";
import { expandFolders, foldersUpFrom, readTextFile } from "../files.ts";
import { readTomlFile } from "../toml.ts";
import { normalizeName } from "./names.ts";

/** What a manifest asks for. */
export interface Requirement {
  name: string;
  /** `>=2,<3`; empty for any version. */
  specifiers: string;
  /** Another origin than an index, without credentials. */
  elsewhere?: string | undefined;
  /** `sha256:<hex>` of a requirements file. */
  hashes: readonly string[];
  /** A constraint applies to what something else requires. */
  isConstraint?: boolean | undefined;
}

/** The requirements of one file. */
export interface DeclaredIn {
  file: string;
  requirements: readonly Requirement[];
}

const Texts = z.array(z.string()).catch([]);
const Values = z.record(z.string(), z.unknown()).catch({});
const Groups = z.record(z.string(), z.array(z.unknown())).catch({});
const empty = <Shape extends z.ZodObject>(shape: Shape) => z.preprocess((value) => value ?? {}, shape);
const Pyproject = z.object({
  project: empty(
    z.object({ name: z.string().optional().catch(undefined), dependencies: Texts, "optional-dependencies": Groups }),
  ),
  "dependency-groups": Groups,
  tool: empty(
    z.object({
      uv: empty(
        z.object({
          sources: Values,
          "dev-dependencies": Texts,
          workspace: empty(z.object({ members: Texts, exclude: Texts })),
        }),
      ),
      pdm: empty(z.object({ "dev-dependencies": Groups })),
      poetry: empty(
        z.object({
          name: z.string().optional().catch(undefined),
          dependencies: Values,
          "dev-dependencies": Values,
          group: z.record(z.string(), z.object({ dependencies: Values })).catch({}),
        }),
      ),
    }),
  ),
});
const Pipfile = z.object({ packages: Values, "dev-packages": Values });

/** The nearest folder with a manifest. */
export async function findManifestFolder(cwd: string): Promise<string | undefined> {
  for (const folder of foldersUpFrom(cwd)) if (await hasManifest(folder)) return folder;
  return undefined;
}

export async function hasManifest(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) =>
    /^(?:pyproject\.toml|setup\.cfg|setup\.py|Pipfile|requirements.*\.(?:txt|in))$/.test(name),
  );
}

/** The manifests of a folder, by precedence. */
export async function readManifests(folder: string): Promise<DeclaredIn[]> {
  const { own, requirements } = await readPyproject(folder);
  const found = [
    { file: "pyproject.toml", requirements },
    { file: "setup.cfg", requirements: await readSetupCfg(folder) },
    { file: "Pipfile", requirements: await readPipfile(folder) },
    ...(await readRequirementFiles(folder)),
  ];
  return found
    .map(({ file, requirements }) => ({
      file,
      requirements: requirements.filter(({ name }) => normalizeName(name) !== own),
    }))
    .filter(({ requirements }) => requirements.length > 0);
}

/** The folders of a uv workspace's packages. */
export async function findMembers(root: string): Promise<string[]> {
  const { members, exclude } = (await parsePyproject(root)).tool.uv.workspace;
  const expand = async (patterns: readonly string[]) =>
    (await Promise.all(patterns.map((pattern) => expandFolders(root, pattern)))).flat();
  const excluded = new Set(await expand(exclude));
  return (await expand(members)).filter((folder) => !excluded.has(folder));
}

/** Whether a folder is a package of a uv workspace above it, which has the lock file of all its packages. */
export async function isMember(folder: string): Promise<boolean> {
  for (const root of foldersUpFrom(folder).slice(1)) if ((await findMembers(root)).includes(folder)) return true;
  return false;
}

async function parsePyproject(folder: string): Promise<z.infer<typeof Pyproject>> {
  return (
    Pyproject.safeParse((await readTomlFile(path.join(folder, "pyproject.toml"))) ?? {}).data ?? Pyproject.parse({})
  );
}

/** `own` is the project's name: an extra of it is none of its dependencies. */
async function readPyproject(folder: string): Promise<{ own: string | undefined; requirements: Requirement[] }> {
  const { project, tool, "dependency-groups": groups } = await parsePyproject(folder);
  const lists = [
    project.dependencies,
    ...Object.values(project["optional-dependencies"]),
    ...Object.values(groups),
    tool.uv["dev-dependencies"],
    ...Object.values(tool.pdm["dev-dependencies"]),
  ];
  const written = lists
    .flat()
    .filter((item) => typeof item === "string")
    .map(parseRequirement);
  const { poetry } = tool;
  const tables = [
    poetry.dependencies,
    poetry["dev-dependencies"],
    ...Object.values(poetry.group).map((group) => group.dependencies),
  ];
  const sources = new Map(
    Object.entries(tool.uv.sources).map(([name, source]) => [normalizeName(name), elsewhereOf(source)]),
  );
  const own = project.name ?? poetry.name;
  return {
    own: own === undefined ? undefined : normalizeName(own),
    requirements: [...written.filter((it) => it !== undefined), ...tables.flatMap(fromTable)].map((it) => ({
      ...it,
      elsewhere: sources.get(normalizeName(it.name)) ?? it.elsewhere,
    })),
  };
}

async function readPipfile(folder: string): Promise<Requirement[]> {
  const pipfile = Pipfile.safeParse((await readTomlFile(path.join(folder, "Pipfile"))) ?? {}).data;
  return pipfile === undefined ? [] : [...fromTable(pipfile.packages), ...fromTable(pipfile["dev-packages"])];
}

/** `name = "^1.2"`, `name = { version = "^1.2" }`, `name = { git = "https://…" }` of Poetry and Pipenv. */
function fromTable(table: Readonly<Record<string, unknown>>): Requirement[] {
  return Object.entries(table)
    .filter(([name]) => name !== "python")
    .map(([name, value]) => {
      const version = z
        .union([z.string(), z.object({ version: z.string() }).transform((it) => it.version)])
        .safeParse(value).data;
      return { name, specifiers: version === "*" ? "" : (version ?? ""), elsewhere: elsewhereOf(value), hashes: [] };
    });
}

/** The other origin of a source: a repository, an archive, a folder, or a package of the workspace. */
export function elsewhereOf(source: unknown): string | undefined {
  if (Array.isArray(source)) return source.map(elsewhereOf).find((origin) => origin !== undefined);
  const fields = z.record(z.string(), z.unknown()).safeParse(source).data ?? {};
  if (fields["workspace"] === true) return "this workspace";
  const keys = ["git", "path", "file", "url", "editable", "directory", "virtual", "vcs", "archive"];
  const [value] = keys.map((key) => fields[key]).filter((it) => it !== undefined && it !== false && it !== true);
  if (typeof value === "object") return elsewhereOf(value) ?? "another place";
  return typeof value === "string" ? withoutCredentials(value) : undefined;
}

async function readSetupCfg(folder: string): Promise<Requirement[]> {
  const text = await readTextFile(path.join(folder, "setup.cfg"));
  if (text === undefined) return [];
  // `ini` does not read values of several lines, which are how setup.cfg lists them.
  const joined = text.replace(/\r?\n[ \t]+(?=\S)/g, "\u0000");
  const sections = ini.parse(joined);
  const options = z
    .object({ install_requires: z.string().catch("") })
    .catch({ install_requires: "" })
    .parse(sections["options"]);
  const extras = z.record(z.string(), z.unknown()).catch({}).parse(sections["options.extras_require"]);
  const lists = [options.install_requires, ...Object.values(extras).filter((value) => typeof value === "string")];
  return lists
    .flatMap((list) => list.split("\u0000"))
    .map(parseRequirement)
    .filter((it) => it !== undefined);
}

/** `requirements*.txt` of a folder and of its folder `requirements`, each with those that it includes. */
export async function readRequirementFiles(folder: string): Promise<DeclaredIn[]> {
  const own = (await readdir(folder).catch(() => [])).filter((name) => /^requirements.*\.(?:txt|in)$/.test(name));
  const below = (await readdir(path.join(folder, "requirements")).catch(() => [])).filter((name) =>
    /\.(?:txt|in)$/.test(name),
  );
  // What is pinned in a compiled file comes before the `.in` that it was compiled from.
  const names = [...own, ...below.map((name) => `requirements/${name}`)].toSorted(
    (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1),
  );
  return Promise.all(
    names.map(async (file) => ({
      file,
      requirements: await readRequirements(path.join(folder, file), { seen: new Set() }),
    })),
  );
}

function rank(file: string): number {
  return file === "requirements.txt" ? 0 : file.endsWith(".txt") ? 1 : 2;
}

async function readRequirements(
  file: string,
  { seen, isConstraint }: { seen: Set<string>; isConstraint?: boolean },
): Promise<Requirement[]> {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = (await readTextFile(file)) ?? "";
  const lines = text
    .replace(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, "").trim());
  const found: Requirement[] = [];
  for (const line of lines) {
    const [, option = "", included] = /^(-r|--requirement|-c|--constraint)[\s=]*(\S+)$/.exec(line) ?? [];
    if (included !== undefined) {
      // An absolute path may be on a host of the network.
      if (/^(?:[/\\]|[a-z]+:)/i.test(included)) continue;
      const constrains = isConstraint === true || /^-c|^--c/.test(option);
      found.push(
        ...(await readRequirements(path.join(path.dirname(file), included), { seen, isConstraint: constrains })),
      );
    } else if (line !== "" && !line.startsWith("-")) {
      const requirement = parseRequirement(line.replace(/\s--\S.*$/, ""));
      const hashes = [...line.matchAll(/--hash[=\s](\w+:[0-9a-f]+)/g)].map(([, hash = ""]) => hash);
      if (requirement !== undefined) found.push({ ...requirement, hashes, isConstraint });
    }
  }
  return found;
}

/** `requests[socks] >=2,<3 ; python_version < "4"`, `name @ https://…` (PEP 508). */
function parseRequirement(text: string): Requirement | undefined {
  const match =
    /^\s*([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(?:@\s*([^\s;]+)|\(?([^;()@]*)\)?)?\s*(?:;.*)?$/.exec(
      text,
    );
  if (match?.[1] === undefined) return undefined;
  const [, name, url, specifiers = ""] = match;
  const plain = specifiers.replace(/\s+/g, "");
  if (plain !== "" && !/^(?:[=!<>~]|\d)/.test(plain)) return undefined;
  return { name, specifiers: plain, elsewhere: url === undefined ? undefined : withoutCredentials(url), hashes: [] };
}

function withoutCredentials(url: string): string {
  return url.replace(/(?<=:\/\/)[^/@]*@/, "");
}
