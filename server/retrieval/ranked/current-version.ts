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
 * Demotes files in the folder of another version than the one that their package's entry point leads to: zod ships `src/v3`
 * and `src/v4`. If the question names a version, the scores stay.
 */
export async function preferCurrentVersion(
  candidates: readonly Candidate[],
  { text, texts, signal }: { text: string; texts: TextStore; signal: AbortSignal | undefined },
): Promise<Candidate[]> {
  const pathOf = ({ index, scored }: Candidate) => index.files[scored.file]?.path ?? "";
  if (!candidates.some((candidate) => versionFolder.test(pathOf(candidate))) || /\bv\d+\b/i.test(text)) {
    return [...candidates];
  }
  const packages = new Map<Snapshot, ReadonlySet<string>>();
  const current = new Map<string, string | undefined>();
  const weighed: Candidate[] = [];
  for (const candidate of candidates) {
    const { snapshot, scored } = candidate;
    const path = pathOf(candidate);
    const own = versionFolder.exec(path);
    const folders = own === null ? undefined : (packages.get(snapshot) ?? packageFolders(snapshot));
    if (own === null || folders === undefined) {
      weighed.push(candidate);
      continue;
    }
    packages.set(snapshot, folders);
    const folder = foldersAround(path.slice(0, own.index)).find((around) => folders.has(around)) ?? "";
    const key = `${snapshot.resource}\n${folder}`;
    if (!current.has(key)) current.set(key, await findCurrent(snapshot, { folder, texts, signal }));
    const wanted = current.get(key);
    const isOther = wanted !== undefined && wanted !== own[1];
    weighed.push(
      isOther ? { ...candidate, scored: { ...scored, score: otherVersionFactor * scored.score } } : candidate,
    );
  }
  return weighed.sort((a, b) => b.scored.score - a.scored.score);
}

/** The folders with a manifest; each ends with a slash, but for the root. */
function packageFolders({ files }: Snapshot): ReadonlySet<string> {
  return new Set(
    files.flatMap(({ path }) => /^(.*\/)?package\.json$/.exec(path)?.[1] ?? (path === manifestName ? "" : [])),
  );
}

const manifestName = "package.json";

/** The innermost first, the root last. */
function foldersAround(path: string): string[] {
  const segments = path.split("/").filter((segment) => segment !== "");
  return segments.map((_, index) => `${segments.slice(0, segments.length - index).join("/")}/`).concat("");
}

const Manifest = z.looseObject({
  module: z.string().optional().catch(undefined),
  main: z.string().optional().catch(undefined),
  types: z.string().optional().catch(undefined),
});

/** The version in the path of the package's entry point, or in what that file re-exports. */
async function findCurrent(
  snapshot: Snapshot,
  { folder, texts, signal }: { folder: string; texts: TextStore; signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const read = async (path: string) => (await texts.read(snapshot, `${folder}${path}`, { signal })).text ?? "";
  const manifest = Manifest.safeParse(parseJson(await read(manifestName))).data ?? {};
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
