import type { LineRange } from "../protocol/citation.ts";
import { isAside } from "./test-path.ts";

/** Manifests at the root of a project, those of package managers before those of build tools. */
export const manifestNames = [
  "package.json",
  "pyproject.toml",
  "Cargo.toml",
  "go.mod",
  "composer.json",
  "deno.json",
  "pom.xml",
  "setup.py",
  "setup.cfg",
  "build.gradle",
  "build.gradle.kts",
  "CMakeLists.txt",
];

/** The lines of a manifest to show, and what it names, best first: entry points, and the files of commands among them. */
export interface Facts {
  pieces: LineRange[];
  entries: string[];
  commands: string[];
}

const linesShown = 12;
/** A longer line is not shown. */
const lineLengthShown = 2000;
/** The maximum number of lines of a multi-line value. */
const valueLines = 5;

/** Top-level JSON fields, TOML keys and tables, and XML tags and statements of other manifests. */
const jsonField = /^(?:\t| {1,4})"(name|description|main|module|bin)"\s*:\s*(.*)$/;
const tomlField = /^(?:name|description|path|members|module)\s*[= ]/;
const tomlTable = /^\[+(?:project\.scripts|tool\.poetry\.scripts|bin|lib|workspace)\]+/;
const otherField = /^(?:module \S|\s+<(?:artifactId|name|description|module)>|project\(|add_(?:library|executable)\()/;

export function factsIn({ path, lines }: { path: string; lines: readonly string[] }): Facts {
  const own = path.endsWith(".json") ? jsonLines(lines) : path.endsWith(".toml") ? tomlLines(lines) : otherLines(lines);
  const pieces: LineRange[] = [];
  for (const line of own.slice(0, linesShown)) {
    const last = pieces.at(-1);
    if (last?.endLine === line - 1) last.endLine = line;
    else pieces.push({ startLine: line, endLine: line });
  }
  const shown = own.map((line) => lines[line - 1] ?? "").join("\n");
  const commands = path.endsWith(".json") ? jsonCommands(shown) : gemCommands(lines);
  const entries = path.endsWith(".json") ? jsonEntries(shown) : scriptEntries(shown);
  return { pieces, entries: [...entries, ...commands], commands };
}

function jsonLines(lines: readonly string[]): number[] {
  // A minified manifest has all fields on one line.
  if (lines.length <= 2) return (lines[0] ?? "").length < lineLengthShown ? [1] : [];
  return lines.flatMap((text, index) => {
    const value = jsonField.exec(text)?.[2];
    if (value === undefined) return [];
    const length = /[{[]\s*$/.test(value)
      ? lines.slice(index + 1, index + valueLines).findIndex((line) => /^\s*[}\]]/.test(line)) + 2
      : 1;
    return Array.from({ length: Math.max(1, length) }, (_, offset) => index + 1 + offset);
  });
}

function tomlLines(lines: readonly string[]): number[] {
  let isReported = false;
  return lines.flatMap((text, index) => {
    if (text.startsWith("[")) isReported = tomlTable.test(text);
    const isHead = index < 80 && tomlField.test(text) && text.length < 200;
    return (isReported && text.trim() !== "" && !text.startsWith("#")) || isHead ? [index + 1] : [];
  });
}

function otherLines(lines: readonly string[]): number[] {
  const indentOf = (text: string) => /^\s+(?=<\w)/.exec(text)?.[0];
  // In a pom, the parent and each dependency have such fields, too, deeper inside.
  const own = lines.map(indentOf).find((indent) => indent !== undefined);
  return lines.flatMap((text, index) => {
    const indent = indentOf(text);
    const isDeeper = indent !== undefined && indent !== own && !text.includes("<module>");
    if (isDeeper || !otherField.test(text)) return [];
    const isOpen = text.includes("<description>") && !text.includes("</");
    const rest = isOpen ? lines.slice(index + 1, index + valueLines).findIndex((line) => line.includes("</")) + 1 : 0;
    return Array.from({ length: 1 + rest }, (_, offset) => index + 1 + offset);
  });
}

function jsonEntries(shown: string): string[] {
  return [...jsonValues(shown, "module"), ...jsonValues(shown, "main")];
}

function jsonCommands(shown: string): string[] {
  const [, several = ""] = /"bin"\s*:\s*[{[]([^}\]]*)[}\]]/.exec(shown) ?? [];
  const paths = [...several.matchAll(/(?:^|[:,])\s*"([^"]+)"(?!\s*:)/g)].map(([, path = ""]) =>
    path.replace(/^\.\//, ""),
  );
  return [...jsonValues(shown, "bin"), ...paths];
}

function jsonValues(shown: string, field: string): string[] {
  return [...shown.matchAll(new RegExp(`"${field}"\\s*:\\s*"(?:\\./)?([^"]+)"`, "g"))].map(([, path = ""]) => path);
}

/** The executables that a gem names; a list that is computed has those of the gem's name. */
function gemCommands(lines: readonly string[]): string[] {
  const text = lines.join("\n");
  const [, named] = /\.executables\s*=\s*(.*)/.exec(text) ?? [];
  if (named === undefined) return [];
  const folder = /\.bindir\s*=\s*["'](\w+)["']/.exec(text)?.[1] ?? "bin";
  const list = /^(?:\[|%w|["'])/.test(named) ? named.replace(/^%w/, "") : (/\.name\s*=\s*(.*)/.exec(text)?.[1] ?? "");
  return (list.match(/[\w-]+/g) ?? []).map((name) => `${folder}/${name}`);
}

/** The files of entries such as `black = "black:patched_main"` and `path = "src/main.rs"`. */
function scriptEntries(shown: string): string[] {
  const modules = [...shown.matchAll(/=\s*["']([\w.]+):[\w.]+["']/g)].map(([, module = ""]) =>
    module.replaceAll(".", "/"),
  );
  const paths = [...shown.matchAll(/^path\s*=\s*["']([^"']+)["']/gm)].map(([, path = ""]) => path);
  return [...paths, ...modules.flatMap((module) => [`${module}.py`, `${module}/__init__.py`])];
}

const usualNames = ["main", "index", "__main__", "__init__", "lib", "mod", "app", "cli", "server"];
const extensions = "ts,tsx,js,mjs,cjs,jsx,py,rs,go,java,kt,rb,php,c,cc,cpp,h,cs,swift";

/** In characters: with the rest, less than the 1,000 that `glob` takes. */
const stemsLength = 400;

/** A glob for files that may be an entry point, at most three folders deep. */
export function entryPattern(
  facts: readonly Facts[],
  { resource, folders }: { resource: string; folders: readonly string[] },
): string {
  const own = ownName(resource);
  const named = facts.flatMap(({ entries }) => entries.map(stemOf));
  let length = 0;
  const stems = [...new Set([...usualNames, own, ...named, ...folders])]
    .filter((stem) => /^[\w.-]+$/.test(stem))
    .filter((stem) => (length += stem.length + 1) <= stemsLength);
  const names = `{${stems.join(",")}}.{${extensions}}`;
  const scripts = facts.flatMap(({ commands }) => commands.filter(isScript));
  // Java has one public class in a file, in the folder of its package.
  const ofJava = `{,*/}src/main/**/${own.replace(/\W/g, "?").replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)}.{java,kt}`;
  return `{${[...scripts, ofJava, `{,*/,*/*/,*/*/*/}${names}`].join(",")}}`;
}

/**
 * The entry points: files that the manifest names, their sources, files with a conventional name such as `main`, and
 * files with a function of that name (`mains`). `isCommand`: whether what a command starts is asked for, or, if false, what
 * a library has.
 */
export function entriesOf(
  paths: readonly string[],
  {
    facts,
    resource,
    mains = new Set(),
    isCommand,
  }: { facts: readonly Facts[]; resource: string; mains?: ReadonlySet<string>; isCommand?: boolean | undefined },
): string[] {
  const commands = facts.flatMap((own) => own.commands);
  const named = [...(isCommand === true ? commands : []), ...facts.flatMap(({ entries }) => entries)];
  const own = ownName(resource);
  const isSource = (path: string) =>
    extensions.split(",").includes(path.replace(/.*\./, "")) || (isScript(path) && commands.includes(path));
  const scored = [...new Set(paths)]
    .filter((path) => isSource(path) && !isAside(path) && (isCommand !== false || !commands.includes(path)))
    .map((path) => ({
      path,
      score: scoreOf(path, { named, own, hasMain: isCommand !== false && mains.has(path), isCommand }),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.path.length - b.path.length);
  const best = scored[0]?.score ?? 0;
  const distinct = new Map<string, string>();
  for (const { path, score } of scored) {
    if (score >= best - 30 && !distinct.has(sourceStem(path))) distinct.set(sourceStem(path), path);
  }
  return [...distinct.values()].slice(0, 2);
}

/** The last part of a resource's name, by which a project's own folder is known: `express` of `npm:express`. */
export function ownName(resource: string): string {
  return resource.replace(/.*[/:]/, "").toLowerCase();
}

function scoreOf(
  path: string,
  {
    named,
    own,
    hasMain,
    isCommand,
  }: { named: readonly string[]; own: string; hasMain: boolean; isCommand: boolean | undefined },
): number {
  // The folders of Java's packages are below.
  const folders = path
    .replace(/(?<=^|\/)src\/main\/\w+\/.*\//, "")
    .split("/")
    .slice(0, -1);
  // A manifest of Rust need not name the program.
  const ofLibrary = isCommand === true && stemOf(path) === "lib" ? 40 : 0;
  const isBuilt = /^(?:dist|build|out)\//.test(path) || /\.d\.[cm]?ts$/.test(path);
  const at = named.findIndex(
    (entry) => entry === path || (sourceStem(entry) === sourceStem(path) && !isBuilt) || path === `src/${entry}`,
  );
  if (at !== -1) return 100 - 5 * at - (isBuilt ? 10 : 0) - folders.length - (named[at] === path ? 0 : 1) - ofLibrary;
  const stem = stemOf(path);
  const isNamed = named.some((entry) => stemOf(entry) === stem && stem !== "index");
  const isUsual =
    usualNames.includes(stem) ||
    isNamed ||
    stem.toLowerCase() === own ||
    (hasMain && stem.toLowerCase().startsWith(own));
  if (!isUsual && !hasMain) return 0;
  const isSource = /^(?:src|lib|cmd|cli|app|server|source|include)\/|\/src\/main\//.test(path);
  const isOwn = folders.some((folder) => folder.toLowerCase() === own);
  const isMain = /^(?:main|__main__)$/.test(stem);
  return (
    40 -
    8 * folders.length +
    (isSource ? 10 : 0) +
    (isOwn ? 10 : 0) +
    (isNamed ? 12 : 0) +
    (isMain ? 6 : 0) +
    (isCommand === true && (stem === "cli" || /(?:^|\/)(?:cli|cmd|bin)\/[^/]+$/.test(path)) ? 20 : 0) +
    (hasMain && isUsual ? 20 : 0) -
    (isBuilt ? 15 : 0)
  );
}

/** Whether it is a script without an extension. */
function isScript(path: string): boolean {
  return /^(?:[\w-]+\/)*[\w-]+$/.test(path);
}

function stemOf(path: string): string {
  return path.replace(/.*\//, "").replace(/(?:\.d)?\.\w+$/, "");
}

/** The path without build and source folders and extension, so that `dist/index.js` and `src/index.ts` are equal. */
function sourceStem(path: string): string {
  return path.replace(/(?:\.d)?\.\w+$/, "").replace(/(?:^|(?<=\/))(?:dist|src|build|out|lib|cjs|esm|types)\//g, "");
}
