import { type Definition, definitionsAround } from "../../source/definitions.ts";
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

/**
 * The lines that use a name, those of one definition together: calls first, then other uses, then imports; tests and
 * documents last. A search by text: another thing of the same name counts as well.
 */
export async function findReferences(
  snapshots: readonly Snapshot[],
  { name: written, glob, kinds, offset = 0, limit, signal }: NamedOptions,
  { grep, texts }: { grep: Retrieval["grep"]; texts: TextStore },
): Promise<ReferencesResult> {
  const { name } = parseName(written);
  const query = { pattern: name, isRegex: false, ignoreCase: false, wholeWord: true };
  const found = await grep(snapshots, { ...query, glob, kinds, limit: sortedLimit, contextLines, signal });
  const references: ReferencesResult["references"] = [];
  for (const file of found.files) {
    const { resource, path } = file;
    const definitions = await definitionsIn(file, { snapshots, texts, signal });
    const revision = snapshots.find((candidate) => candidate.resource === resource)?.revision ?? "";
    const kind = kindOf(classOf(path));
    for (const hit of hitsIn(file, contextLines)) {
      const use = useIn(hit, { name, path, definitions });
      if (use === undefined) continue;
      const [at = hit.startLine] = hit.matchLines;
      const scope = definitionsAround({ startLine: at, endLine: at }, definitions);
      references.push({ ...hit, revision, kind, use, scope });
    }
  }
  const ordered = references.toSorted(
    (a, b) => kindOrder(a.kind) - kindOrder(b.kind) || uses.indexOf(a.use) - uses.indexOf(b.use),
  );
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
  const cut = shownLines < total - offset ? [`${shownLines} of ${total} places are shown`] : [];
  return { ...found, references: shown, cut: [...found.cut, ...cut], total };
}

/** Undefined where the hit only defines the name, or is the comment above. */
function useIn(
  { startLine, lines, matchLines }: GrepHit,
  { name, path, definitions }: { name: string; path: string; definitions: readonly Definition[] },
): (typeof uses)[number] | undefined {
  const own = definitions.filter((one) => one.name === name);
  const isDefining = (at: number) => own.some((one) => at >= one.startLine && at <= one.line);
  const used = matchLines.filter((at) => !isDefining(at)).map((at) => lines[at - startLine] ?? "");
  if (used.length === 0) return undefined;
  const isImport = importTest(path);
  if (used.every((line) => isImport(line))) return "imports";
  return used.some((line) => !isImport(line) && line.includes(`${name}(`)) ? "calls" : "uses";
}
