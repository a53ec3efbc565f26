import path from "node:path";
import * as z from "zod";
import { parseJson } from "../../../../lib/parse-json.ts";
import { foldersUpFrom, ownValue } from "../../files.ts";
import { highest, type Locked, lockedOf, type LockfileQuestion } from "./lockfile.ts";

const Specifiers = z.record(z.string(), z.unknown()).catch({});
const Entry = z.object({
  name: z.string().optional().describe("Only of an alias."),
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  dependencies: Specifiers,
  devDependencies: Specifiers,
  optionalDependencies: Specifiers,
});

type Entry = z.infer<typeof Entry>;

/** Versions 2 and 3 have `packages`, keyed by folder; version 1 has `dependencies`, keyed by name. */
const NpmLock = z.object({
  packages: z.record(z.string(), Entry).optional(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
});

/**
 * `package-lock.json` and `npm-shrinkwrap.json` of all versions:
 * https://docs.npmjs.com/cli/configuring-npm/package-lock-json
 */
export function readNpmLock(text: string, question: LockfileQuestion): Locked | undefined {
  const lock = NpmLock.safeParse(parseJson(text)).data;
  if (lock?.packages !== undefined) return fromFolders(lock.packages, question);
  const entry = Entry.safeParse(ownValue(lock?.dependencies ?? {}, question.package)).data;
  return entry?.version === undefined ? undefined : lockedOf(question.package, entry.version, entry.integrity);
}

/** The entry that Node would resolve from the depending folder; else one that is nested in any other package. */
function fromFolders(packages: Record<string, Entry>, question: LockfileQuestion): Locked | undefined {
  const folder = `node_modules/${question.package}`;
  const tarballs = new Set(
    Object.values(packages).flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
      [dependencies, devDependencies, optionalDependencies].map((it) => ownValue(it, question.package)),
    ),
  );
  const toLocked = (entry: Entry | undefined) => lockedAs(question.package, entry, tarballs);
  const places = foldersUpFrom(path.posix.join("/", question.importer)).map((at) =>
    path.posix.join(at, folder).slice(1),
  );
  const place = places.find((candidate) => Object.hasOwn(packages, candidate));
  if (place !== undefined) return toLocked(ownValue(packages, place));
  const nested = Object.keys(packages).filter((key) => key.endsWith(`/${folder}`));
  return highest(nested.map((key) => toLocked(ownValue(packages, key))));
}

/** @param tarballs URLs that packages depend on: an entry with such a URL is not from a registry */
function lockedAs(name: string, entry: Entry | undefined, tarballs: ReadonlySet<unknown>): Locked | undefined {
  if (entry?.link === true) return { type: "elsewhere", origin: "file" };
  if (entry?.resolved !== undefined && tarballs.has(entry.resolved)) return { type: "elsewhere", origin: "a tarball" };
  const isPublished = entry?.resolved === undefined || /^https?:/.test(entry.resolved);
  if (entry?.resolved !== undefined && !isPublished) return lockedOf(name, entry.resolved, undefined);
  return entry?.version === undefined ? undefined : lockedOf(entry.name ?? name, entry.version, entry.integrity);
}
