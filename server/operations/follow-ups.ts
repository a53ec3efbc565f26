import type { FollowUps, FollowUpsRequest } from "../protocol/follow-ups.ts";
import type { LineRange } from "../protocol/citation.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { kindOfPath, type Retrieval } from "../retrieval/retrieval.ts";
import { type Definition, findDefinitions } from "../source/definitions.ts";
import type { Call, Context } from "./context.ts";
import { openOnDisk, type OnDiskContext } from "./on-disk.ts";
import { knownTo } from "./known-resources.ts";

/** How many questions are suggested, and how many names are looked up for them. */
const questionLimit = 3;
const namesLookedUp = 6;
const callsLookedUp = 8;
/** A name with more definitions could mean any of them. */
const mostDefinitions = 3;
/** The places of a name that are looked at. */
const placesRead = 60;

/**
 * Questions that the cited definitions lead to: who calls one, where it is tested, and how something that it calls works.
 * Each is suggested only if the resources have an answer to it.
 */
export async function followUps(
  { citations, asked }: FollowUpsRequest,
  { node: { retrieval }, tenant }: Context,
  { signal }: Call,
): Promise<FollowUps> {
  const { places, resources, patience } = tenant;
  const context = { known: await knownTo(tenant), places, resources, patience };
  const names = [...new Set(citations.map(({ resource }) => resource))];
  const snapshots = await openAll(names, context, { signal });
  try {
    const cited = await definitionsIn(citations, snapshots, { signal });
    const suggested: string[] = [];
    const isNew = (question: string) => ![...asked, ...suggested].some((one) => isSameQuestion(one, question));
    for await (const question of suggest(cited, { snapshots, retrieval, signal })) {
      if (isNew(question)) suggested.push(question);
      if (suggested.length === questionLimit) break;
    }
    return { questions: suggested };
  } finally {
    await Promise.all(snapshots.map((snapshot) => snapshot[Symbol.asyncDispose]()));
  }
}

/** Those that are on disk: nothing is fetched for a suggestion. */
async function openAll(
  names: readonly string[],
  context: OnDiskContext,
  { signal }: Call,
): Promise<readonly Snapshot[]> {
  const opened = names.map((resource) => openOnDisk({ resource }, context, { signal }).catch(() => undefined));
  const snapshots = (await Promise.all(opened)).filter((snapshot) => snapshot !== undefined);
  if (signal.aborted) await Promise.all(snapshots.map((snapshot) => snapshot[Symbol.asyncDispose]()));
  signal.throwIfAborted();
  return snapshots;
}

/** A definition of the cited code, with its lines. */
interface CitedDefinition extends Pick<Definition, "name"> {
  path: string;
  lines: readonly string[];
}

/** What the cited lines define, else what they are a part of; in the order of the citations, each name once. */
async function definitionsIn(
  citations: FollowUpsRequest["citations"],
  snapshots: readonly Snapshot[],
  { signal }: Call,
): Promise<readonly CitedDefinition[]> {
  const found = new Map<string, CitedDefinition>();
  for (const { resource, path, ...range } of citations) {
    if (found.size >= namesLookedUp || kindOfPath(path) !== "code") continue;
    const snapshot = snapshots.find((candidate) => candidate.resource === resource);
    const file = await snapshot?.read(path, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (file === undefined) continue;
    for (const { name, line, endLine } of definitionsOf(findDefinitions(path, file.lines), range)) {
      if (isTelling(name) && !found.has(name))
        found.set(name, { name, path, lines: file.lines.slice(line - 1, endLine) });
    }
  }
  return [...found.values()].slice(0, namesLookedUp);
}

function definitionsOf(definitions: readonly Definition[], { startLine, endLine }: LineRange): readonly Definition[] {
  const begun = definitions.filter(({ line }) => line >= startLine && line <= endLine);
  if (begun.length > 0) return begun;
  return definitions.filter((one) => one.line <= startLine && one.endLine >= startLine).slice(-1);
}

interface Sources {
  snapshots: readonly Snapshot[];
  retrieval: Retrieval;
  signal: AbortSignal;
}

/** One question of each kind first. */
async function* suggest(cited: readonly CitedDefinition[], sources: Sources): AsyncGenerator<string> {
  const uses: { name: string; isCalled: boolean; isUsed: boolean; isTested: boolean }[] = [];
  for (const { name } of cited) {
    if (!(await isUnique(name, sources))) continue;
    const used = await usesOf(name, sources);
    uses.push(used);
    if (used.isCalled && used.isTested) break;
  }
  const called = uses.find(({ isCalled }) => isCalled);
  if (called !== undefined) yield `Who calls \`${called.name}\`?`;
  const used = uses.find(({ isUsed, isCalled }) => isUsed && !isCalled);
  if (called === undefined && used !== undefined) yield `Where is \`${used.name}\` used?`;
  const tested = uses.find(({ isTested }) => isTested);
  if (tested !== undefined) yield `Where is \`${tested.name}\` tested?`;
  for (const name of calledBy(cited).slice(0, callsLookedUp)) {
    if (await isUnique(name, sources)) yield `How does \`${name}\` work?`;
  }
  if (called !== undefined && used !== undefined) yield `Where is \`${used.name}\` used?`;
}

/** Whether the code defines the name, and in few places. */
async function isUnique(name: string, { snapshots, retrieval, signal }: Sources): Promise<boolean> {
  const limit = mostDefinitions + 1;
  const { passages } = await retrieval.definitions(snapshots, { name, kinds: ["code"], limit, signal });
  return passages.length > 0 && passages.length <= mostDefinitions;
}

async function usesOf(name: string, { snapshots, retrieval, signal }: Sources) {
  const options = { name, kinds: ["code" as const, "test" as const], limit: placesRead, signal };
  const { references } = await retrieval.references(snapshots, options);
  // A function that calls itself is no caller.
  const others = references.filter(({ use, scope }) => use !== "imports" && scope.every((one) => one.name !== name));
  const inCode = others.filter(({ kind }) => kind === "code");
  return {
    name,
    isCalled: inCode.some(({ use }) => use === "calls"),
    isUsed: inCode.length > 0,
    isTested: others.some(({ kind }) => kind === "test"),
  };
}

/**
 * Names that the cited code calls, and that it does not define itself; longer ones say more. A short method of another
 * object may be anybody's: `pattern.test(…)`.
 */
function calledBy(cited: readonly CitedDefinition[]): string[] {
  const own = new Set(cited.map(({ name }) => name));
  const isCompound = (name: string) => /\p{Ll}\p{Lu}|\w_\w/u.test(name);
  const calls = cited.flatMap(({ lines }) => [
    ...lines.join("\n").matchAll(/(?<![\w$])(?:([\w$]*[)\]/]?)\??\.)?([A-Za-z_$][\w$]*)\(/g),
  ]);
  const names = calls
    .filter(([, object, name = ""]) => object === undefined || /^(?:this|self)$/.test(object) || isCompound(name))
    .map(([, , name = ""]) => name);
  return [...new Set(names)]
    .filter((name) => isTelling(name) && !own.has(name))
    .toSorted((a, b) => Number(isCompound(b)) - Number(isCompound(a)));
}

/** Not a heading, an operator or a name such as `__init__`, which every class has. */
function isTelling(name: string): boolean {
  return /^[\p{L}_$][\w$]{2,}$/u.test(name) && !/^(?:__\w+__|constructor|main|toString|default)$/.test(name);
}

function isSameQuestion(one: string, other: string): boolean {
  const plain = (question: string) =>
    question
      .toLowerCase()
      .replace(/[^\w$]+/g, " ")
      .trim();
  return plain(one) === plain(other);
}
