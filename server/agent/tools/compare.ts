import * as z from "zod";
import { type CitedPlace, markerOf } from "../../protocol/cited-place.ts";
import {
  type Comparison,
  DefinitionChange,
  type DefinitionDifference,
  definitionWords,
  describeFile,
  FileChange,
  fileWords,
  hunkPlaces,
  moreOf,
  type PlaceDiff,
  summarizeComparison,
} from "../../protocol/compare.ts";
import { defineTool, type ToolContext } from "./define.ts";
import { note } from "./show.ts";

/** Compares the two versions of a question. */
export type FindComparison = (
  asked: { place: string | undefined; limit: number },
  options: { signal: AbortSignal | undefined },
) => Promise<Comparison>;

const inputSchema = z.object({
  place: z.string().optional().describe("A definition or a path whose changed lines are wanted: `res.send`."),
});

/** The length of each list, and the limit in characters: about 2,000 tokens. */
const listed = 12;
const room = 8000;

export function compareTool({ ledger }: Pick<ToolContext, "ledger">, find: FindComparison) {
  return defineTool({
    name: "compare",
    description:
      "Compare the two versions that are open: definitions removed, added and changed, files, sections of the changelog; or the changed lines of one place, and what the changelog says of it. Each under its marker.",
    inputSchema,
    async run({ place }, { signal }) {
      const comparison = await find({ place, limit: listed }, { signal });
      const blocks: string[] = [summarizeComparison(comparison)];
      let length = 0;
      for (const { text, places } of blocksOf(comparison, place)) {
        length += text.length;
        if (length > room) {
          blocks.push(note("the rest is not shown: ask for one place"));
          break;
        }
        blocks.push(text);
        for (const shown of places) ledger.show(shownPlace(shown));
      }
      return { text: blocks.join("\n\n"), data: { comparison }, metadata: { files: comparison.files.length } };
    },
  });
}

/** As the ledger knows it: a snapshot's own commit is its revision. */
function shownPlace({ commit, ...place }: CitedPlace) {
  return commit === undefined ? place : { ...place, revision: commit };
}

interface Block {
  text: string;
  places: readonly CitedPlace[];
}

function* blocksOf(comparison: Comparison, place: string | undefined): Generator<Block> {
  const { diff, mentions = [], sections, sectionCount, definitions, definitionCounts, files, fileCounts } = comparison;
  if (place !== undefined) {
    if (diff === undefined) yield { text: note(`nothing that has changed is called ${place}`), places: [] };
    else yield* diffBlocks(diff);
    if (mentions.length > 0) yield list("changelog", mentions.map(placeLine), mentions, mentions.length);
    if (diff !== undefined || mentions.length > 0) return;
  }
  if (sections.length > 0) yield list("Changelog", sections.map(placeLine), sections, sectionCount);
  for (const change of DefinitionChange.options) {
    const some = definitions.filter((one) => one.change === change);
    if (some.length === 0) continue;
    const lines = some.map(definitionLine);
    yield list(definitionWords[change], lines, some.flatMap(placesOf), definitionCounts[change]);
  }
  for (const change of FileChange.options) {
    const some = files.filter((file) => file.change === change).map((file) => `  ${describeFile(file)}`);
    if (some.length > 0) yield list(`Files ${fileWords[change]}`, some, [], fileCounts[change]);
  }
}

function list(title: string, lines: readonly string[], places: readonly CitedPlace[], total: number): Block {
  const more = moreOf(total, lines.length);
  return { text: [`${title}:`, ...lines, ...(more === undefined ? [] : [`  ${more}`])].join("\n"), places };
}

function placeLine(place: CitedPlace): string {
  return `  ${markerOf(place)} | ${place.text.trim()}`;
}

function placesOf({ before, after }: DefinitionDifference): CitedPlace[] {
  return [before, after].filter((place) => place !== undefined);
}

function definitionLine(definition: DefinitionDifference): string {
  return [`  ${definition.name}`, ...placesOf(definition).map((place) => `  ${placeLine(place)}`)].join("\n");
}

function* diffBlocks(diff: PlaceDiff): Generator<Block> {
  if (diff.hunks.length === 0) yield { text: note(`${diff.place} is the same in both`), places: [] };
  for (const hunk of diff.hunks) {
    const places = hunkPlaces(diff, hunk);
    yield { text: [...places.map(markerOf), ...hunk.lines].join("\n"), places };
  }
}
