import { type DefaultExport, defaultExportIn, entryFiles, exportedNames } from "./default-export.ts";
import { classOf } from "../retrieval/file-class.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { addFacts, emptyFacts, type NameFacts } from "./declarations.ts";
import { type Forward, forwardsIn, renamesIn } from "./forwards.ts";
import { numbersOf } from "./version-numbers.ts";
import { hasRequirements, type Requirement, requirementsIn } from "./requirements.ts";

/** What one version of a package says of names, and what it requires. */
export interface VersionFacts {
  snapshot: Snapshot;
  names: ReadonlyMap<string, NameFacts>;
  /** What each class or interface is based on. */
  bases: ReadonlyMap<string, ReadonlySet<string>>;
  /** Files that export everything of another module, so that their names are not known. */
  open: ReadonlySet<string>;
  /** The modules of Python that make names when they are asked for, with the 1-based lines of what does. */
  servers: ReadonlyMap<string, number>;
  requirements: readonly Requirement[];
  /** The text of `package.json`; empty without one. */
  manifest: string;
  /** What it exports of other packages, if the project uses it or may: `pub use clap_builder::*`. */
  forwards: readonly Forward[];
  /** What each file exports that is loaded for the name of an npm package; undefined for one that exports names alone. */
  entries: readonly (DefaultExport | undefined)[];
  /** What an npm package exports under its name; undefined where its files for that do not list it. */
  exported: ReadonlySet<string> | undefined;
  notes: readonly string[];
}

/** The most bytes of code that are read of a version. */
const bytesLimit = 64 * 1024 * 1024;
const passedOver = new Set(["test", "example", "vendored", "docs", "changelog", "locale", "data", "template"]);
/** The words of these classes name packages and classes of Java, and JARs have no tests: `org/junit/Test.java`. */
const publishedInJars = new Set(["test", "example", "data", "template"]);

function isPassedOver(path: string, { info: { type } }: Snapshot): boolean {
  const fileClass = classOf(path);
  return passedOver.has(fileClass) && !(type === "maven" && publishedInJars.has(fileClass));
}

/** Reads the code of a package. What it keeps of an older version, as `v3/` in 4.0, is passed over. */
export async function readVersion(
  snapshot: Snapshot,
  { names, version, signal }: { names: ReadonlySet<string>; version: string; signal: AbortSignal },
): Promise<VersionFacts> {
  const facts = new Map<string, NameFacts>(Array.from(names, (name) => [name, emptyFacts()]));
  const requirements: Requirement[] = [];
  const forwards: Forward[] = [];
  const bases = new Map<string, Set<string>>();
  const open = new Set<string>();
  const servers = new Map<string, number>();
  const renamed = new Map<string, string>();
  let manifest = "";
  const notes: string[] = [];
  const files = snapshot.files.filter(({ path }) => !isPassedOver(path, snapshot) && !isOlder(path, version));
  let bytes = 0;
  let read = 0;
  for (const { path, sizeBytes } of files) {
    bytes += sizeBytes;
    if (bytes > bytesLimit) {
      notes.push(`${snapshot.info.label}: only the first ${bytesLimit / 1024 / 1024} MB of code were read`);
      break;
    }
    read++;
    const source = await snapshot.read(path, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (source === undefined) continue;
    addFacts(facts, { snapshot, path, lines: source.lines });
    for (const one of renamesIn(path, source.text))
      if (names.has(one.exported)) renamed.set(one.exported, one.original);
    forwards.push(
      ...forwardsIn(path, source.text).filter(({ name }) => name === undefined || names.has(name.exported)),
    );
    if (exportsAll.test(source.text)) open.add(path);
    const server = path.endsWith(".py") ? source.lines.findIndex((line) => line.startsWith("def __getattr__(")) : -1;
    if (server !== -1) servers.set(path, server + 1);
    addBases(bases, source.text);
    addAliases(bases, path, source.text);
    if (path === "package.json") manifest = source.text;
    if (hasRequirements(path)) requirements.push(...requirementsIn(snapshot, path, source.lines));
  }
  await addRenamed(facts, renamed, { snapshot, files: files.slice(0, read), signal });
  const entries: (DefaultExport | undefined)[] = [];
  const lists: (ReadonlySet<string> | undefined)[] = [];
  for (const path of entryFiles(manifest, new Set(snapshot.files.map((file) => file.path)))) {
    const source = await snapshot.read(path, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (source === undefined) continue;
    if (!isDeclaration(path)) entries.push(defaultExportIn(path, source.lines));
    if (/\bexport\b/.test(source.text)) lists.push(exportedNames(source.text));
  }
  const isListed = lists.length > 0 && lists.every((list) => list !== undefined);
  const exported = isListed ? new Set(lists.flatMap((list) => [...(list ?? [])])) : undefined;
  return { snapshot, names: facts, bases, open, servers, requirements, manifest, forwards, entries, exported, notes };
}

function isDeclaration(path: string): boolean {
  return /\.d\.[cm]?ts$/.test(path);
}

/** Adds the declarations that names have under other names, which the files are read for once more. */
async function addRenamed(
  facts: Map<string, NameFacts>,
  renamed: ReadonlyMap<string, string>,
  { snapshot, files, signal }: Pick<Snapshot, "files"> & { snapshot: Snapshot; signal: AbortSignal },
): Promise<void> {
  if (renamed.size === 0) return;
  const originals = new Map(Array.from(renamed.values(), (name) => [name, emptyFacts()]));
  for (const { path } of files) {
    const source = await snapshot.read(path, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (source !== undefined) addFacts(originals, { snapshot, path, lines: source.lines });
  }
  for (const [exported, original] of renamed) {
    const declared = originals.get(original)?.declared ?? [];
    // The line that gives the other name is known.
    const top = declared.filter(({ owners, text }) => owners.length === 0 && !/\sas\s/.test(text));
    facts.get(exported)?.declared.push(...top);
  }
}

/** `from .core import *`, `pub use core::*`, `export * from "./core"`. */
const exportsAll = /^\s*(?:from\s+[\w.]+\s+import\s+\*|pub\s+use\s.*\*;|export\s+\*\s+from\b)/m;

/** `class A(B)`, `interface A<T> extends B`, `class A implements B`; all that the line names after it counts. */
function addBases(bases: Map<string, Set<string>>, text: string): void {
  const head =
    /^[ \t]*(?:(?:export|default|declare|public|protected|abstract|final|sealed|open|data|static|partial)\s+)*(?:class|interface)\s+([A-Za-z_$][\w$]*)([^{;]{0,400}?)(?:\{|:[ \t]*$|$(?!\n[ \t]+\w))/gm;
  for (const [, name = "", rest = ""] of text.matchAll(head)) {
    const known = bases.get(name) ?? new Set();
    for (const base of withoutArguments(rest).match(/(?<![\w$])[A-Z][\w$]*/g) ?? []) known.add(base);
    bases.set(name, known);
  }
}

/** `type A = B`, and what a struct of Go embeds: `type A struct {`, below it `*other.B`. */
function addAliases(bases: Map<string, Set<string>>, path: string, text: string): void {
  const add = (name: string, base: string) => bases.set(name, new Set([...(bases.get(name) ?? []), base]));
  for (const [, name = "", base = ""] of text.matchAll(
    /^[ \t]*(?:export\s+|pub\s+|declare\s+)*type\s+([A-Z]\w*)(?:<[^=;]*>|\[[^=\]]*\])?\s*=\s*&?\*?(?:\w+(?:\.|::))*([A-Z]\w*)[^|&\n]*$/gm,
  ))
    add(name, base);
  if (!path.endsWith(".go")) return;
  for (const [, name = "", body = ""] of text.matchAll(/^type\s+([A-Z]\w*)\s+struct\s*\{([^}]*)\}/gm))
    for (const [, base = ""] of body.matchAll(/^[ \t]+\*?(?:\w+\.)?([A-Z]\w*)[ \t]*(?:`.*)?$/gm)) add(name, base);
}

/** `extends Base<Other>` without what is between the brackets. */
function withoutArguments(text: string): string {
  const inner = text.replace(/<[^<>]*>|\[[^[\]]*\]/g, "");
  return inner === text ? text : withoutArguments(inner);
}

/** Types with all that they are based on. */
export function withBases(types: readonly string[], { bases }: Pick<VersionFacts, "bases">): Set<string> {
  const all = new Set(types);
  // What is added while a set is walked is walked as well.
  for (const type of all) for (const base of bases.get(type) ?? []) all.add(base);
  return all;
}

/** The facts of a package and of one of which it exports names. */
export function joinFacts(own: VersionFacts, forwarded: VersionFacts, forwards: readonly Forward[]): VersionFacts {
  const originals = new Map(
    forwards.flatMap(({ name }) => (name === undefined ? [] : [[name.exported, name.original]])),
  );
  const isAll = forwards.some(({ name }) => name === undefined);
  const types = new Set(originals.values());
  const names = new Map(
    Array.from(own.names, ([name, { declared, mentions, files }]): [string, NameFacts] => {
      const other = forwarded.names.get(name) ?? emptyFacts();
      const original = forwarded.names.get(originals.get(name) ?? "") ?? emptyFacts();
      const members = other.declared.filter(({ owners }) => owners.some((owner) => types.has(owner)));
      const top = original.declared.filter(({ owners }) => owners.length === 0);
      const added = isAll ? other.declared : [...top, ...members];
      return [name, { declared: [...declared, ...added], mentions: mentions + (isAll ? other.mentions : 0), files }];
    }),
  );
  const bases = new Map([...forwarded.bases, ...own.bases]);
  return { ...own, names, bases, notes: [...own.notes, ...forwarded.notes] };
}

/** What a version keeps of an older one: `v3/` in 4.0. */
export function isOlder(path: string, version: string): boolean {
  const [major = 0] = numbersOf(version);
  return [...path.matchAll(/(?<=^|\/)v(\d+)(?=\/)/g)].some(([, number]) => Number(number) < major);
}
