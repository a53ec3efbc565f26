import path from "node:path";
import * as z from "zod";
import { parseJson } from "../../../lib/parse-json.ts";
import { foldersUpFrom, readTextFile } from "../files.ts";
import { integrityOf } from "../integrity.ts";
import { parseToml } from "../toml.ts";
import { elsewhereOf, isMember, readRequirementFiles } from "./declared.ts";
import { normalizeName } from "./names.ts";
import { compareVersions } from "./pep440.ts";

/** The entry of a lockfile for a package: a published version, or another origin. */
export type Locked =
  | { type: "published"; name: string; version: string; integrity: string | undefined }
  | { type: "elsewhere"; origin: string };

/** The order of precedence: within a folder, the first file that contains the package applies. */
const tomlLockfiles = ["uv.lock", "poetry.lock", "pdm.lock", "pylock.toml"];

/** The entry for a package in the nearest lockfile above `cwd` that contains it, with that file's name. */
export async function findLocked(name: string, cwd: string): Promise<{ file: string; locked: Locked } | undefined> {
  for (const folder of foldersUpFrom(cwd)) {
    for (const file of tomlLockfiles) {
      const text = await readTextFile(path.join(folder, file));
      if (text !== undefined && file === "uv.lock" && (await isMember(folder))) continue;
      const locked = text === undefined ? undefined : await fromToml(text, name);
      if (locked !== undefined) return { file, locked };
    }
    const pipfile = fromPipfile(await readTextFile(path.join(folder, "Pipfile.lock")), name);
    if (pipfile !== undefined) return { file: "Pipfile.lock", locked: pipfile };
    const required = await fromRequirements(folder, name);
    if (required !== undefined) return required;
  }
  return undefined;
}

const Files = z.array(z.unknown()).catch([]);
const Entry = z.looseObject({
  name: z.string(),
  version: z.string().optional(),
  files: Files,
  wheels: Files,
  sdist: z.unknown().optional(),
});
const Lock = z.object({ package: z.array(Entry).catch([]), packages: z.array(Entry).catch([]) });

/**
 * `uv.lock`, `poetry.lock`, `pdm.lock` and `pylock.toml` (PEP 751): tables `[[package]]` or `[[packages]]`. Only those
 * of the package are parsed, because a lockfile of a large project has megabytes.
 */
async function fromToml(text: string, name: string): Promise<Locked | undefined> {
  const tables = text.split(/\r?\n(?=\[\[packages?\]\]\s*(?:\r?\n|$))/);
  const nameOf = (table: string) => /^name\s*=\s*["']([^"']+)["']/m.exec(table)?.[1];
  const ofPackage = tables.filter((table) => normalizeName(nameOf(table) ?? "") === normalizeName(name));
  const entries: Locked[] = [];
  for (const table of ofPackage) {
    const lock = Lock.safeParse(await parseToml(table)).data;
    for (const entry of [...(lock?.package ?? []), ...(lock?.packages ?? [])]) {
      const locked = toLocked(entry);
      if (locked !== undefined) entries.push(locked);
    }
  }
  return highest(entries);
}

function toLocked({ name, version, files, wheels, sdist, ...rest }: z.infer<typeof Entry>): Locked | undefined {
  const source = z.object({ type: z.string().optional(), url: z.string().optional() }).safeParse(rest["source"]).data;
  // Poetry writes `type = "legacy"` for another index; uv writes `{ registry = "…" }`.
  const isIndex = source?.type === "legacy" || source?.type === "pypi";
  const origin = elsewhereOf(rest) ?? (isIndex ? undefined : elsewhereOf(rest["source"]));
  if (origin !== undefined) return { type: "elsewhere", origin };
  const hashes = [...files, ...wheels, ...(sdist === undefined ? [] : [sdist])].flatMap(hashesOf);
  return version === undefined ? undefined : { type: "published", name, version, integrity: integrityOf(hashes) };
}

const Hashed = z.union([
  z.object({ hash: z.string() }).transform(({ hash }) => [hash]),
  z
    .object({ hashes: z.record(z.string(), z.string()) })
    .transform(({ hashes }) => Object.entries(hashes).map((entry) => entry.join(":"))),
]);

function hashesOf(file: unknown): string[] {
  return Hashed.safeParse(file).data ?? [];
}

/** A package may be locked at several versions, for several platforms. */
function highest(entries: readonly Locked[]): Locked | undefined {
  const published = entries.filter((locked) => locked.type === "published");
  return published.toSorted((a, b) => compareVersions(b.version, a.version))[0] ?? entries[0];
}

const PipfileEntry = z.looseObject({ version: z.string().optional(), hashes: z.array(z.string()).catch([]) });
const Section = z.record(z.string(), PipfileEntry).catch({});
const PipfileLock = z.object({ default: Section, develop: Section });

function fromPipfile(text: string | undefined, name: string): Locked | undefined {
  const lock = text === undefined ? undefined : PipfileLock.safeParse(parseJson(text)).data;
  const entries = [lock?.default ?? {}, lock?.develop ?? {}].flatMap((section) => Object.entries(section));
  const [found, entry] = entries.find(([key]) => normalizeName(key) === normalizeName(name)) ?? [];
  if (found === undefined || entry === undefined) return undefined;
  const origin = elsewhereOf(entry);
  if (origin !== undefined) return { type: "elsewhere", origin };
  const version = entry.version?.replace(/^==/, "");
  return version === undefined
    ? undefined
    : { type: "published", name: found, version, integrity: integrityOf(entry.hashes) };
}

/** A requirements file locks what it pins with `==`. */
async function fromRequirements(folder: string, name: string): Promise<{ file: string; locked: Locked } | undefined> {
  for (const { file, requirements } of await readRequirementFiles(folder)) {
    for (const { name: found, specifiers, hashes } of requirements) {
      const version = /^===?([^,*]+)$/.exec(specifiers)?.[1];
      if (version === undefined || normalizeName(found) !== normalizeName(name)) continue;
      return { file, locked: { type: "published", name: found, version, integrity: integrityOf(hashes) } };
    }
  }
  return undefined;
}
