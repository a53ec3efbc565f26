import { readdir } from "node:fs/promises";
import path from "node:path";
import type { CachedChoice } from "../ecosystem.ts";
import { type CachedArchive, cachedArchive, createCachedArchiveSource } from "../cached-archive.ts";
import { readTextFile } from "../files.ts";
import { integrityOf } from "../integrity.ts";
import type { PackageLocation } from "../package-location.ts";
import type { Coordinates } from "./pom.ts";
import { compareVersions } from "./versions.ts";

/** The places in which Maven and Gradle keep what they fetched. */
export interface LocalRepositories {
  /** The sources of a version; undefined if they are not on disk. */
  findSources(coordinates: Coordinates): Promise<(Omit<CachedChoice, "origin"> & { place: string }) | undefined>;
  /** The versions whose classes or sources are on disk, highest first. */
  versionsOf(name: Pick<Coordinates, "group" | "artifact">): Promise<string[]>;
  /** The path of a file of a version, such as `.pom` or `.jar`, if it is there. */
  fileOf(coordinates: Coordinates, suffix: string): Promise<string | undefined>;
}

interface Place {
  label: string;
  versions(name: Pick<Coordinates, "group" | "artifact">): Promise<string[]>;
  /** The file with its SHA-1, if the place says it. */
  find(coordinates: Coordinates, suffix: string): Promise<{ file: string; sha1: string | undefined } | undefined>;
}

/** `localRepository` is Maven's. */
export function openLocalRepositories(
  { env, homeDirectory, isAnonymous = false }: PackageLocation,
  { localRepository }: { localRepository: string },
): LocalRepositories {
  const gradleHome = env["GRADLE_USER_HOME"] || path.join(homeDirectory, ".gradle");
  const gradle = path.join(gradleHome, "caches", "modules-2", "files-2.1");
  const places = isAnonymous ? [] : [mavenPlace(localRepository), gradlePlace(gradle)];

  const find = async (coordinates: Coordinates, suffix: string) => {
    if (![coordinates.group, coordinates.artifact, coordinates.version].every(isPlainPart)) return undefined;
    for (const place of places) {
      const found = await place.find(coordinates, suffix);
      if (found !== undefined) return { ...found, place: place.label };
    }
    return undefined;
  };
  return {
    async findSources(coordinates) {
      const found = await find(coordinates, "-sources.jar");
      const name = `${coordinates.group}:${coordinates.artifact}`;
      const integrity = integrityOf([`sha1:${found?.sha1 ?? ""}`]);
      const archive = found && (await cachedArchive(found.file, { name, version: coordinates.version, integrity }));
      return archive && { type: "cached", cached: archive, source: sourceOf(archive, found.place), place: found.place };
    },
    async versionsOf(name) {
      if (!isPlainPart(name.group) || !isPlainPart(name.artifact)) return [];
      const lists = await Promise.all(places.map(({ versions }) => versions(name)));
      return [...new Set(lists.flat())].toSorted((a, b) => compareVersions(b, a));
    },
    fileOf: async (coordinates, suffix) => (await find(coordinates, suffix))?.file,
  };
}

/** Whether a part of coordinates is one name of a folder, or several with single dots. */
export function isPlainPart(text: string): boolean {
  return /^\w[\w+~-]*(?:\.[\w+~-]+)*$/.test(text);
}

function sourceOf(archive: CachedArchive, place: string): CachedChoice["source"] {
  const advice = "remove it, then fetch the sources again: mvn dependency:sources";
  return createCachedArchiveSource(archive, { id: "maven", place, advice });
}

/** `org/slf4j/slf4j-api/2.0.13/slf4j-api-2.0.13-sources.jar`, with `.sha1` beside it. */
function mavenPlace(root: string): Place {
  const folderOf = ({ group, artifact }: Pick<Coordinates, "group" | "artifact">) =>
    path.join(root, ...group.split("."), artifact);
  return {
    label: "the local Maven repository",
    async versions({ group, artifact }) {
      const folder = folderOf({ group, artifact });
      const names = await namesIn(folder);
      const having = names.map(async (name) => {
        const files = await namesIn(path.join(folder, name));
        return files.some((file) => file.endsWith(".jar")) ? [name] : [];
      });
      return (await Promise.all(having)).flat();
    },
    async find({ version, ...name }, suffix) {
      const stem = path.join(folderOf(name), version, `${name.artifact}-${version}${suffix}`);
      const names = await namesIn(path.dirname(stem));
      if (!names.includes(path.basename(stem))) return undefined;
      const sha1 = await readTextFile(`${stem}.sha1`);
      return { file: stem, sha1: sha1?.trim().split(/\s/)[0] };
    },
  };
}

/** `org.slf4j/slf4j-api/2.0.13/<SHA-1>/slf4j-api-2.0.13-sources.jar`. Gradle leaves out zeros at the start. */
function gradlePlace(root: string): Place {
  const folderOf = ({ group, artifact }: Pick<Coordinates, "group" | "artifact">) => path.join(root, group, artifact);
  return {
    label: "Gradle's cache",
    versions: (name) => namesIn(folderOf(name)),
    async find({ version, ...name }, suffix) {
      const folder = path.join(folderOf(name), version);
      const wanted = `${name.artifact}-${version}${suffix}`;
      for (const hash of await namesIn(folder)) {
        const names = await namesIn(path.join(folder, hash));
        if (names.includes(wanted)) return { file: path.join(folder, hash, wanted), sha1: hash.padStart(40, "0") };
      }
      return undefined;
    },
  };
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((): string[] => []);
}
