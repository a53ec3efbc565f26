import path from "node:path";
import { CitewellError } from "../../errors.ts";
import type { ToolData } from "../../protocol/tool-data.ts";
import type { PackageType } from "../../protocol/kinds/names.ts";
import { findImport, type ImportedName } from "../../source/imports.ts";
import { languageOf } from "../../source/languages.ts";
import type { UsedPackage } from "../../resources/packages/dependents.ts";
import type { ImportedModule, ImportOrigin } from "../../resources/packages/import-origin.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { kindOfPath, type Retrieval } from "../../retrieval/retrieval.ts";
import type { FoundPassage } from "./show.ts";

/** Finds the packages that the code of the open projects uses. */
export interface Origins {
  /** The package that an import means to the project around a file; undefined if no file of the project names one. */
  ofImport(imported: ImportedModule): Promise<ImportOrigin | undefined>;
  /** The package of a name that the project around a folder uses. */
  ofPackage(wanted: { type: PackageType; package: string; folder: string }): Promise<ImportOrigin | undefined>;
  /** What asks for a package that the open projects use, by the metadata of what is installed. */
  dependentsOf(name: string): Promise<readonly UsedPackage[]>;
}

/** The number of files read that mention a name; source comes first. */
const filesRead = 40;
/** Modules that are shown. */
const shownModules = 3;

/** Finds where code gets a name that is not defined here: a line of an import for each module, and its package. */
export async function findImported(
  snapshots: readonly Snapshot[],
  {
    name,
    retrieval,
    origins,
    signal,
  }: { name: string; retrieval: Retrieval; origins: Origins | undefined; signal: AbortSignal | undefined },
): Promise<{ passages: FoundPassage[]; origins: ToolData["origins"] }> {
  const [, owner, pattern = ""] = /^(?:.*?([\p{L}\p{N}_$]+)[.:#]+)?([\p{L}\p{N}_$]+)(?:\(.*\))?$/u.exec(name) ?? [];
  if (pattern === "") return { passages: [], origins: [] };
  const query = { pattern, isRegex: false, ignoreCase: false, wholeWord: true, limit: 200, contextLines: 0, signal };
  const { files } = await retrieval.grep(snapshots, query);
  const passages = new Map<string, FoundPassage>();
  const found: ToolData["origins"][number][] = [];
  for (const { resource, path: file } of files.filter((one) => kindOfPath(one.path) !== "docs").slice(0, filesRead)) {
    const snapshot = snapshots.find((candidate) => candidate.resource === resource);
    const lines = (await readLines(snapshot, { path: file, signal })) ?? [];
    const imported = findImport(lines, pattern, owner);
    if (snapshot === undefined || imported === undefined || passages.has(imported.module)) continue;
    const { module, line } = imported;
    const isOther = isOutside(module);
    const origin = isOther ? await originOf(imported, { file, snapshot, origins }) : undefined;
    const where = !isOther ? "" : origin === undefined ? `, which is not in ${resource}` : ofPackage(origin);
    const caption = `\`${pattern}\` is imported from \`${module}\`${where}:`;
    passages.set(module, { resource, path: file, startLine: line, lines: lines.slice(line - 1, line), caption });
    if (origin !== undefined)
      found.push({ name, module, resource, path: file, line, text: lines[line - 1] ?? "", ...origin });
    if (passages.size === shownModules) break;
  }
  return { passages: [...passages.values()], origins: found };
}

type Described = Pick<ToolData["origins"][number], "reference" | "label" | "isOpen">;

async function originOf(
  { module, imported }: ImportedName,
  { file, snapshot, origins }: { file: string; snapshot: Snapshot; origins: Origins | undefined },
): Promise<Described | undefined> {
  const onDisk = snapshot.pathOnDisk(file);
  if (origins === undefined || onDisk === undefined || isModuleOf(snapshot, module, file)) return undefined;
  const language = languageOf(file).tag;
  const origin = await origins.ofImport({ module, name: imported, language, folder: path.dirname(onDisk) });
  if (origin === undefined) return undefined;
  const inside = placeInside(snapshot, { file, folder: origin.folder });
  if (inside === undefined) return { reference: origin.reference, label: labelOf(origin), isOpen: false };
  return { reference: origin.reference, label: `${origin.name}, in ${inside}/ of this project`, isOpen: true };
}

/** `PyYAML 6.0.4 (installed in .venv)`. */
function labelOf({ name, version, origin, reference }: ImportOrigin): string {
  if (reference === undefined) return origin;
  return `${name}${version === undefined ? "" : ` ${version}`} (${origin})`;
}

/** The package after the module: ` of PyYAML 6.0.4 (installed in .venv)`; or why it cannot be opened. */
export function ofPackage({ label, reference }: Pick<ToolData["origins"][number], "label" | "reference">): string {
  return reference === undefined ? `; ${label}` : ` of ${label}`;
}

/** The folder of a snapshot's package, if that is where the package is read. */
function placeInside(
  snapshot: Snapshot,
  { file, folder }: { file: string; folder: string | undefined },
): string | undefined {
  const root = snapshot.pathOnDisk(file)?.slice(0, -file.length);
  if (root === undefined || folder === undefined || !`${folder}/`.startsWith(root)) return undefined;
  const inside = folder.slice(root.length).split(path.sep).join("/");
  return snapshot.files.some((one) => one.path.startsWith(inside === "" ? "" : `${inside}/`))
    ? inside || "."
    : undefined;
}

/** Whether a module of Python is a file here: distributions have modules of the same names. */
function isModuleOf({ files }: Snapshot, module: string, file: string): boolean {
  if (languageOf(file).tag !== "python") return false;
  const stem = module.replaceAll(".", "/");
  const names = [`${stem}.py`, `${stem}/__init__.py`];
  return files.some((one) => names.some((name) => one.path === name || one.path.endsWith(`/${name}`)));
}

/** Manifests with the name of their own package. */
const ownNames: readonly { file: string; type: PackageType; name: RegExp }[] = [
  { file: "package.json", type: "npm", name: /"name"\s*:\s*"([^"]+)"/ },
  { file: "Cargo.toml", type: "cargo", name: /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/m },
  { file: "pyproject.toml", type: "pypi", name: /^\[(?:project|tool\.poetry)\][^[]*?^name\s*=\s*["']([^"']+)/m },
  { file: "go.mod", type: "golang", name: /^module\s+(\S+)/m },
];

/**
 * Which copy of a package the program uses, if a definition is in a folder with a package that the project takes from
 * elsewhere: a fork, or a member of a workspace that is also published. In sentences.
 */
export async function findOtherCopies(
  snapshots: readonly Snapshot[],
  places: readonly { resource: string; path: string }[],
  { origins, signal }: { origins: Origins | undefined; signal: AbortSignal | undefined },
): Promise<string[]> {
  if (origins === undefined) return [];
  const notes = new Set<string>();
  for (const { resource, path: file } of places) {
    const snapshot = snapshots.find((candidate) => candidate.resource === resource);
    const own = snapshot && (await ownPackage(snapshot, file, signal));
    const root = snapshot?.pathOnDisk(file)?.slice(0, -file.length);
    if (snapshot === undefined || own === undefined || root === undefined || own.folder === "") continue;
    const used = await origins.ofPackage({ ...own, folder: root });
    if (used?.reference === undefined || placeInside(snapshot, { file, folder: used.folder }) !== undefined) continue;
    notes.add(`${own.folder}/ is a copy of ${own.package}; the project uses ${labelOf(used)}, ${used.reference}`);
  }
  return [...notes];
}

/** The package that a file is of, by the nearest manifest above it. */
async function ownPackage(
  snapshot: Snapshot,
  file: string,
  signal: AbortSignal | undefined,
): Promise<{ type: PackageType; package: string; folder: string } | undefined> {
  for (let folder = path.posix.dirname(file); folder !== "."; folder = path.posix.dirname(folder)) {
    for (const { file: manifest, type, name } of ownNames) {
      const place = `${folder}/${manifest}`;
      if (!snapshot.files.some((one) => one.path === place)) continue;
      const text = (await readLines(snapshot, { path: place, signal }))?.join("\n") ?? "";
      const found = name.exec(text)?.[1];
      return found === undefined ? undefined : { type, package: found, folder };
    }
  }
  return undefined;
}

/** Undefined where the file has changed. */
async function readLines(
  snapshot: Snapshot | undefined,
  { path: file, signal }: { path: string; signal: AbortSignal | undefined },
): Promise<readonly string[] | undefined> {
  try {
    return (await snapshot?.read(file, { signal }))?.lines;
  } catch (error) {
    if (error instanceof CitewellError && error.tag !== "Cancelled") return undefined;
    throw error;
  }
}

/** Not relative, and not of the package itself. */
function isOutside(module: string): boolean {
  return !/^(?:\.|@\/|~\/|#|\/|(?:crate|self|super)\b)/.test(module);
}
