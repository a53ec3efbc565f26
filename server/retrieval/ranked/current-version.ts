import * as z from "zod";
import { parseJson } from "../../lib/parse-json.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import type { TextStore } from "../text-store.ts";
import type { Candidate } from "./phrases.ts";

/** The factor on the score of a file in the folder of another version. */
const otherVersionFactor = 0.5;
/** `src/v3/types.ts`: a package that keeps an old major version beside its current one. */
const versionFolder = /(?:^|\/)v(\d{1,3})\//;
/** An entry may only re-export another one. */
const entriesFollowed = 2;

/**
 * Demotes files in the folder of another version than the one that the package's entry point leads to: zod ships `src/v3`
 * and `src/v4`. If the question names a version, the scores stay.
 */
export async function preferCurrentVersion(
  candidates: readonly Candidate[],
  { text, texts, signal }: { text: string; texts: TextStore; signal: AbortSignal | undefined },
): Promise<Candidate[]> {
  const versionOf = ({ index, scored }: Candidate) => versionFolder.exec(index.files[scored.file]?.path ?? "")?.[1];
  const versioned = candidates.filter((candidate) => versionOf(candidate) !== undefined);
  if (versioned.length === 0 || /\bv\d+\b/i.test(text)) return [...candidates];
  const current = new Map<Snapshot, string | undefined>();
  for (const { snapshot } of versioned) {
    if (!current.has(snapshot)) current.set(snapshot, await findCurrent(snapshot, { texts, signal }));
  }
  const weighed = candidates.map((candidate) => {
    const [own, wanted] = [versionOf(candidate), current.get(candidate.snapshot)];
    if (own === undefined || wanted === undefined || own === wanted) return candidate;
    return { ...candidate, scored: { ...candidate.scored, score: otherVersionFactor * candidate.scored.score } };
  });
  return weighed.sort((a, b) => b.scored.score - a.scored.score);
}

const Manifest = z.looseObject({
  module: z.string().optional().catch(undefined),
  main: z.string().optional().catch(undefined),
  types: z.string().optional().catch(undefined),
});

/** The version in the path of the package's entry point, or in what that file re-exports. */
async function findCurrent(
  snapshot: Snapshot,
  { texts, signal }: { texts: TextStore; signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const read = async (path: string) => (await texts.read(snapshot, path, { signal })).text ?? "";
  const manifest = Manifest.safeParse(parseJson(await read("package.json"))).data ?? {};
  const { module, main = "index.js", types } = manifest;
  let paths = [module, main, types].flatMap((path) => path?.replace(/^\.\//, "") ?? []);
  for (let followed = 0; followed < entriesFollowed; followed++) {
    const named = paths.map((path) => versionFolder.exec(path)?.[1]).find((version) => version !== undefined);
    if (named !== undefined) return named;
    const texts = await Promise.all(paths.map(read));
    paths = texts.flatMap((text) => [...text.matchAll(reExport)].flatMap(([, path]) => path ?? []));
  }
  return undefined;
}

const reExport = /(?:\bfrom|\brequire\(|\bimport)\s*["']\.\/([^"'\n]+)["']/g;
