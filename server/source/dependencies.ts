import type { LineRange } from "../protocol/citation.ts";

/**
 * How the files of package managers state the version of a dependency. Each row is an expression for the line with its
 * name, and a second one if the version is on a later line.
 */

/** How some files state a version. */
interface Statement {
  /** Their names, as globs with commas. */
  files: string;
  /** `{name}` is the name of the dependency. */
  entry: string;
  later?: RegExp;
  /** A row about a language or the project itself (`this`) instead of a dependency. */
  of?: RegExp;
}

/**
 * The version on one of the lines after the name: `version = "1.2"`, `"version": "1.2"`, `version "1.2"`, `version:
 * 1.2`.
 */
const field = /^\s*"?version"?\s*[:= ]\s*["']?(?:==)?(?<version>[^\s"',(]+)/i;
const quoted = `["'](?<version>[^"']+)["']`;
const range = String.raw`(?:\[[^\]]*\])?\s*(?<version>[=~<>!][^"';#\\]*)?`;

/** What is installed. The files of a row are equal; an earlier row decides. */
const locks: readonly Statement[] = [
  { files: "package-lock.json,npm-shrinkwrap.json", entry: `^\\s*"(?:\\S*node_modules/)?{name}": \\{$`, later: field },
  { files: "pnpm-lock.yaml", entry: `^\\s+['"]?{name}['"]?:(?: (?<version>\\d[^('"]*).*)?$`, later: field },
  { files: "pnpm-lock.yaml", entry: `^\\s+['"]?/?{name}[@/](?<version>\\d[^:('"]*).*:` },
  { files: "yarn.lock", entry: `^"?(?:\\S.*, "?)?{name}@\\S.*:$`, later: field },
  { files: "bun.lock", entry: `^\\s*"{name}": \\["[^"]*@(?<version>[^"@]+)"` },
  { files: "deno.lock", entry: `^\\s*"(?:npm:|jsr:){name}@[^"]*": "(?<version>[^"_]+)` },
  { files: "go.mod", entry: `^(?:replace)?\\s*{name}(?:/v\\d+)?(?: v\\S+)? => (?<version>.*)` },
  { files: "go.mod", entry: `^(?:require)?\\s*{name}(?:/v\\d+)? (?<version>v\\d\\S*)(?!.* =>)` },
  { files: "Cargo.lock,poetry.lock,uv.lock,pdm.lock,pylock*.toml", entry: `^name = "{name}"`, later: field },
  { files: "Pipfile.lock,conda-lock.yml", entry: `^\\s*(?:"|- name: ){name}(?:": \\{)?$`, later: field },
  { files: "composer.lock", entry: `^\\s*"name": "{name}"`, later: field },
  { files: "Gemfile.lock,gems.locked", entry: `^ {4}{name} \\((?<version>[^)]+)\\)` },
  { files: "gradle.lockfile", entry: `^{name}:(?<version>[^=:]+)=` },
  { files: "packages.lock.json", entry: `^\\s*"{name}": \\{$`, later: /^\s*"resolved": "(?<version>[^"]+)/ },
  { files: "Package.resolved", entry: `^\\s*"(?:identity|package)"\\s*:\\s*"{name}"`, later: field },
  { files: "pubspec.lock", entry: `^ {2}{name}:$`, later: field },
  { files: "mix.lock", entry: `^\\s*"{name}": \\{:\\w+, :\\w+, "(?<version>[^"]+)` },
  { files: "Podfile.lock", entry: `^ {2}- "?{name} \\((?<version>[^)]+)\\)` },
  {
    files: "gradle-wrapper.properties,maven-wrapper.properties",
    entry: `^distributionUrl=.*/(?:apache-)?{name}-(?<version>\\d[\\d.]*)`,
  },
  { files: ".nvmrc,.node-version", of: /^node$/, entry: `^v?(?<version>\\S+)` },
  { files: ".python-version", of: /^python$/, entry: `^(?<version>\\S+)` },
  { files: ".ruby-version", of: /^ruby$/, entry: `^(?:ruby-)?(?<version>\\S+)` },
  { files: ".tool-versions", entry: `^{name}(?:js|lang)?\\s+(?<version>\\S+)` },
  {
    files: "rust-toolchain,rust-toolchain.toml",
    of: /^rust$/,
    entry: `^(?:channel\\s*=\\s*)?"?(?<version>[\\w.-]+)"?$`,
  },
];

/** What is allowed. */
const manifests: readonly Statement[] = [
  {
    files: "package.json,composer.json,deno.json,deno.jsonc,bower.json,vcpkg.json",
    entry: `"{name}"\\s*:\\s*"(?<version>(?:[\\^~<>=*\\d]|v\\d|latest|next|(?:npm|workspace|catalog|file|link|portal|patch|git[+\\w]*|github|jsr):)[^"]*)"`,
  },
  { files: "pnpm-workspace.yaml,pubspec.yaml", entry: `^\\s+["']?{name}["']?:\\s*["']?(?<version>[^\\s"'#]+)` },
  {
    files: "Cargo.toml,pyproject.toml,Pipfile,libs.versions.toml,Project.toml",
    entry: `^"?{name}"?\\s*=\\s*(?:\\{.*?\\b(?:version|tag|rev|branch|git|path)\\s*=\\s*)?${quoted}`,
  },
  { files: "Cargo.toml,pyproject.toml", entry: `^\\[.*\\b{name}\\]`, later: field },
  { files: "libs.versions.toml", entry: `(?:module|id) = "(?:[^":]*:)?{name}".*version(?:\\.ref)? = ${quoted}` },
  { files: "pyproject.toml,setup.py,noxfile.py", entry: `["']{name}${range}["';]` },
  {
    files:
      "*requirements*.txt,*requirements*.in,constraints*.txt,setup.cfg,environment.yml,environment.yaml,requirements/*.txt",
    entry: `^\\s*(?:- *)?{name}${range}(?:[;#\\\\].*)?$`,
  },
  { files: "pom.xml", entry: `<artifactId>{name}</artifactId>`, later: /^\s*<version>(?<version>[^<]+)/ },
  { files: "*.gradle,*.gradle.kts", entry: `["']{name}:(?<version>[\\d$[(+][^"':@]*)` },
  { files: "*.gradle,*.gradle.kts", entry: `(?:id|name|kotlin)\\W+{name}["']\\)?,?\\s*version\\W+(?<version>[^"')]+)` },
  { files: "build.sbt", entry: `"{name}"\\s*%\\s*"(?<version>[^"]+)` },
  {
    files: "Gemfile,*.gemspec",
    entry: `^\\s*(?:gem|\\w+\\.add_(?:\\w+_)?dependency)\\W+{name}["'](?:,\\s*${quoted})?`,
  },
  {
    files: "*.csproj,*.fsproj,*.props,packages.config",
    entry: `(?:Include|Update|id)="{name}".*?\\b[Vv]ersion="(?<version>[^"]+)`,
  },
  { files: "Package.swift", entry: `(?:url|path): "\\S*?{name}(?:\\.git)?"[^)]*"(?<version>[^"]+)"` },
  { files: "mix.exs", entry: `\\{:{name},\\s*"(?<version>[^"]+)` },
  { files: "CMakeLists.txt,*.cmake", entry: `find_package\\(\\s*{name}\\s+(?<version>\\d[\\w.]*)` },
  {
    files: "CMakeLists.txt,*.cmake",
    entry: `FetchContent_Declare\\(\\s*{name}`,
    later: /GIT_TAG\s+(?<version>[^\s)]+)/,
  },
  { files: "meson.build", entry: `dependency\\('{name}',.*version\\s*:\\s*${quoted}` },
  { files: "MODULE.bazel", entry: `bazel_dep\\(name = "{name}", version = ${quoted}` },
  {
    files: "build.zig.zon",
    entry: `^\\s*\\.@?"?{name}"?\\s*=\\s*\\.\\{`,
    later: /\.(?:url|path)\s*=\s*"(?<version>[^"]+)/,
  },
  { files: "*.cabal", entry: `(?:^|[:,])\\s*{name}\\s+(?<version>[<>=^][<>=^&|.*\\s\\d]*)` },
  { files: "deps.edn,project.clj", entry: `(?<![\\w.])'?{name}\\s+(?:\\{:mvn/version )?${quoted}` },
  { files: "cpanfile,DESCRIPTION", entry: `{name}["']?(?:,\\s*["']|\\s+\\()(?<version>[<>=\\s]*\\d[^"')]*)` },
  { files: "Podfile", entry: `^\\s*pod\\W+{name}["'](?:,\\s*${quoted})?` },
  { files: "Chart.yaml", entry: `^\\s*-? ?name: {name}$`, later: field },
  { files: "*.tf", entry: `source\\s*=\\s*"{name}"`, later: field },
  { files: "package.json", entry: `"packageManager"\\s*:\\s*"{name}@(?<version>[^"+]+)` },
  { files: "conanfile.txt,conanfile.py", entry: `\\b{name}/(?<version>\\d[\\w.]*)` },
  { files: "Dockerfile*,*compose*.yml,*compose*.yaml", entry: `(?:FROM|image:)\\s*["']?{name}:(?<version>[^\\s"']+)` },
  { files: "build.zig.zon", of: /^zig$/, entry: `minimum_zig_version\\s*=\\s*${quoted}` },
  { files: "mix.exs", of: /^elixir$/, entry: `elixir:\\s*${quoted}` },
  { files: "pubspec.yaml", of: /^dart$/, entry: `^\\s+sdk:\\s*["']?(?<version>[^"']+)` },
  { files: "Package.swift", of: /^swift$/, entry: `swift-tools-version:\\s*(?<version>[\\d.]+)` },
  { files: "build.sbt", of: /^scala$/, entry: `scalaVersion\\s*:=\\s*${quoted}` },
  { files: "*.gradle,*.gradle.kts", of: /^kotlin$/, entry: `kotlin\\S*["']\\)? version ${quoted}` },
  { files: "CMakeLists.txt", of: /^cmake$/, entry: `cmake_minimum_required\\(VERSION (?<version>[\\d.]+)` },
  { files: "CMakeLists.txt", of: /^(?:c\+\+|cpp)$/, entry: `CMAKE_CXX_STANDARD\\s+(?<version>\\d+)` },
  { files: "go.mod", of: /^go$/, entry: `^(?:go|toolchain) (?<version>\\S+)` },
  { files: "Cargo.toml", of: /^(?:rust|msrv)$/, entry: `^rust-version\\s*=\\s*${quoted}` },
  {
    files: "pyproject.toml,setup.py,setup.cfg",
    of: /^python$/,
    entry: `^\\s*(?:requires-python|python_requires)\\s*=\\s*["']?(?<version>[^"',]+)`,
  },
  {
    files: "Gemfile,*.gemspec",
    of: /^ruby$/,
    entry: `^(?:ruby|\\s*\\w+\\.required_ruby_version\\s*=)[\\s(]*${quoted}`,
  },
  {
    files: "pom.xml",
    of: /^(?:java|jdk)$/,
    entry: `<(?:maven\\.compiler\\.(?:release|source|target)|(?:java|jdk)\\.?(?:[\\w.]*\\.)?[vV]ersion|release)>(?<version>\\d[\\d.]*)`,
  },
  {
    files: "build.gradle,build.gradle.kts",
    of: /^(?:java|jdk)$/,
    entry: `(?:sourceCompatibility|jvmToolchain|languageVersion)\\D{0,40}(?<version>\\d[\\d.]*)`,
  },
  { files: "*.csproj,*.props", of: /^(?:dotnet|\.net)$/, entry: `<TargetFrameworks?>(?<version>[^<]+)` },
  {
    files: "package.json,composer.json,pubspec.yaml,Cargo.toml,pyproject.toml",
    of: /^this$/,
    entry: `^(?:\\s{0,4}|.*\\{ ?)"?version"?\\s*[=:]\\s*["']?(?<version>[^\\s"',]+)`,
  },
  { files: "pom.xml", of: /^this$/, entry: `^(?: {2}| {4}|\\t)<version>(?<version>[^<]+)` },
  {
    files: "gradle.properties,build.gradle,build.gradle.kts",
    of: /^this$/,
    entry: `^\\s*(?:VERSION(?:_NAME)?|version)\\s*=\\s*["']?(?<version>\\d[^\\s"']*)`,
  },
  {
    files: "version.rb,*.gemspec,__init__.py,_version.py,__version__.py,version.py,setup.py,version.go",
    of: /^this$/,
    entry: `(?:VERSION|[vV]ersion|__version__)\\s*=\\s*["'](?<version>\\d[^"']*)`,
  },
  { files: "VERSION,VERSION.txt,version.txt", of: /^this$/, entry: `^v?(?<version>\\d\\S*)` },
];

/** In the order in which they decide: what is installed, then what is allowed. */
const statements: readonly (Statement & { isLocked: boolean })[] = [
  ...locks.map((row) => ({ ...row, isLocked: true })),
  ...manifests.map((row) => ({ ...row, isLocked: false })),
];

/** A version that a file states, with the lines that do. */
export interface StatedVersion extends LineRange {
  /** The name as written; empty in a row about a language or the project. */
  name: string;
  /** Empty if any version will do. */
  version: string;
  isLocked: boolean;
  /** The text from the line with the name to that with the version. */
  text: string;
}

/** A search for lines that may state a version. */
export interface VersionSearch {
  pattern: string;
  glob: string;
  contextLines: number;
}

/** What a search is for: a name as a whole, as a part of longer ones, or the variable that a version is. */
export interface Named {
  name: string;
  as: "whole" | "part" | "variable";
}

/** Searches for all lines that may state the version of a dependency or language, or of the project itself (`this`). */
export function searchesFor(named: Named): VersionSearch[] {
  const found: VersionSearch[] = [];
  for (const row of rowsFor(named)) {
    const pattern = entryOf(row, named).replaceAll(/\?<(?:name|version)>/g, "?:");
    const contextLines = row.later === undefined ? 0 : linesOfEntry;
    const open = found.find((one) => one.contextLines === contextLines && fits(one, { pattern, files: row.files }));
    if (open === undefined) found.push({ pattern, glob: row.files, contextLines });
    else {
      open.pattern += `|${pattern}`;
      open.glob = [...new Set(`${open.glob},${row.files}`.split(","))].join(",");
    }
  }
  return found.map((one) => ({ ...one, glob: `**/{${one.glob}}` }));
}

/** How many lines after the name may have the version. */
const linesOfEntry = 12;
const lengthLimit = 900;

function fits(search: VersionSearch, { pattern, files }: { pattern: string; files: string }): boolean {
  return search.pattern.length + pattern.length < lengthLimit && search.glob.length + files.length < lengthLimit;
}

/** Where a version is a name: `${guava.version}` in a pom.xml, `version.ref = "okio"`, `$okioVersion`. */
const variable: (typeof statements)[number] = {
  files: "pom.xml,gradle.properties,*.gradle,*.gradle.kts,libs.versions.toml,build.sbt,*.props",
  entry: `(?:<|^\\s*(?:def |va[lr] |const |ext\\.)*["']?){name}["']?(?:>|\\s*=\\s*)["']?(?<version>\\d[^"'<\\s]*)`,
  isLocked: false,
};

/** The variable that a version is; undefined if it is a value. */
export function variableIn(version: string): Named | undefined {
  const name = /^\$?[{(]?([A-Za-z][\w.-]*)[})]?$/.exec(version)?.[1];
  return name === undefined ? undefined : { name, as: "variable" };
}

function rowsFor({ name, as }: Named): readonly (typeof statements)[number][] {
  if (as === "variable") return [variable];
  return statements.filter(({ of, entry }) => {
    if (as === "part") return of === undefined && entry.includes("{name}");
    return of === undefined ? name !== "this" : of.test(name.toLowerCase());
  });
}

function literal(name: string): string {
  return name
    .split(/[\s._-]+/)
    .map((part) => part.replace(/[^\w]/g, "\\$&"))
    .join("[-_. ]?");
}

/** The expression for the line of a dependency; a name matches with any separators, and with its group or scope. */
function entryOf({ entry }: Statement, { name, as }: Named): string {
  const before = String.raw`(?:[@\w.-]+[/:])*?`;
  const own =
    as === "part"
      ? String.raw`(?:[@\w.-]+[-_./:])*?${literal(name)}(?:[-_./:][\w@./:-]+)?`
      : `${as === "whole" ? before : ""}${literal(name)}`;
  return entry.replace("{name}", `(?<name>${own})`);
}

/** The versions stated in consecutive lines of a file. */
export function statedIn({ path, startLine, lines }: Lines, named: Named): StatedVersion[] {
  return rowsFor(named)
    .filter(({ files }) => isAmong(files, path))
    .flatMap((row) => statedBy(row, { entries: new RegExp(entryOf(row, named), "i"), startLine, lines }));
}

interface Lines {
  path: string;
  startLine: number;
  lines: readonly string[];
}

/** Whether a file at the root of a project lists dependencies. */
export function isManifest(path: string): boolean {
  return manifests.some(({ of, files }) => of === undefined && isAmong(files, path));
}

/**
 * The lines of a manifest that name what it depends on, with the lines that begin their lists. Lists for development
 * count only if there is no other.
 */
export function dependenciesIn({ path, lines }: Omit<Lines, "startLine">): LineRange[] {
  const rows = statements.filter(({ of, isLocked, files }) => {
    return of === undefined && (!isLocked || files === "go.mod") && isAmong(files, path);
  });
  const found = rows.flatMap((row) => {
    const entries = new RegExp(row.entry.replace("{name}", dependencyName), "i");
    const names = lines.flatMap((text, index) =>
      entries.test(text) ? [{ startLine: index + 1, endLine: index + 1 }] : [],
    );
    return [...names, ...statedBy(row, { entries, startLine: 1, lines })];
  });
  const form = /[^.]*$/.exec(path)?.[0] ?? "";
  const head = listHeads[form];
  if (head === undefined) return found;
  const listed = lines.flatMap((text, index) => {
    if (!head.list.test(text)) return [];
    const next = lines.findIndex((other, at) => at > index && head.any.test(other));
    const end = next === -1 ? lines.length : next;
    const own = found.filter(({ startLine }) => startLine > index && startLine <= Math.max(end, index + 1));
    return [{ isMain: !/dev|test|build/i.test(text), lines: [{ startLine: index + 1, endLine: index + 1 }, ...own] }];
  });
  const main = listed.filter(({ isMain }) => isMain);
  return (main.length > 0 ? main : listed).flatMap((one) => one.lines);
}

/**
 * The lines that begin a list of dependencies, and those that begin any list or element, by the end of a manifest's
 * name.
 */
const listHeads: Readonly<Record<string, { list: RegExp; any: RegExp }>> = {
  json: { list: /"(?:\w*dependencies|require(?:-dev)?|imports)"\s*:/i, any: /^\s{1,4}"[\w-]+"\s*:\s*[{[]/ },
  toml: {
    list: /^\[(?:.*[.-])?(?:dependencies|packages|libraries|compat)\b|^dependencies\s*=/,
    any: /^\[|^[\w-]+\s*=\s*\[/,
  },
  xml: { list: /^\s*<dependency>/, any: /^\s*<\w+>\s*$/ },
};
const dependencyName = String.raw`(?<name>(?!(?:version|node|npm|php)["'\s=])@?[A-Za-z][\w./:-]*)`;

/** Whether a file is one of these globs, which have no folder or only its name. */
function isAmong(files: string, path: string): boolean {
  const pattern = files.replaceAll(".", "\\.").replaceAll("*", "[^/]*").replaceAll(",", "|");
  return new RegExp(`(?:^|/)(?:${pattern})$`, "i").test(path);
}

function statedBy(
  { later, isLocked }: (typeof statements)[number],
  { entries, startLine, lines }: { entries: RegExp; startLine: number; lines: readonly string[] },
): StatedVersion[] {
  return lines.flatMap((entry, index) => {
    const { name = "", version: own } = entries.exec(entry)?.groups ?? {};
    if (!entries.test(entry)) return [];
    const line = startLine + index;
    if (own !== undefined || later === undefined)
      return [{ name, version: (own ?? "").trim(), isLocked, text: entry, startLine: line, endLine: line }];
    const rest = lines.slice(index + 1, index + 1 + linesOfEntry);
    const end = rest.findIndex((text) => entries.test(text) || /^\s*(?:[}[]|<\/dependency|$)/.test(text));
    const at = rest.slice(0, end === -1 ? undefined : end).findIndex((text) => later.test(text));
    const version = later.exec(rest[at] ?? "")?.groups?.["version"];
    if (version === undefined) return [];
    const text = [entry, ...rest.slice(0, at + 1)].join("\n");
    return [{ name, version, isLocked, text, startLine: line, endLine: line + at + 1 }];
  });
}
