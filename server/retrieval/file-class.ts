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
  | "locale"
  | "data"
  | "generated"
  | "vendored"
  | "outdated";

/** Told by the path alone. */
export function classOf(path: string): FileClass {
  const lower = path.toLowerCase();
  return rules.find(([, pattern]) => pattern.test(lower))?.[0] ?? "source";
}

/**
 * Classes that depend on the whole tree: scripts in a build folder are generated if their sources exist too, and so are
 * bundles without a single original (`twins.ts` finds those).
 */
export function classesOf(paths: readonly string[]): FileClass[] {
  const hasReadme = paths.some((path) => /^readme(?:\.\w+)?$/i.test(path));
  const hasSources = paths.some((path) => sourceScript.test(path) && !builtScript.test(path));
  return paths.map((path) => {
    const fileClass = classOf(path);
    if (hasReadme && path === copiedReadme) return "outdated";
    return hasSources && fileClass === "source" && builtScript.test(path) ? "generated" : fileClass;
  });
}

/** The registry's page of a package (server/resources/npm/package-pages.ts), mostly a copy of its README. */
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
  test: "test",
  config: "config",
  data: "other",
  locale: "other",
};

/** The end of the name of a document after its stem: `-2.x.md`, `.txt`, nothing. */
const prose = String.raw`(?:(?:[-_.][\w.-]*)?\.(?:md|markdown|mdx|rst|txt|adoc|mit|apache\w*))?`;

/** Translations of documents lie in folders of these names. */
const languages = "ar|bn|cs|da|de|el|es|fa|fi|fr|he|hi|hu|id|it|ja|ko|nl|no|pl|pt|ro|ru|sv|th|tr|uk|ur|vi|zh";

/** A drawing is text, but nothing to read, also among tests or documents. */
const drawing = named(String.raw`.*\.(?:svg|eps|drawio|dia|excalidraw)`);

/** Whether a file is a drawing: lines of coordinates, with a few words. */
export function isDrawing(path: string): boolean {
  return drawing.test(path.toLowerCase());
}

/** Of a path in lower case; the first that fits. */
const rules: readonly (readonly [FileClass, RegExp])[] = [
  ["data", drawing],
  ["vendored", inFolder("node_modules|bower_components|vendor|vendored|_vendor|third[_-]?party|extern|external")],
  ["generated", inFolder("generated|__generated__")],
  [
    "generated",
    named(String.raw`.*\.min\.\w+|.*\.map|.*\.pb\.go|.*_pb2\.py|.*\.g\.dart|.*[._-]generated\.\w+|.*[._-]bundle\.\w+`),
  ],
  ["generated", named(String.raw`package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|.*\.lockb?`)],
  [
    "changelog",
    named(
      String.raw`(?:changes|changelog|history|releases?|release[_-]notes|news|whatsnew|upgrading|migrat\w+)${prose}`,
    ),
  ],
  ["changelog", inFolder(String.raw`changelogs?|changes|\.changesets?|release[-_]notes|newsfragments`)],
  // Code that documents show, also where its name is that of a test.
  ["example", /(?:^|\/)docs?\/(?:.*\/)?examples?\//],
  [
    "test",
    inFolder(
      "tests?|specs?|__tests__|__mocks__|__snapshots__|testing|testdata|fixtures?|__fixtures__|e2e|cypress|androidtest|unittests?|testsuite|test-d",
    ),
  ],
  [
    "test",
    named(
      String.raw`.*[._-](?:tests?|specs?|bench|e2e|test-d)\.\w+|tests?[_-].*\.\w+|(?:tests?|conftest)\.\w+|.*\.snap|.*tests?\.(?:java|kt|cs|swift|scala|php)`,
    ),
  ],
  ["example", inFolder("examples?|samples?|demos?|playground|benchmarks?|bench|docs_src|sandbox")],
  ["locale", /(?:^|\/)(?:locales?|i18n|l10n|translations?)\/(?!(?:.*\/)?(?:en|en[-_]us|index|utils?|default)\.\w+$)/],
  ["locale", inFolder(String.raw`docs?/(?:${languages})(?:[-_][a-z]{2,4})?`)],
  // Documents of older versions, which Docusaurus keeps beside the present ones.
  ["outdated", inFolder(String.raw`(?:\w+_)?versioned_docs`)],
  ["declaration", named(String.raw`.*\.d\.[cm]?ts|.*\.pyi|.*\.flow`)],
  [
    "data",
    named(
      String.raw`(?:license|licence|copying|notice|authors|code_of_conduct|maintainers|robots)${prose}|.*requirements.*\.txt`,
    ),
  ],
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
