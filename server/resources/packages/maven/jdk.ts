import { realpath } from "node:fs/promises";
import path from "node:path";
import { CitewellError } from "../../../errors.ts";
import { isStandardLibrary } from "../../../protocol/kinds/packages.ts";
import { cachedArchive, createCachedArchiveSource } from "../cached-archive.ts";
import type { CachedChoice } from "../ecosystem.ts";
import { programsOnPath, readTextFile } from "../files.ts";
import type { PackageLocation } from "../package-location.ts";
import { unpackedLimits } from "../unpack-limits.ts";
import { openZip } from "../zip.ts";

/** The first JDK of `JAVA_HOME` and `PATH`. */
interface Jdk {
  version: string;
  /** The zip with its source; undefined if it is not installed. */
  source: string | undefined;
}

/**
 * The source of the user's JDK: `jdk` is all of it, a class or package means its module. Undefined for other names.
 * @throws PackageNotFound (its source is not installed, and no other package can have the name)
 */
export async function chooseJdk(name: string, location: PackageLocation): Promise<CachedChoice | undefined> {
  const jdk = await findJdk(location);
  if (jdk?.source === undefined) {
    if (!isStandardLibrary("maven", name)) return undefined;
    const fault =
      jdk === undefined ? "there is no JDK in JAVA_HOME or PATH" : `the JDK ${jdk.version} has no lib/src.zip`;
    const hint = "install a JDK with its source (as openjdk-17-source), or set JAVA_HOME to one";
    throw new CitewellError("PackageNotFound", fault, { hint });
  }
  const module = name === "jdk" ? "" : await findModule(name, jdk.source);
  const { version, source: file } = jdk;
  const archive = module === undefined ? undefined : await cachedArchive(file, { name: module || "jdk", version });
  if (archive === undefined) return undefined;
  const source = createCachedArchiveSource(archive, {
    id: "jdk",
    place: "the JDK",
    advice: "install the source of the JDK again",
    folder: module === "" ? "" : `${module}/`,
  });
  return { type: "cached", cached: archive, source, origin: "of the installed JDK" };
}

async function findJdk(location: PackageLocation): Promise<Jdk | undefined> {
  const { env, isAnonymous = false } = location;
  const programs = isAnonymous ? [] : await programsOnPath(["javac", "java"], location);
  const named = env["JAVA_HOME"] && !isAnonymous ? [env["JAVA_HOME"]] : [];
  for (const home of [...named, ...programs.map((program) => path.dirname(path.dirname(program)))]) {
    const release = await readTextFile(path.join(home, "release"));
    const version = /^JAVA_VERSION="([^"]+)"/m.exec(release ?? "")?.[1];
    if (version === undefined) continue;
    const places = ["lib/src.zip", "src.zip"].map((file) => realpath(path.join(home, file)).catch(() => undefined));
    return { version, source: (await Promise.all(places)).find((file) => file !== undefined) };
  }
  return undefined;
}

/** `java.base` for `java.util.List`, `java.util` and `java.base`. Before Java 9 there are no modules: then it is all. */
async function findModule(name: string, file: string): Promise<string | undefined> {
  try {
    await using zip = await openZip(file, { entryLimit: unpackedLimits.entries });
    const folder = name.replaceAll(".", "/");
    for (const { path: entry } of zip.entries) {
      if (entry.startsWith(`${name}/`)) return name;
      const at = entry.indexOf(`${folder}.java`);
      const place = at === -1 ? entry.indexOf(`${folder}/`) : at;
      if (place === 0) return "";
      if (place > 0 && entry.indexOf("/") === place - 1) return entry.slice(0, place - 1);
    }
  } catch {
    // It is not readable: as if it were not there.
  }
  return undefined;
}
