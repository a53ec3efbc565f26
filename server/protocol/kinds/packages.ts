import type * as z from "zod";
import { limits, textUpTo } from "../resource-fields.ts";
import { nameFromPath } from "./kind.ts";
import { type PackageKind, packageKind, type PackageReference } from "./package.ts";
import type { PackageType } from "./names.ts";

/** npm's grammar, older names with capitals included: a dot or underscore never starts a name. */
const npmPattern = /^(?:@[a-zA-Z0-9~-][\w.~-]*\/)?[a-zA-Z0-9~-][\w.~-]*$/;

export const PackageName = textUpTo(
  limits.packageLength,
  `a package name has at most ${limits.packageLength} characters`,
)
  .regex(npmPattern, "not a valid npm package name")
  .refine((name) => name !== "node_modules" && name !== "favicon.ico", "npm reserves this name")
  .meta({
    description: "An npm package name, plain or scoped.",
    pattern: `^(?!(?:node_modules|favicon\\.ico)$)${npmPattern.source.slice(1)}`,
  });

const npm = packageKind({
  type: "npm",
  id: "NpmResource",
  about: "A package, at the version that the workspace has installed.",
  Name: PackageName,
  example: "zod",
  noun: "npm package",
  snippet: { package: "${1:package}" },
  label: (l10n) => l10n.t("npm package"),
  summary: (l10n) => l10n.t("The version that your workspace has installed, or any other"),
  prompt: (l10n) => ({
    prompt: l10n.t("The package's name, with or without a version."),
    placeholder: "zod, @scope/name, zod@4",
  }),
  readPage: npmPage,
  isExact: (version) => /^\d+\.\d+\.\d+/.test(version),
});

/** https://packaging.python.org/en/latest/specifications/name-normalization/#name-format */
const pypiPattern = /^[a-zA-Z0-9](?:[\w.-]*[a-zA-Z0-9])?$/;

const PypiName = nameSchema(pypiPattern, {
  about:
    "The name of a Python package, a module of one that is installed, or one of the standard library; `python` is all of it.",
  refusal: "not a valid Python package name",
});

const pypi = packageKind({
  type: "pypi",
  id: "PypiResource",
  about: "A Python package, at the version that the project's environment has installed.",
  Name: PypiName,
  example: "requests",
  noun: "Python package",
  snippet: { package: "${1:package}" },
  label: (l10n) => l10n.t("Python package"),
  summary: (l10n) => l10n.t("The version in your project's environment, or any other"),
  prompt: (l10n) => ({
    prompt: l10n.t("The package's name, with or without a version."),
    placeholder: "requests, django@5.1",
  }),
  readPage: pypiPage,
  isExact: (version) => /^v?(?:\d+!)?\d+(?:\.\d+)+[\w.+-]*$/.test(version),
});

/** https://doc.rust-lang.org/cargo/reference/manifest.html#the-name-field, with the restrictions of crates.io. */
const cratePattern = /^[a-zA-Z][\w-]*$/;

const CrateName = nameSchema(cratePattern, {
  noun: "a crate name",
  about: "The name of a Rust crate, or of a crate of the standard library, such as `std`.",
  refusal: "not a valid crate name",
});

const cargo = packageKind({
  type: "cargo",
  id: "CargoResource",
  about: "A Rust crate, at the version that the project's Cargo.lock has.",
  Name: CrateName,
  example: "serde",
  noun: "Rust crate",
  snippet: { package: "${1:crate}" },
  label: (l10n) => l10n.t("Rust crate"),
  summary: (l10n) => l10n.t("The version in your project's Cargo.lock, or any other"),
  prompt: (l10n) => ({
    prompt: l10n.t("The crate's name, with or without a version."),
    placeholder: "serde, tokio@1",
  }),
  readPage: cratePage,
  isExact: (version) => /^\d+\.\d+\.\d+/.test(version),
  standardLibrary: {
    label: "Rust's standard library",
    repository: "https://github.com/rust-lang/rust",
    // crates.io reserves these names.
    includes: (name) => /^(?:std|core|alloc|proc[-_]macro)$/i.test(name),
  },
});

/** `group:artifact`, or the name of a class or package. https://maven.apache.org/pom.html#Maven_Coordinates */
const mavenPattern = /^[a-zA-Z0-9_](?:[\w-]|\.(?!\.))*(?::[a-zA-Z0-9_](?:[\w-]|\.(?!\.))*)?$/;

const MavenName = nameSchema(mavenPattern, {
  about:
    "`group:artifact` of a JVM package, the full name of a class of a dependency that is on disk, or `jdk` for the installed JDK.",
  refusal: "not a group and artifact such as org.slf4j:slf4j-api, nor the name of a class",
});

const maven = packageKind({
  type: "maven",
  id: "MavenResource",
  about: "A JVM package, at the version that the project's build names.",
  Name: MavenName,
  example: "org.slf4j:slf4j-api",
  noun: "JVM package",
  snippet: { package: "${1:group}:${2:artifact}" },
  label: (l10n) => l10n.t("JVM package"),
  summary: (l10n) => l10n.t("The version in your Maven or Gradle build, or any other"),
  prompt: (l10n) => ({
    prompt: l10n.t("The package's group and artifact, with or without a version."),
    placeholder: "org.slf4j:slf4j-api, com.google.guava:guava:33.4.0-jre",
  }),
  toName: fromCoordinates,
  suggestName: (name) => name.slice(name.indexOf(":") + 1),
  readPage: mavenPage,
  isExact: isExactVersion,
  standardLibrary: {
    label: "the JDK",
    repository: "https://github.com/openjdk/jdk",
    // Classes of `java.` are forbidden elsewhere.
    includes: (name) => /^(?:jdk$|java\.)/.test(name) && !name.includes(":"),
  },
});

/** An import path, https://go.dev/ref/mod#module-path: no element begins or ends with a dot. */
const goPattern = /^[\w~+-](?:[\w.~+-]*[\w~+-])?(?:\/[\w~+-](?:[\w.~+-]*[\w~+-])?)*$/;

export const GolangPath = nameSchema(goPattern, {
  noun: "a package path",
  about: "The path of a Go module, or of a package in one; of the standard library, `std` or a package.",
  refusal: "not a valid path of a Go module or package",
});

const golang = packageKind({
  type: "golang",
  id: "GolangResource",
  about: "A Go module, at the version that the project builds with.",
  Name: GolangPath,
  example: "github.com/spf13/cobra",
  noun: "Go module",
  snippet: { package: "${1:module}" },
  label: (l10n) => l10n.t("Go module"),
  summary: (l10n) => l10n.t("The version that your go.mod names, or any other"),
  prompt: (l10n) => ({
    prompt: l10n.t("The path of the module or of a package in it, with or without a version."),
    placeholder: "github.com/spf13/cobra, net/http",
  }),
  readPage: goPage,
  isExact: (version) => /^v\d+\.\d+\.\d+/.test(version),
  suggestName: nameOfModule,
  standardLibrary: {
    label: "Go's standard library",
    repository: "https://github.com/golang/go",
    // Its paths have no dot in the first element: https://go.dev/ref/mod#module-path
    includes: (name) => !name.split("/")[0]?.includes("."),
  },
});

/** https://guides.rubygems.org/name-your-gem/ */
const gemPattern = /^[a-zA-Z0-9_][\w.-]*$/;

const GemName = nameSchema(gemPattern, {
  noun: "a gem name",
  about: "The name of an installed Ruby gem.",
  refusal: "not a valid gem name",
});

const gem = packageKind({
  type: "gem",
  id: "GemResource",
  about: "A Ruby gem, at the version that the project has installed.",
  Name: GemName,
  example: "rack",
  noun: "Ruby gem",
  snippet: { package: "${1:gem}" },
  label: (l10n) => l10n.t("Ruby gem"),
  summary: (l10n) => l10n.t("The installed version of your project's Gemfile.lock"),
  prompt: (l10n) => ({
    prompt: l10n.t("The gem's name, with or without a version."),
    placeholder: "rack, rails@7.1.3",
  }),
  readPage: gemPage,
  isExact: (version) => /^\d+(?:\.\w+)+$/.test(version),
});

/** https://getcomposer.org/doc/04-schema.md#name, or the full name of a class. */
const composerPattern =
  /^(?:[a-zA-Z0-9](?:[\w.-]*[a-zA-Z0-9])?\/[a-zA-Z0-9](?:[\w.-]*[a-zA-Z0-9])?|\\?[a-zA-Z_]\w*(?:\\[a-zA-Z_]\w*)+)$/;

const ComposerName = nameSchema(composerPattern, {
  about: "The vendor and name of an installed PHP package, or the full name of a class of one.",
  refusal: "not a vendor and name such as monolog/monolog, nor the full name of a class",
});

const composer = packageKind({
  type: "composer",
  id: "ComposerResource",
  about: "A PHP package, at the version that the project has installed.",
  Name: ComposerName,
  example: "monolog/monolog",
  noun: "PHP package",
  snippet: { package: "${1:vendor}/${2:package}" },
  label: (l10n) => l10n.t("PHP package"),
  summary: (l10n) => l10n.t("The version that Composer has installed in your project"),
  prompt: (l10n) => ({
    prompt: l10n.t("The package's vendor and name, or a class."),
    placeholder: "monolog/monolog, Monolog\\Logger",
  }),
  suggestName: (name) => (name.includes("\\") ? nameFromPath(name) : name),
  readPage: composerPage,
  isExact: (version) => /^v?\d+(?:\.\w+)+/.test(version),
});

/** https://learn.microsoft.com/nuget/create-packages/creating-a-package#choose-a-unique-package-identifier-and-setting-the-version-number */
const nugetPattern = /^\w+(?:[.-]\w+)*$/;

const NugetName = nameSchema(nugetPattern, {
  noun: "a package id",
  about: "The id of an installed .NET package. It is read at the commit that it was built from.",
  refusal: "not a valid id of a .NET package",
});

const nuget = packageKind({
  type: "nuget",
  id: "NugetResource",
  about: "A .NET package, at the commit of the version that the project uses.",
  Name: NugetName,
  example: "Newtonsoft.Json",
  noun: ".NET package",
  snippet: { package: "${1:id}" },
  label: (l10n) => l10n.t(".NET package"),
  summary: (l10n) => l10n.t("The commit that your project's version was built from"),
  prompt: (l10n) => ({
    prompt: l10n.t("The package's id, with or without a version."),
    placeholder: "Newtonsoft.Json, Serilog@4.0.0",
  }),
  readPage: nugetPage,
  isExact: (version) => /^\d+(?:\.\d+){1,3}(?:-[\w.-]+)?$/.test(version),
});

/** The pure half of each ecosystem's packages, by the `type` of their resources. */
export const packageKinds = { npm, pypi, cargo, maven, golang, gem, composer, nuget } satisfies {
  [Type in PackageType]: PackageKind<Type>;
};

/** Whether a name means the standard library of an ecosystem's language, or a part of it. */
export function isStandardLibrary(type: PackageType, name: string): boolean {
  return packageKinds[type].standardLibrary?.includes(name) ?? false;
}

/** A package that a request names and that is not configured. */
export type AnyPackageReference = { [Type in PackageType]: PackageReference<Type> }[PackageType];

const { npm: first, ...others } = packageKinds;
/** The schemas of configured packages, discriminated by `type`. */
export const packageSchemas = [first.schema, ...Object.values(others).map(({ schema }) => schema)] as const;

/** The schema of a name; `refusal` says what a text is that does not match. */
function nameSchema(
  pattern: RegExp,
  { noun = "a package name", about, refusal }: { noun?: string; about: string; refusal: string },
): z.ZodString {
  return textUpTo(limits.packageLength, `${noun} has at most ${limits.packageLength} characters`)
    .regex(pattern, refusal)
    .meta({ description: about, pattern: pattern.source });
}

/** As a reference writes it. */
function versioned(name: string | undefined, version: string | undefined): string | undefined {
  return name === undefined || version === undefined ? name : `${name}@${version}`;
}

/** `npmjs.com/package/<name>[/v/<version>]` as `<name>[@<version>]`. */
function npmPage({ hostname, pathname }: URL): string | undefined {
  if (!/^(www\.)?npmjs\.(com|org)$/.test(hostname)) return undefined;
  const match = /^\/package\/((?:@[^/]+\/)?[^/]+)(?:\/v\/([^/]+))?\/?$/.exec(decodeURIComponent(pathname));
  return versioned(match?.[1], match?.[2]);
}

/** `pypi.org/project/<name>[/<version>]` as `<name>[@<version>]`. */
function pypiPage({ hostname, pathname }: URL): string | undefined {
  if (!/^(?:www\.)?pypi\.org$/.test(hostname)) return undefined;
  const match = /^\/(?:project|p)\/([^/]+)(?:\/([^/]+))?\/?$/.exec(decodeURIComponent(pathname));
  return versioned(match?.[1], match?.[2]);
}

/** A page of crates.io, docs.rs, lib.rs or the standard library's documentation as `<name>[@<version>]`. */
function cratePage({ hostname, pathname }: URL): string | undefined {
  const pattern = Object.entries(cratePagePatterns).find(([host]) => hostname.replace(/^www\./, "") === host)?.[1];
  const [, name, version] = pattern?.exec(decodeURIComponent(pathname)) ?? [];
  return versioned(name, version);
}

const cratePagePatterns: Readonly<Record<string, RegExp>> = {
  "crates.io": /^\/crates\/([^/]+)(?:\/(\d[^/]*))?(?:\/.*)?$/,
  "lib.rs": /^\/crates\/([^/]+)\/?$/,
  "docs.rs":
    /^\/(?:crate\/)?(?!(?:crate|about|releases)(?:\/|$))([a-zA-Z][\w-]*)(?:\/(?:([\d^~=][^/]*)|[^/]+)(?:\/.*)?)?\/?$/,
  "doc.rust-lang.org": /^\/(?:(?:stable|beta|nightly)\/)?(std|core|alloc|proc_macro)(?:\/.*)?$/,
};

/** Whether a version means one published version for ever: no range, snapshot or keyword, and more than a major number. */
export function isExactVersion(version: string): boolean {
  return /^(?!\d+$)(?!.*-SNAPSHOT$)(?!(?:latest|release)$)[a-zA-Z0-9][\w.~-]*$/i.test(version);
}

/** Words of Maven's longer coordinates that are neither name nor version: `g:a:jar:sources:1.0:compile`. */
const otherParts =
  /^(?:jar|pom|war|aar|bundle|test-jar|sources|javadoc|compile|provided|runtime|test|system|import|@\w+)$/;

/** `g:a:1.0`, `g/a@1.0` of a package URL and `g:a@1.0` as `g:a[@1.0]`. */
function fromCoordinates(text: string): string {
  const [name = "", ...after] = text.replace("/", ":").split("@");
  const [group = "", artifact, ...more] = name.split(":");
  const version = after.length > 0 ? after : more.filter((part) => !otherParts.test(part)).slice(0, 1);
  return [artifact === undefined ? group : `${group}:${artifact}`, ...version].join("@");
}

/** Pages of central.sonatype.com, search.maven.org, mvnrepository.com and javadoc.io, and folders of Maven Central. */
function mavenPage({ hostname, pathname }: URL): string | undefined {
  const parts = decodeURIComponent(pathname)
    .split("/")
    .filter((part) => part !== "");
  const [first, group, artifact, version] = parts;
  const isPage =
    (/^(?:central\.sonatype\.com|search\.maven\.org|(?:www\.)?mvnrepository\.com)$/.test(hostname) &&
      first === "artifact") ||
    (/^(?:www\.)?javadoc\.io$/.test(hostname) && first === "doc");
  if (isPage) return group && artifact ? [`${group}:${artifact}`, version].filter(Boolean).join("@") : undefined;
  if (!/^repo1?\.maven\.(?:apache\.)?org$/.test(hostname) || first !== "maven2") return undefined;
  const end = parts.findIndex((part, at) => at > 2 && /^\d/.test(part));
  const [folders, number] = end === -1 ? [parts.slice(1), []] : [parts.slice(1, end), parts.slice(end, end + 1)];
  return folders.length < 2
    ? undefined
    : [[folders.slice(0, -1).join("."), folders.at(-1)].join(":"), ...number].join("@");
}

/** The last element of a path that is no major version: `cobra`, `chi` of `…/chi/v5`, `yaml` of `gopkg.in/yaml.v3`. */
export function nameOfModule(path: string): string {
  const elements = path.replace(/(?<=.)[/.]v\d+$/, "").split("/");
  // The Go part of a project of several languages, such as `github.com/json-iterator/go`.
  return nameFromPath(elements.at(-1) === "go" ? elements.slice(-2).join("-") : (elements.at(-1) ?? path));
}

/** `pkg.go.dev/<path>[@<version>[/<package>]]` as `<path>[@<version>]`. */
function goPage({ hostname, pathname }: URL): string | undefined {
  if (hostname !== "pkg.go.dev") return undefined;
  const [, path, version] = /^\/(?:mod\/)?([^@]+?)(?:@([^/]+)[^@]*)?\/?$/.exec(decodeURIComponent(pathname)) ?? [];
  if (path === undefined || /^(?:about|badge|files|license-policy|search|static|vuln)(?:\/|$)/.test(path))
    return undefined;
  return versioned(path, version);
}

/** `rubygems.org/gems/<name>[/versions/<version>]` as `<name>[@<version>]`. */
function gemPage({ hostname, pathname }: URL): string | undefined {
  if (!/^(?:www\.)?rubygems\.org$/.test(hostname)) return undefined;
  const [, name, version] = /^\/gems\/([\w.-]+)(?:\/versions\/([\w.-]+))?\/?$/.exec(pathname) ?? [];
  return versioned(name, version);
}

/** `packagist.org/packages/<vendor>/<name>` as `<vendor>/<name>`; a version is only a fragment there. */
function composerPage({ hostname, pathname }: URL): string | undefined {
  if (!/^(?:www\.)?packagist\.org$/.test(hostname)) return undefined;
  return /^\/packages\/([\w.-]+\/[\w.-]+?)(?:\.json)?\/?$/.exec(pathname)?.[1];
}

/** `nuget.org/packages/<id>[/<version>]` as `<id>[@<version>]`. */
function nugetPage({ hostname, pathname }: URL): string | undefined {
  if (!/^(?:www\.)?nuget\.org$/.test(hostname)) return undefined;
  const [, name, version] = /^\/packages\/([\w.-]+)(?:\/(\d[\w.-]*))?\/?$/.exec(pathname) ?? [];
  return versioned(name, version);
}
