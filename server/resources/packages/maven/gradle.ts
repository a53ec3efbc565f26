import path from "node:path";
import * as z from "zod";
import { foldersUpFrom, readTextFile } from "../files.ts";
import { parseToml } from "../toml.ts";
import type { Repository } from "./maven-config.ts";
import type { Declared } from "./pom.ts";

/** What a Gradle project depends on, as far as its files say it without being run. */
export interface GradleProject {
  dependencies: readonly Declared[];
  /** Those that set versions of others: `platform("org.demo:bom:1.0")`. */
  platforms: readonly Declared[];
  /** What `gradle.lockfile` has, which includes what dependencies bring. */
  locked: readonly Declared[];
  /** Where its scripts and its settings say that packages come from. */
  repositories: readonly Repository[];
}

const scripts = ["build.gradle", "build.gradle.kts"];
export const gradleFiles = [...scripts, "settings.gradle", "settings.gradle.kts"];

/** Reads the build script of a folder, the version catalogue of its build, and its lockfile. */
export async function readGradle(folder: string): Promise<GradleProject> {
  const root = await findRoot(folder);
  const texts = await Promise.all(
    scripts.map(async (file) => ({ file, text: withoutComments((await readTextFile(path.join(folder, file))) ?? "") })),
  );
  const variables = await readVariables([...new Set([folder, root])]);
  const catalogue = await readCatalogue(root);
  const locked = await readLockfile(path.join(folder, "gradle.lockfile"));
  const versionOf = new Map(locked.map((it) => [`${it.group}:${it.artifact}`, it]));
  const found = texts.flatMap(({ file, text }) => [
    ...fromScript(text, { file, variables }),
    ...catalogue.filter(({ accessors }) => accessors.some((accessor) => hasAccessor(text, accessor))),
  ]);
  const dependencies = found.map(({ group, artifact, version, file }) => {
    const lock = versionOf.get(`${group}:${artifact}`);
    return lock ?? { group, artifact, version, file };
  });
  const platforms = new Set(texts.flatMap(({ text }) => platformsIn(text, catalogue)));
  return {
    dependencies,
    platforms: dependencies.filter(({ group, artifact }) => platforms.has(`${group}:${artifact}`)),
    locked,
    repositories: await readRepositories([...new Set([folder, root])], variables),
  };
}

/** `platform("org.demo:bom:1.0")`, `enforcedPlatform(libs.demo.bom)`, and `mavenBom "…"` of Spring's plugin, as `group:artifact`. */
function platformsIn(text: string, catalogue: readonly (Declared & { accessors: string[] })[]): string[] {
  const written = text.matchAll(
    /\b(?:platform|enforcedPlatform|mavenBom)\b[\s(]*(?:["']([\w.-]+:[\w.-]+)|libs\.([\w.]*\w))/g,
  );
  return [...written].flatMap(([, name, accessor = ""]) => {
    if (name !== undefined) return [name];
    return catalogue
      .filter(({ accessors }) => accessors.includes(accessor))
      .map(({ group, artifact }) => `${group}:${artifact}`);
  });
}

/**
 * `google()` and `maven { url … }` in blocks `repositories`, but for those to publish to and those without an address of
 * the web, such as `mavenLocal()`.
 */
async function readRepositories(
  folders: readonly string[],
  variables: ReadonlyMap<string, string>,
): Promise<Repository[]> {
  const files = folders.flatMap((folder) =>
    [...scripts, ...gradleFiles.slice(2)].map((file) => path.join(folder, file)),
  );
  const texts = await Promise.all(files.map(async (file) => withoutComments((await readTextFile(file)) ?? "")));
  const blocks = texts.flatMap((text) => {
    const published = blocksOf(text, "publishing");
    return blocksOf(text, "repositories").filter((block) => !published.some((outer) => outer.includes(block)));
  });
  return blocks.flatMap((block) => {
    const written = block.matchAll(
      /\b(google|gradlePluginPortal)\s*\(\s*\)|\bmaven\b\s*(?:\(\s*|\{[^{}]*?\b(?:url|setUrl)\b[\s=(]*(?:uri\s*\(\s*)?)(?:url\s*=\s*)?["']([^"'\s]+)["']/g,
    );
    return [...written].flatMap(([, known = "", text = knownRepositories[known] ?? ""]) => {
      const url = fillIn(text, variables);
      return url !== undefined && /^https?:/.test(url) ? [{ id: known || url, url }] : [];
    });
  });
}

const knownRepositories: Readonly<Record<string, string>> = {
  google: "https://dl.google.com/dl/android/maven2/",
  gradlePluginPortal: "https://plugins.gradle.org/m2/",
};

/** What is between the braces after a name. */
function blocksOf(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`\\b${name}\\s*\\{`, "g"))].map(({ 0: { length }, index }) => {
    const start = index + length;
    let depth = 1;
    let end = start;
    for (; end < text.length && depth > 0; end++) depth += { "{": 1, "}": -1 }[text.charAt(end)] ?? 0;
    return text.slice(start, end);
  });
}

/** Undefined if it has a variable that is not known. */
function fillIn(written: string, variables: ReadonlyMap<string, string>): string | undefined {
  const text = written.replace(/\$\{?([\w.]+)\}?/g, (whole, name: string) => variables.get(name) ?? whole);
  return text.includes("$") ? undefined : text;
}

/** The folders of the projects that a settings file includes: `include(":app", "lib:core")`. */
export async function includedFolders(folder: string): Promise<string[]> {
  const texts = await Promise.all(gradleFiles.slice(2).map((file) => readTextFile(path.join(folder, file))));
  const lists = texts.flatMap((text) => [
    ...withoutComments(text ?? "").matchAll(/\binclude\b\s*\(?((?:\s*,?\s*["'][\w:./-]+["'])+)/g),
  ]);
  const names = lists.flatMap(([, list = ""]) => [...list.matchAll(/["']([^"']+)["']/g)].map(([, name = ""]) => name));
  return names.map((name) => path.join(folder, ...name.split(":").filter((part) => part !== "" && part !== "..")));
}

/** The nearest folder with a settings file. */
async function findRoot(folder: string): Promise<string> {
  for (const above of foldersUpFrom(folder)) {
    const texts = await Promise.all(gradleFiles.slice(2).map((file) => readTextFile(path.join(above, file))));
    if (texts.some((text) => text !== undefined)) return above;
  }
  return folder;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|(?<![:"'\w])\/\/.*/g, "");
}

const coordinates = String.raw`["'][\w.-]+:[\w.-]+(?::[^"':@\s]+(?::[\w.-]+)?)?(?:@\w+)?["']`;
/** What follows the name of a configuration: one, or several with commas. */
const coordinateLists = new RegExp(String.raw`\w[\s(]+(${coordinates}(?:\s*,\s*${coordinates})*)`, "g");

/** `group:artifact:version` in quotes, also without a version, and `group: "a", name: "b", version: "c"`. */
function fromScript(
  text: string,
  { file, variables }: { file: string; variables: ReadonlyMap<string, string> },
): Declared[] {
  const lists = [...text.matchAll(coordinateLists)].map(([, list = ""]) => list);
  const short = lists.flatMap((list) => [...list.matchAll(/["']([\w.-]+):([\w.-]+)(?::([^"':@\s]+))?[^"']*["']/g)]);
  const long = text.matchAll(
    /\bgroup\s*[:=]\s*["']([\w.-]+)["']\s*,\s*name\s*[:=]\s*["']([\w.-]+)["'](?:\s*,\s*version\s*[:=]\s*["']([^"'\s]+)["'])?/g,
  );
  return [...short, ...long].map(([, group = "", artifact = "", written]) => {
    return { group, artifact, version: written && fillIn(written, variables), file };
  });
}

/** Plain values: `val slf4j = "2.0"`, `ext.slf4j = '2.0'`, `slf4j=2.0` of `gradle.properties`. */
async function readVariables(folders: readonly string[]): Promise<Map<string, string>> {
  const variables = new Map<string, string>();
  for (const folder of folders) {
    const properties = (await readTextFile(path.join(folder, "gradle.properties"))) ?? "";
    for (const [, name = "", value = ""] of properties.matchAll(/^\s*([\w.]+)\s*[=:]\s*(\S+)/gm)) {
      if (!variables.has(name)) variables.set(name, value);
    }
    for (const file of scripts) {
      const text = withoutComments((await readTextFile(path.join(folder, file))) ?? "");
      for (const [, name = "", value = ""] of text.matchAll(
        /\b(?:ext\.|extra\[")?(\w+)(?:"\])?\s*=\s*["']([\w.+-]+)["']/g,
      )) {
        if (!variables.has(name)) variables.set(name, value);
      }
    }
  }
  return variables;
}

const Version = z.union([
  z.string(),
  z
    .object({ strictly: z.string(), require: z.string(), prefer: z.string() })
    .partial()
    .transform(({ strictly, require, prefer }) => strictly ?? require ?? prefer ?? ""),
]);
const Library = z.union([
  z.string().transform((text) => {
    const [group = "", artifact = "", version] = text.split(":");
    return { group, artifact, version };
  }),
  z
    .object({
      module: z.string().optional(),
      group: z.string().optional(),
      name: z.string().optional(),
      version: z.union([z.object({ ref: z.string() }), Version]).optional(),
    })
    .transform(({ module, group = "", name = "", version }) => {
      const [ofModule = group, artifact = name] = module?.split(":") ?? [];
      return { group: ofModule, artifact, version };
    }),
]);
const Catalogue = z.object({
  versions: z.record(z.string(), Version.catch("")).catch({}),
  libraries: z.record(z.string(), z.unknown()).catch({}),
  bundles: z.record(z.string(), z.array(z.string()).catch([])).catch({}),
});

/** The libraries of `gradle/libs.versions.toml`, with the names by which scripts mean them. */
async function readCatalogue(root: string): Promise<(Declared & { accessors: string[] })[]> {
  const text = await readTextFile(path.join(root, "gradle", "libs.versions.toml"));
  const catalogue = text === undefined ? undefined : Catalogue.safeParse(await parseToml(text)).data;
  if (catalogue === undefined) return [];
  const accessorOf = (name: string) => name.replace(/[-_]/g, ".");
  return Object.entries(catalogue.libraries).flatMap(([alias, value]) => {
    const library = Library.safeParse(value).data;
    if (library === undefined) return [];
    const { group, artifact, version } = library;
    const known = typeof version === "object" ? catalogue.versions[version.ref] : version;
    const bundles = Object.entries(catalogue.bundles).filter(([, names]) => names.includes(alias));
    const accessors = [accessorOf(alias), ...bundles.map(([bundle]) => `bundles.${accessorOf(bundle)}`)];
    return [{ group, artifact, version: known || undefined, file: "libs.versions.toml", accessors }];
  });
}

function hasAccessor(text: string, accessor: string): boolean {
  return new RegExp(
    `\\blibs\\.${accessor.replaceAll(".", "\\.")}(?![\\w.]*\\w)|\\blibs\\.${accessor.replaceAll(".", "\\.")}\\.(?:get\\(|asProvider)`,
  ).test(text);
}

/** `group:artifact:version=compileClasspath,runtimeClasspath`; what the program runs with comes first. */
async function readLockfile(file: string): Promise<Declared[]> {
  const text = (await readTextFile(file)) ?? "";
  const rows = [...text.matchAll(/^([\w.-]+):([\w.-]+):([^=:\s]+)=(.*)$/gm)];
  const isUsual = (row: RegExpExecArray) => /(?:^|,)(?:compile|runtime)Classpath/.test(row[4] ?? "");
  return rows
    .toSorted((a, b) => Number(isUsual(b)) - Number(isUsual(a)))
    .map(([, group = "", artifact = "", version = ""]) => ({ group, artifact, version, file: "gradle.lockfile" }));
}
