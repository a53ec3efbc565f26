import { compareNumbers } from "../lib/compare-numbers.ts";
import { changesPath, guidancePath } from "../source/lesser-path.ts";
import { translatedDocument } from "../source/translated-path.ts";
import type { FileKind } from "../protocol/search.ts";

/** The role of a file in its project, finer than its kind: it weights matches. */
export type FileClass =
  | "source"
  | "docs"
  | "config"
  | "example"
  | "declaration"
  | "test"
  | "changelog"
  | "guidance"
  | "locale"
  | "data"
  | "generated"
  | "vendored"
  | "outdated"
  | "template";

/** Told by the path alone. */
export function classOf(path: string): FileClass {
  const lower = path.toLowerCase();
  return rules.find(([, pattern]) => pattern.test(lower))?.[0] ?? "source";
}

/**
 * Classes that depend on the whole tree: scripts in a build folder are generated if their sources exist too, and so are
 * bundles without a single original (`twins.ts` finds those). Folders such as `deps` are vendored if they contain
 * licences of their own. Of a document in several versions, the newest is current.
 */
export function classesOf(paths: readonly string[]): FileClass[] {
  const hasReadme = paths.some((path) => /^readme(?:\.\w+)?$/i.test(path));
  const hasSources = paths.some((path) => sourceScript.test(path) && !builtScript.test(path));
  const copies = new Set(paths.flatMap((path) => copiedLicence.exec(path)?.[1] ?? []));
  const newest = newestVersions(paths);
  return paths.map((path) => {
    const fileClass = classOf(path);
    if (hasReadme && path === copiedReadme) return "outdated";
    if (copies.size > 0 && copies.has(copiedFolder.exec(path)?.[0] ?? "")) return "vendored";
    if (fileClass === "docs" && isOlder(path, newest)) return "outdated";
    return hasSources && fileClass === "source" && builtScript.test(path) ? "generated" : fileClass;
  });
}

/** Folders for copies of other projects. In a repository with packages of its own, theirs have other names. */
const copiedFolder = /^(?:.*?\/)?(?:deps|dependencies|submodules|subprojects)\//i;
const copiedLicence =
  /^((?:.*?\/)?(?:deps|dependencies|submodules|subprojects)\/)[^/]+\/(?:licen[cs]e|copying|copyright)[^/]*$/i;

/** The folder of a version in the path of a document: `next`, `latest`, `v2`, `1.4`, `version-3.x`. */
const documentVersion =
  /(?<=^|\/)(?:(next|main|master)|(latest|stable|current)|(?:v|version-?)?(\d+(?:\.(?:\d+|x))*))(?=\/)/i;

/** How new the version of a document is, by its path without the version. A single version is the current one. */
function newestVersions(paths: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const newest = new Map<string, readonly number[]>();
  for (const path of paths) {
    const { page, version } = versionIn(path) ?? {};
    if (page === undefined || version === undefined) continue;
    const before = newest.get(page);
    if (before === undefined || compareNumbers(version, before) > 0) newest.set(page, version);
  }
  return newest;
}

function isOlder(path: string, newest: ReadonlyMap<string, readonly number[]>): boolean {
  const { page, version } = versionIn(path) ?? {};
  const best = page === undefined ? undefined : newest.get(page);
  return version !== undefined && best !== undefined && compareNumbers(version, best) < 0;
}

function versionIn(path: string): { page: string; version: readonly number[] } | undefined {
  const [found, next, latest, number = ""] = documentVersion.exec(path) ?? [];
  if (found === undefined) return undefined;
  // What is next describes the code beside it; what is latest, the last release.
  const version =
    next !== undefined ? [Infinity, 1] : latest !== undefined ? [Infinity, 0] : number.split(".").map(Number);
  return { page: path.replace(documentVersion, "*"), version: version.map((part) => (Number.isNaN(part) ? 0 : part)) };
}

/** The registry's page of a package (server/resources/packages/package-pages.ts), mostly a copy of its README. */
const copiedReadme = ".citewell-package/README.md";
const sourceScript = /(?:^|\/)(?:src|source|lib)\/.*\.[cm]?[jt]sx?$/;
const builtScript = /(?:^|\/)(?:dist|umd|bundles?)\/.*\.[cm]?js$/;

/** The rank of a file among equal matches: hand-written source and documents first. */
export function classOrder(fileClass: FileClass): number {
  return order.indexOf(fileClass);
}

/** The class at that rank. */
export function classAt(place: number): FileClass {
  return order[place] ?? "source";
}

export function kindOf(fileClass: FileClass): FileKind {
  return kinds[fileClass];
}

const order: readonly FileClass[] = [
  "source",
  "docs",
  "config",
  "declaration",
  "example",
  "test",
  "changelog",
  "locale",
  "data",
  "generated",
  "vendored",
  "outdated",
  "template",
  "guidance",
];

const kinds: Readonly<Record<FileClass, FileKind>> = {
  source: "code",
  declaration: "code",
  generated: "code",
  vendored: "code",
  example: "code",
  docs: "docs",
  changelog: "docs",
  outdated: "docs",
  template: "docs",
  guidance: "docs",
  test: "test",
  config: "config",
  data: "other",
  locale: "other",
};

/** The end of the name of a document after its stem: `-2.x.md`, `.txt`, nothing. */
const prose = String.raw`(?:(?:[-_.][\w.-]*)?\.(?:md|markdown|mdx|rst|txt|adoc|mit|apache\w*))?`;

/** A drawing is text, but nothing to read, also among tests or documents. */
const drawing = named(String.raw`.*\.(?:svg|eps|drawio|dia|excalidraw)`);

/** Whether a file is a drawing: lines of coordinates, with a few words. */
export function isDrawing(path: string): boolean {
  return drawing.test(path.toLowerCase());
}

/** The rules for a path in lower case; the first that fits applies. */
const rules: readonly (readonly [FileClass, RegExp])[] = [
  ["data", drawing],
  [
    "vendored",
    inFolder("node_modules|bower_components|vendor|vendored|_vendor|bundled|(?:third|3rd)[_-]?party|extern|externals?"),
  ],
  ["generated", inFolder("generated|__generated__")],
  [
    "generated",
    named(
      String.raw`.*[.-]min\.(?:\w+\.)?(?:[cm]?js|css)|.*\.map|.*\.pb\.go|.*_pb2(?:_grpc)?\.pyi?|.*[._]pb\.(?:cc|h|[cm]?js|d\.ts)|zz_generated\..*|.*\.gen\.\w+|.*\.designer\.cs|.*\.g\.dart|.*[._-]generated\.\w+|.*[._-]bundle\.\w+`,
    ),
  ],
  [
    "generated",
    named(
      String.raw`package-lock\.json|packages\.lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go(?:\.work)?\.sum|package\.resolved|.*\.(?:lockb?|lockfile)`,
    ),
  ],
  // Snapshots of tests, and scripts for the completion in shells.
  ["generated", inFolder("__snapshots__|__image_snapshots__")],
  ["generated", named(String.raw`.*\.(?:snap|snap\.new|ambr|approved\.\w+|verified\.\w+)`)],
  [
    "generated",
    /(?:^|\/)(?:completions?|site-functions)\/(?:.*\/)?(?:_[\w.-]+|[\w.-]+\.(?:bash|zsh|fish|ps1|elv|nu)(?:\.\w+)?)$/,
  ],
  ["generated", named(String.raw`.+[-_.]completions?(?:\.(?:bash|zsh|fish|ps1|elv|nu|sh))`)],
  [
    "template",
    /(?:^|\/)(?:\.github\/|\.gitlab\/|docs\/)?(?:(?:issue|pull_request|merge_request|discussion)_templates?\/.*|(?:issue|pull_request|merge_request)_template(?:\.(?:md|txt|ya?ml))?)$/,
  ],
  ["changelog", changesPath],
  ["changelog", inFolder("changes")],
  ["guidance", guidancePath],
  // Code that documents show, also where its name is that of a test.
  ["example", /(?:^|\/)docs?\/(?:.*\/)?examples?\//],
  [
    "test",
    inFolder(
      "tests?|specs?|__tests__|__mocks__|mocks|testing|testdata|fixtures?|__fixtures__|e2e|cypress|androidtest|unittests?|testsuite|test-d",
    ),
  ],
  [
    "test",
    named(
      String.raw`.*[._-](?:tests?|specs?|bench|e2e|test-d)\.\w+|tests?[_-].*\.\w+|(?:tests?|conftest)\.\w+|.*tests?\.(?:java|kt|cs|swift|scala|php)`,
    ),
  ],
  ["example", inFolder("examples?|samples?|demos?|playground|benchmarks?|bench|benches|docs_src|sandbox")],
  ["locale", /(?:^|\/)(?:locales?|i18n|l10n|translations?)\/(?!(?:.*\/)?(?:en|en[-_]us|index|utils?|default)\.\w+$)/],
  ["locale", translatedDocument],
  // Documents of older versions, which Docusaurus keeps beside the present ones.
  ["outdated", inFolder(String.raw`(?:\w+_)?versioned_docs`)],
  ["declaration", named(String.raw`.*\.d\.[cm]?ts|.*\.pyi|.*\.flow`)],
  [
    "data",
    named(
      String.raw`(?:(?:un)?licen[cs]e|copying|notice|authors|maintainers|robots)(?:[-_][a-z\d-]+)?${prose}|.*requirements.*\.txt`,
    ),
  ],
  // Manual pages: `man/man1/tool.1`, `manual/tool.1.in`.
  ["docs", /(?:^|\/)(?:man\d?|manual|manpages?|docs?)\/(?:.*\/)?[\w.-]+\.[1-9](?:\.in)?$/],
  [
    "docs",
    named(
      String.raw`.*\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|textile|pod|org)|readme|contributing|security|install|hacking`,
    ),
  ],
  [
    "config",
    named(
      String.raw`(?:package|tsconfig|jsconfig|composer|deno|jsr|turbo|lerna|nx|pom|\.\w+rc)[\w.-]*\.(?:jsonc?|json5|xml)`,
    ),
  ],
  [
    "config",
    named(
      String.raw`.*\.(?:ya?ml|toml|ini|cfg|conf|properties|cmake|gradle|bazel|bzl|nix)|\..*|(?:setup|conf|noxfile)\.py`,
    ),
  ],
  [
    "config",
    named(
      String.raw`(?:dockerfile|makefile|gnumakefile|rakefile|gemfile|justfile|procfile|jenkinsfile|configure)(?:\..*)?|cmakelists\.txt`,
    ),
  ],
  [
    "config",
    named(
      String.raw`(?:webpack|rollup|vite|vitest|jest|babel|eslint|prettier|postcss|tailwind|tsup|karma|gulpfile|gruntfile|esbuild|playwright)[\w.]*\.[cm]?[jt]s`,
    ),
  ],
  ["config", inFolder(String.raw`\.github|\.circleci|\.vscode|\.husky|\.devcontainer`)],
  [
    "data",
    named(
      String.raw`.*\.(?:json|jsonc|json5|csv|tsv|ndjson|jsonl|svg|xml|log|geojson|po|pot|plist|css|scss|less|html?|out|expected|golden|diff|patch|ipynb)`,
    ),
  ],
  // Keys and signatures; what development environments write.
  [
    "data",
    named(
      String.raw`.*\.(?:pem|crt|cer|key|csr|asc|sig|pub|pbxproj|xcscheme|xcworkspacedata|xib|storyboard|sln|dotsettings|resx|iml|(?:sublime|tm)[\w-]*)`,
    ),
  ],
];

function inFolder(names: string): RegExp {
  return new RegExp(`(?:^|/)(?:${names})/`);
}

function named(names: string): RegExp {
  return new RegExp(`(?:^|/)(?:${names})$`);
}
