import { definitionsAround } from "../../source/definitions.ts";
import { quotedLines } from "../../source/quoted-lines.ts";
import { splitLines } from "../../source/source-text.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { kindOf } from "../file-class.ts";
import { filterFiles, nearestFiles } from "../glob.ts";
import { joinedName } from "../index/segment-symbols.ts";
import type { Indexes } from "../indexing/indexes.ts";
import type { DefinitionsResult, NamedOptions, RankedPassage } from "../retrieval.ts";
import { clipLine } from "../shown-lines.ts";
import type { TextStore } from "../text-store.ts";
import { createGroups } from "./alike.ts";
import { kindOrder, parseName } from "./name.ts";

/** The number of lines that are shown of a longer body. */
const bodyLines = 200;
/** How many more definitions are read to detect repetitions of those that are shown. */
const alikeRead = 100;
/** How long to wait for an index that is being made. */
const patienceMs = 10_000;

interface Place {
  snapshot: Snapshot;
  path: string;
  kind: RankedPassage["kind"];
  startLine: number;
  height: number;
  isExact: boolean;
}

/**
 * All definitions of a name, whole: source before tests, the longest body first, because a declaration has a line. If
 * none matches in upper and lower case, those that differ in it are found. For `Retry.next`, those of `next` in a
 * `Retry` are found.
 */
export async function findNamed(
  snapshots: readonly Snapshot[],
  {
    name: written,
    glob,
    kinds,
    offset = 0,
    limit,
    signal,
    indexes,
    texts,
    waitsForIndex = true,
  }: NamedOptions & Resources & { waitsForIndex?: boolean },
): Promise<DefinitionsResult> {
  const { name, owner } = parseName(written);
  const places: Place[] = [];
  let searchedFiles = 0;
  let pendingFiles = 0;
  for (const snapshot of snapshots) {
    const files = filterFiles(snapshot.files, { glob, kinds });
    const accepted = files === snapshot.files ? undefined : new Set(files.map(({ path }) => path));
    const indexed = waitsForIndex ? await indexes.of(snapshot, { patienceMs, signal }) : await indexes.now(snapshot);
    if (indexed === undefined) continue;
    const { index, pending } = indexed;
    searchedFiles += files.length;
    pendingFiles += pending.size;
    for (const { segment, used } of index.segments) {
      for (const { name: own, file, startLine, endLine } of segment.symbols.named(joinedName(name))) {
        for (const number of used.get(file) ?? []) {
          const { path, fileClass, twinOf } = index.files[number] ?? {};
          if (path === undefined || fileClass === undefined || twinOf !== undefined) continue;
          if (accepted?.has(path) === false) continue;
          const height = Math.min(bodyLines, endLine - startLine);
          places.push({ snapshot, path, kind: kindOf(fileClass), startLine, height, isExact: isNamed(own, name) });
        }
      }
    }
  }
  const exact = places.filter(({ isExact }) => isExact);
  const ordered = (exact.length > 0 ? exact : places).toSorted(
    (a, b) => kindOrder(a.kind) - kindOrder(b.kind) || b.height - a.height || (a.path < b.path ? -1 : 1),
  );
  const groups = createGroups({ wantsTests: kinds?.includes("test") === true });
  for (const place of ordered.slice(0, offset + limit + alikeRead)) {
    const passage = await readPassage(place, { owner, texts, signal });
    if (passage !== undefined) groups.add(passage);
    // Overloads are short, so they are listed after the definitions that are shown.
    if (groups.count() > offset + limit) break;
  }
  const passages = groups
    .all()
    .slice(0, offset + limit)
    .map((passage, rank) => ({ ...passage, score: 1 / (1 + rank) }));
  const isCut = groups.count() > offset + limit;
  const shown = passages.length - offset;
  return {
    passages: passages.slice(offset),
    cut: isCut ? [`${shown === 1 ? "1 definition is" : `${shown} definitions are`} shown, and there are more`] : [],
    skipped: [],
    searchedFiles,
    pendingFiles,
    nearest: passages.length > 0 ? [] : nearestFiles(snapshots, [name]),
  };
}

interface Resources {
  indexes: Indexes;
  texts: TextStore;
}

/** `next` and `Retry.next`: some languages define a member with its owner. */
function isNamed(own: string, name: string): boolean {
  return own === name || own.endsWith(`.${name}`) || own.endsWith(`:${name}`);
}

/** Undefined where the file has changed, or the definition is in another owner, a comment or a string. */
async function readPassage(
  { snapshot, path, kind, startLine }: Place,
  { owner, texts, signal }: { owner: string | undefined; texts: TextStore; signal: AbortSignal | undefined },
): Promise<Omit<RankedPassage, "score"> | undefined> {
  const read = await texts.read(snapshot, path, { signal });
  signal?.throwIfAborted();
  if (read.fault !== undefined) return undefined;
  const definitions = read.definitions();
  const found = definitions.find((definition) => definition.startLine === startLine);
  if (found === undefined) return undefined;
  const scope = definitionsAround(found, definitions);
  // A module is its file or folder: `Image.open` of Python, `binding.JSON` of Go.
  const isOfModule = owner !== undefined && path.split(/[/.]/).slice(-3).includes(owner);
  const isOfOwner =
    owner === undefined || isOfModule || found.name.includes(owner) || scope.some(({ name }) => name === owner);
  const lines = splitLines(read.text);
  if (!isOfOwner && !(lines[found.line - 1] ?? "").includes(owner)) return undefined;
  if (kind !== "docs" && quotedLines(lines).has(found.line)) return undefined;
  const endLine = Math.min(found.endLine, startLine + bodyLines - 1);
  const { resource, revision } = snapshot;
  const shown = lines.slice(startLine - 1, endLine).map((line) => clipLine(line, () => 0));
  const continuesTo = endLine < found.endLine ? found.endLine : undefined;
  const more = continuesTo === undefined ? "" : `, to line ${continuesTo}`;
  const reason = `defines \`${found.name}\`${more}`;
  return {
    resource,
    revision,
    path,
    startLine,
    endLine,
    lines: shown,
    kind,
    reason,
    scope,
    lookedUp: undefined,
    continuesTo,
  };
}
