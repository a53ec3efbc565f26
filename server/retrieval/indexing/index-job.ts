import * as z from "zod";
import type { WalkedFile } from "../../resources/walk.ts";
import type { IndexPlan } from "./index-plan.ts";

/**
 * Messages to the indexing process: files of a job, the job, its cancellation; or that all jobs rest, until `resume`.
 */
export type IndexRequest =
  | JobFiles
  | IndexJob
  | { type: "cancel"; job: number }
  | { type: "pause" }
  | { type: "resume" };

/** Some of the files, in their order. */
export interface JobFiles {
  type: "files";
  job: number;
  files: readonly WalkedFile[];
}

export interface IndexJob {
  type: "index";
  job: number;
  /** The folder of the indexes. */
  directory: string;
  /** The folder of the tree, a real path. */
  root: string;
  /** The segments of the plan so far. */
  segments: readonly string[];
  /** See `IndexFilesOptions`. */
  known: readonly string[];
}

/** Its message after each segment and at the end: what was added to the plan since. */
export const IndexedPart = z.object({
  job: z.number(),
  segments: z.array(z.string()),
  /** Of each file its number in the job, one more than that of its segment (0 where it has none), its number there. */
  places: z.instanceof(Uint32Array),
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
  isLast: z.boolean(),
});
export type IndexedPart = z.infer<typeof IndexedPart>;

interface Named {
  path: string;
}

/** Takes what is new in the plan of a job each time. Its files come into the plan each once. */
export function createPartTaker(
  job: number,
  files: readonly Named[],
  plan: IndexPlan,
): (isLast: boolean) => IndexedPart {
  const numbers = new Map(files.map(({ path }, number) => [path, number]));
  const told = { segments: plan.segments.length, places: plan.places.size, skipped: plan.skipped.length };
  return (isLast) => {
    const places: number[] = [];
    let at = 0;
    for (const [path, place] of plan.places) {
      if (at++ < told.places) continue;
      places.push(numbers.get(path) ?? 0, place === undefined ? 0 : place.segment + 1, place?.file ?? 0);
    }
    const segments = plan.segments.slice(told.segments);
    const skipped = plan.skipped.slice(told.skipped);
    told.segments += segments.length;
    told.places = at;
    told.skipped += skipped.length;
    return { job, segments, places: Uint32Array.from(places), skipped, isLast };
  };
}

export function addPart(plan: IndexPlan, files: readonly Named[], { segments, places, skipped }: IndexedPart): void {
  plan.segments.push(...segments);
  plan.skipped.push(...skipped);
  for (let at = 0; at < places.length; at += 3) {
    const [number = 0, segment = 0, file = 0] = places.subarray(at, at + 3);
    plan.places.set(files[number]?.path ?? "", segment === 0 ? undefined : { segment: segment - 1, file });
  }
}
