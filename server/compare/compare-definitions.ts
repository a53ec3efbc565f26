import { setImmediate as nextTurn } from "node:timers/promises";
import type { DefinitionChange } from "../protocol/compare.ts";
import { findTwins, moduleStem } from "../retrieval/index/twins.ts";
import type { FileClass } from "../retrieval/file-class.ts";
import { isOlder } from "../upgrade/read-version.ts";
import type { ComparedFile } from "./compare-files.ts";
import { type ReadDefinition, readDefinitions } from "./read-definitions.ts";

/** A definition that is not the same in both versions. */
export interface ComparedDefinition {
  name: string;
  change: DefinitionChange;
  isPublic: boolean;
  before: ReadDefinition | undefined;
  after: ReadDefinition | undefined;
}

/** The definitions of one name in one file. */
interface Group {
  name: string;
  path: string;
  definitions: readonly ReadDefinition[];
  signature: string;
  body: string;
}

const passedOver = new Set<FileClass>([
  "test",
  "example",
  "vendored",
  "generated",
  "docs",
  "changelog",
  "locale",
  "data",
  "template",
  "outdated",
]);
/** A bundle has at least this many definitions, and nearly all of them are also in other files. */
const bundleLeast = 10;
const bundleShare = 0.9;

/**
 * Compares the definitions of files that differ, public ones first. What is built of the same module, such as `a.cjs`
 * and `a.d.ts` of `a.js`, counts once; bundles and what a version keeps of an older one do not.
 */
export async function compareDefinitions(
  files: readonly ComparedFile[],
  {
    before: old,
    after: now,
    version,
    signal,
  }: {
    /** All paths of each version. */
    before: readonly string[];
    after: readonly string[];
    version: string;
    signal: AbortSignal;
  },
): Promise<ComparedDefinition[]> {
  const [oldTwins, nowTwins] = [builtTwins(old), builtTwins(now)];
  const olds: Group[] = [];
  const nows: Group[] = [];
  for (const [index, { path, from = path, before, after, fileClass }] of files.entries()) {
    if (passedOver.has(fileClass)) continue;
    if (before !== undefined && !oldTwins.has(from)) olds.push(...groupsOf(from, before.lines));
    if (after !== undefined && !nowTwins.has(path) && !isOlder(path, version))
      nows.push(...groupsOf(path, after.lines));
    if (index % 20 === 0) await nextTurn(undefined, { signal });
  }
  const renamed = new Map(files.flatMap(({ path, from }) => (from === undefined ? [] : [[from, path] as const])));
  const [before, after] = [withoutBundles(olds), withoutBundles(nows)];
  const pairs = pair(before, after, renamed);
  const found = pairs.flatMap(({ old, now }): ComparedDefinition[] => {
    const change = changeOf(old, now, renamed);
    const shown = now ?? old;
    if (change === undefined || shown === undefined) return [];
    const { from, to } = firstDifference(old, now);
    const isPublic = [...(old?.definitions ?? []), ...(now?.definitions ?? [])].some((one) => one.isPublic);
    return [{ name: shown.name, change, isPublic, before: from, after: to }];
  });
  return withoutMembers(oncePerModule(found)).toSorted(
    (a, b) => Number(b.isPublic) - Number(a.isPublic) || compareText(placeOf(a), placeOf(b)) || lineOf(a) - lineOf(b),
  );
}

/** What is built of another file. Declarations beside scripts say what these do not. */
function builtTwins(paths: readonly string[]): Set<string> {
  const twins = [...findTwins(paths)].filter(([twin, original]) => !isTypes(twin) || /\.[cm]?tsx?$/.test(original));
  return new Set(twins.map(([twin]) => twin));
}

function groupsOf(path: string, lines: readonly string[]): Group[] {
  return Array.from(readDefinitions(path, lines), ([name, definitions]) => ({
    name,
    path,
    definitions,
    signature: join(definitions.map((one) => one.signature)),
    body: join(definitions.map((one) => one.body)),
  }));
}

function join(texts: readonly string[]): string {
  return texts.toSorted().join("\n");
}

function withoutBundles(groups: readonly Group[]): Group[] {
  const byPath = new Map<string, Group[]>();
  const paths = new Map<string, Set<string>>();
  for (const group of groups) {
    const own = byPath.get(group.path);
    if (own === undefined) byPath.set(group.path, [group]);
    else own.push(group);
    const named = paths.get(group.name);
    const stem = moduleStem(group.path) ?? group.path;
    if (named === undefined) paths.set(group.name, new Set([stem]));
    else named.add(stem);
  }
  return [...byPath].flatMap(([path, own]) => {
    const stem = moduleStem(path);
    const elsewhere = own.filter(({ name }) => [...(paths.get(name) ?? [])].some((other) => other !== stem));
    const isBundle = stem !== undefined && own.length >= bundleLeast && elsewhere.length >= own.length * bundleShare;
    return isBundle ? [] : own;
  });
}

interface Pair {
  old: Group | undefined;
  now: Group | undefined;
}

/** First in the same file, then in any: what a name means elsewhere is the same with the same text, or in one place only. */
function pair(before: readonly Group[], after: readonly Group[], renamed: ReadonlyMap<string, string>): Pair[] {
  const keyOf = (path: string, name: string) => `${path}\n${name}`;
  const open = new Map(after.map((group) => [keyOf(group.path, group.name), group]));
  const pairs: Pair[] = [];
  const left: Group[] = [];
  for (const old of before) {
    const key = keyOf(renamed.get(old.path) ?? old.path, old.name);
    const now = open.get(key);
    if (now === undefined) left.push(old);
    else pairs.push({ old, now });
    open.delete(key);
  }
  const byName = new Map<string, Group[]>();
  for (const group of open.values()) {
    const same = byName.get(group.name);
    if (same === undefined) byName.set(group.name, [group]);
    else same.push(group);
  }
  // Of a script and its types, the types are compared with what may be TypeScript.
  for (const old of left.toSorted((a, b) => Number(isTypes(b.path)) - Number(isTypes(a.path)))) {
    const candidates = byName.get(old.name) ?? [];
    const now =
      candidates.find((one) => one.body === old.body && one.signature === old.signature) ??
      candidates.find((one) => one.signature === old.signature) ??
      candidates[0];
    pairs.push({ old, now });
    if (now !== undefined) candidates.splice(candidates.indexOf(now), 1);
  }
  return [...pairs, ...[...byName.values()].flat().map((now) => ({ old: undefined, now }))];
}

function isTypes(path: string): boolean {
  return /\.d\.[cm]?ts$/.test(path);
}

function changeOf(
  old: Group | undefined,
  now: Group | undefined,
  renamed: ReadonlyMap<string, string>,
): DefinitionChange | undefined {
  if (old === undefined) return "added";
  if (now === undefined) return "removed";
  // A list of exports says no more than the name.
  if (old.signature === "" || now.signature === "") return undefined;
  if (old.signature !== now.signature) return "signature";
  if (old.body !== now.body) return "body";
  return (renamed.get(old.path) ?? old.path) === now.path ? undefined : "moved";
}

/** Of overloads, the first ones that differ. */
function firstDifference(
  old: Group | undefined,
  now: Group | undefined,
): { from: ReadDefinition | undefined; to: ReadDefinition | undefined } {
  const [olds, nows] = [old?.definitions ?? [], now?.definitions ?? []];
  const isIn = (one: ReadDefinition, others: readonly ReadDefinition[]) =>
    others.some((other) => other.signature === one.signature && other.body === one.body);
  return {
    from: olds.find((one) => !isIn(one, nows)) ?? olds[0],
    to: nows.find((one) => !isIn(one, olds)) ?? nows[0],
  };
}

const order: readonly DefinitionChange[] = ["signature", "removed", "added", "body", "moved"];

/**
 * One change for a name of a module, whichever of its files have it: a type's file says of signatures what scripts do not.
 * What is built into two folders and goes from one has not gone.
 */
function oncePerModule(found: readonly ComparedDefinition[]): ComparedDefinition[] {
  const modules = new Map<string, ComparedDefinition[]>();
  for (const one of found) {
    const path = placeOf(one);
    const key = `${moduleStem(path) ?? path}\n${one.name}`;
    const same = modules.get(key);
    if (same === undefined) modules.set(key, [one]);
    else same.push(one);
  }
  return [...modules.values()].flatMap((same) => {
    const changes = order.filter((change) => same.some((one) => one.change === change));
    const isReplaced = changes.includes("removed") && changes.includes("added");
    const change = isReplaced ? changes.find((one) => one === "signature" || one === "body") : changes[0];
    const chosen = same.filter((one) => one.change === change).toSorted((a, b) => rank(a) - rank(b))[0];
    return chosen === undefined ? [] : [{ ...chosen, isPublic: same.some((one) => one.isPublic) }];
  });
}

/** Of a class that has come or gone, its members go without saying; and of a definition, the list that exports it. */
function withoutMembers(found: readonly ComparedDefinition[]): ComparedDefinition[] {
  const whole = new Set(found.map((one) => `${one.change} ${placeOf(one)} ${one.name}`));
  const defined = new Set(found.filter((one) => !isListed(one)).map((one) => `${one.change} ${one.name}`));
  return found.filter((one) => {
    if (isListed(one) && defined.has(`${one.change} ${one.name}`)) return false;
    if (one.change !== "removed" && one.change !== "added") return true;
    const parts = one.name.split(".");
    return parts.every((_, index) => {
      const outer = parts.slice(0, index).join(".");
      return index === 0 || !whole.has(`${one.change} ${placeOf(one)} ${outer}`);
    });
  });
}

function isListed({ before, after }: ComparedDefinition): boolean {
  return (after ?? before)?.signature === "";
}

function rank(one: ComparedDefinition): number {
  const isDeclaration = isTypes(placeOf(one));
  const isBuilt = /\.[cm]js$/.test(placeOf(one));
  return Number(isDeclaration) * 2 + Number(isBuilt);
}

function placeOf({ before, after }: ComparedDefinition): string {
  return after?.path ?? before?.path ?? "";
}

function lineOf({ before, after }: ComparedDefinition): number {
  return after?.line ?? before?.line ?? 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
