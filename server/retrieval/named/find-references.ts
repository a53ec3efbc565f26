import { describeShown } from "../../protocol/search.ts";
import { type Definition, definitionsAround, type Scope } from "../../source/definitions.ts";
import { callTest } from "../../source/calls.ts";
import { importTest } from "../../source/grammars.ts";
import { definitionsIn } from "../scopes.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { classOf, kindOf } from "../file-class.ts";
import type { GrepHit, NamedOptions, ReferencesResult, Retrieval } from "../retrieval.ts";
import { hitsIn } from "../exact/hits.ts";
import type { TextStore } from "../text-store.ts";
import { kindOrder, parseName } from "./name.ts";

/** The most lines that are sorted; a notice says if there are more. */
const sortedLimit = 1000;
const contextLines = 1;
const uses = ["calls", "uses", "imports"] as const;
type Use = (typeof uses)[number];

/**
 * The lines that use a name, by the definition around them: calls first, then other uses, then imports, each from near
 * the definition to far from it; tests and documents last, and those written with the owner of the name before all
 * others of their kind. A search by text: another thing of the same name counts as well.
 */
export async function findReferences(
  snapshots: readonly Snapshot[],
  { name: written, glob, kinds, offset = 0, limit, signal }: NamedOptions,
  { grep, texts }: { grep: Retrieval["grep"]; texts: TextStore },
): Promise<ReferencesResult> {
  const { name, owner } = parseName(written);
  const query = { pattern: name, isRegex: false, ignoreCase: false, wholeWord: true };
  const found = await grep(snapshots, { ...query, glob, kinds, limit: sortedLimit, contextLines, signal });
  const references: ReferencesResult["references"] = [];
  const defining: string[] = [];
  for (const file of found.files) {
    const { resource, path } = file;
    const definitions = await definitionsIn(file, { snapshots, texts, signal });
    const revision = snapshots.find((candidate) => candidate.resource === resource)?.revision ?? "";
    const kind = kindOf(classOf(path));
    const useOf = createUseTest(path, { name, definitions });
    if (definitions.some((one) => parseName(one.name).name === name)) defining.push(path);
    for (const hit of hitsIn(file, contextLines)) {
      for (const part of splitByDefinition(hit, { useOf, definitions })) {
        references.push({ ...part, revision, kind: isInlineTest(path, part.scope) ? "test" : kind });
      }
    }
  }
  const ordered = references
    .map((reference) => ({
      reference,
      isOfOwner: owner !== undefined && saysOwner(reference, { owner, name }),
      nearness: nearnessOf(reference, defining),
    }))
    .toSorted(
      (a, b) =>
        kindOrder(a.reference.kind) - kindOrder(b.reference.kind) ||
        Number(b.isOfOwner) - Number(a.isOfOwner) ||
        uses.indexOf(a.reference.use) - uses.indexOf(b.reference.use) ||
        b.nearness - a.nearness,
    )
    .map(({ reference }) => reference);
  // As in an exact search, `offset` and `limit` count matching lines, and neighbouring ones stay together.
  const shown: ReferencesResult["references"] = [];
  let total = 0;
  let shownLines = 0;
  for (const reference of ordered) {
    const count = reference.matchLines.length;
    if (total >= offset && total < offset + limit) {
      shown.push(reference);
      shownLines += count;
    }
    total += count;
  }
  const cut = shownLines < total - offset ? [describeShown(shownLines, `${total} places`)] : [];
  return { ...found, references: shown, cut: [...found.cut, ...cut], total };
}

/** Whether a definition is in the module of tests at the end of a Rust file. */
function isInlineTest(path: string, scope: readonly Scope[]): boolean {
  return path.endsWith(".rs") && scope.some(({ name }) => /^tests?$/.test(name));
}

/** Whether a matching line has `owner.name`, `owner::name` or `owner->name`. */
function saysOwner({ lines, startLine, matchLines }: Part, { owner, name }: { owner: string; name: string }): boolean {
  return matchLines.some((line) => {
    const text = lines[line - startLine] ?? "";
    return [".", "::", "->"].some((sign) => text.includes(`${owner}${sign}${name}`));
  });
}

/** The number of folders that a use shares with a file that defines the name. The uses in a type's own file come last. */
function nearnessOf({ path, use }: { path: string; use: Use }, defining: readonly string[]): number {
  if (use === "uses" && defining.includes(path)) return -1;
  const folders = path.split("/").slice(0, -1);
  const shared = defining.map((other) => {
    const others = other.split("/");
    const end = folders.findIndex((folder, index) => folder !== others[index]);
    return end === -1 ? folders.length : end;
  });
  return Math.max(0, ...shared);
}

type Part = GrepHit & { use: Use; scope: Scope[] };

/** The uses of a hit by the definition around them, imports apart: the lines of neighbouring definitions are one hit. */
function splitByDefinition(
  hit: GrepHit,
  {
    useOf,
    definitions,
  }: { useOf: (line: number, text: string) => Use | undefined; definitions: readonly Definition[] },
): Part[] {
  const parts: (Pick<Part, "use" | "scope" | "matchLines"> & { inner: Definition | undefined })[] = [];
  for (const line of hit.matchLines) {
    const use = useOf(line, hit.lines[line - hit.startLine] ?? "");
    if (use === undefined) continue;
    // The line that begins a definition belongs to it, although no scope names what the line itself shows.
    const inner = definitions.findLast((one) => one.startLine <= line && one.endLine >= line);
    const last = parts.at(-1);
    if (last !== undefined && last.inner === inner && (last.use === "imports") === (use === "imports")) {
      last.matchLines.push(line);
      if (use === "calls") last.use = use;
    } else {
      const scope = definitionsAround({ startLine: line, endLine: line }, definitions);
      parts.push({ use, scope, inner, matchLines: [line] });
    }
  }
  const context = parts.length === 1 ? contextLines : 0;
  return parts.map(({ use, scope, matchLines }) => {
    // What is imported beside it says nothing about the name.
    const around = use === "imports" ? 0 : context;
    const startLine = Math.max(hit.startLine, Math.min(...matchLines) - around);
    const endLine = Math.min(hit.endLine, Math.max(...matchLines) + around);
    const lines = hit.lines.slice(startLine - hit.startLine, endLine - hit.startLine + 1);
    return { ...hit, use, scope, matchLines, startLine, endLine, lines };
  });
}

/** Creates a function that says how a line uses the name: undefined where it defines it, or is the comment above. */
function createUseTest(
  path: string,
  { name, definitions }: { name: string; definitions: readonly Definition[] },
): (line: number, text: string) => Use | undefined {
  const own = definitions.filter((one) => parseName(one.name).name === name);
  const isImport = importTest(path);
  const isCall = callTest(path, name);
  const isNamed = nameTest(path, name);
  return (line, text) => {
    if (!isNamed(text) || own.some((one) => line >= one.startLine && line <= one.line)) return undefined;
    if (isImport(text)) return "imports";
    return isCall(text) ? "calls" : "uses";
  };
}

/** `empty` is not a part of `empty?` or `empty!`, which are names of their own in Ruby and Elixir. */
function nameTest(path: string, name: string): (text: string) => boolean {
  if (!/\.(?:rb|rake|gemspec|exs?)$/.test(path) || !/^\w+$/.test(name)) return () => true;
  const own = new RegExp(`(?<!\\w)${name}(?!\\w|[?!](?!=))`);
  return (text) => own.test(text);
}
