import * as z from "zod";
import { formatPlace, LineRange } from "./citation.ts";
import { showInvisibleInLine } from "./invisible.ts";
import { formatMarker } from "./passage.ts";

/** Lines of a file with the first of them, in reports of two versions. */
export const CitedPlace = z
  .object({
    resource: z.string().describe("What opens it: `npm:zod@3.22.4`, a configured name."),
    commit: z.string().optional().describe("The commit, where it is not the resource's own revision."),
    path: z.string(),
    ...LineRange.shape,
    text: z.string().describe("Its first line; secrets are masked."),
  })
  .meta({ id: "CitedPlace" });
export type CitedPlace = z.infer<typeof CitedPlace>;

/** `` `text` [[npm:zod@3.22.4:src/types.ts#L10-L12]] ``: what `citewell verify` checks. */
export function citedPlaceMarkdown(place: CitedPlace): string {
  return `\`${inlineCode(place.text.trim())}\` ${markerOf(place)}`;
}

/** A text within backticks. */
export function inlineCode(text: string): string {
  return showInvisibleInLine(text).replaceAll("`", "'");
}

export function markerOf({ commit, ...place }: CitedPlace): string {
  return formatMarker({ ...place, ...(commit === undefined ? {} : { commit: { id: commit.slice(0, idLength) } }) });
}

/** How many digits of a commit's id are shown. */
const idLength = 10;

/** `npm:zod@3.22.4:src/types.ts:10-12`. */
export function formatCitedPlace({ resource, commit, ...place }: CitedPlace): string {
  const named = commit === undefined ? resource : `${resource}@${commit.slice(0, idLength)}`;
  return `${named}:${formatPlace(place.path, place)}`;
}
