import { type CitedPlace, citedPlaceMarkdown, inlineCode, markerOf } from "../../protocol/cited-place.ts";
import {
  type Comparison,
  DefinitionChange,
  definitionWords,
  fencedDiff,
  hunkPlaces,
  moreOf,
  type PlaceDiff,
  summarizeComparison,
} from "../../protocol/compare.ts";
import { comparisonAsked } from "../../source/compare-question.ts";
import { type Call, type Conversation, isResultOf, type Looking, lookUp } from "./look.ts";

/** The length of a list, and the hunks of a diff; the command has them all. */
const shown = 6;
const shownHunks = 5;

interface Compared {
  comparison: Comparison;
  place: string | undefined;
}

/** Compares the two versions of a question, if it asks what differs. */
export function* lookForComparison(conversation: Conversation): Looking<Compared | undefined> {
  const asked = conversation.hasVersions === true ? comparisonAsked(conversation.question) : undefined;
  if (asked === undefined) return undefined;
  const { place } = asked;
  const call: Call = { tool: "compare", input: place === undefined ? {} : { place } };
  yield* lookUp(conversation, "Comparing the two versions.", [call]);
  const { comparison } = conversation.results.find((result) => isResultOf(call, result)) ?? {};
  return comparison && { comparison, place };
}

/** Writes what has changed in the place, else in all of it. */
export function* writeComparison({ comparison, place }: Compared): Generator<string> {
  const { diff, mentions = [] } = comparison;
  if (place !== undefined && (diff !== undefined || mentions.length > 0)) {
    yield* writePlace(place, comparison, diff);
    if (mentions.length > 0) yield `\nThe changelog between the two says:\n\n${items(mentions.slice(0, shown))}`;
    return;
  }
  if (place !== undefined) yield `Nothing that has changed is called \`${inlineCode(place)}\`.\n\n`;
  yield `${summarizeComparison(comparison)}\n`;
  yield* writeLists(comparison);
}

function* writePlace(place: string, { of, before, after }: Comparison, diff: PlaceDiff | undefined): Generator<string> {
  const versions = `${of} ${before.version} → ${after.version}`;
  const name = inlineCode(diff?.place ?? place);
  if (diff === undefined) {
    yield `${versions}: no definition called \`${name}\` has changed.\n`;
    return;
  }
  const gone = diff.after === undefined ? " was removed" : diff.before === undefined ? " was added" : "";
  const same = diff.hunks.length === 0 ? " is the same in both" : " has changed";
  yield `${versions}: \`${name}\`${gone === "" ? same : gone}.\n`;
  for (const hunk of diff.hunks.slice(0, shownHunks)) {
    const [first = "", ...rest] = hunkPlaces(diff, hunk).map(markerOf);
    yield `\n${first}${rest.length === 0 ? "" : ` → ${rest.join(" ")}`}\n\n${fencedDiff(hunk.lines).join("\n")}\n`;
  }
  const more = moreOf(diff.hunks.length, shownHunks);
  if (more !== undefined) yield `\n${more} ${diff.hunks.length - shownHunks === 1 ? "change" : "changes"} in it.\n`;
}

function* writeLists({ definitions, definitionCounts, sections, sectionCount }: Comparison): Generator<string> {
  for (const change of DefinitionChange.options) {
    const some = definitions.filter((one) => one.change === change).slice(0, shown);
    if (some.length === 0) continue;
    yield `\n**${definitionWords[change]}** (${definitionCounts[change]})\n\n`;
    for (const { name, before, after } of some) {
      const places = [before, after].filter((place) => place !== undefined).map(markerOf);
      yield `- \`${inlineCode(name)}\` ${places.join(" → ")}\n`;
    }
    yield* rest(definitionCounts[change], some.length);
  }
  if (sections.length === 0) return;
  yield `\n**Changelog between the two** (${sectionCount})\n\n${items(sections.slice(0, shown))}`;
  yield* rest(sectionCount, Math.min(sections.length, shown));
}

function* rest(total: number, count: number): Generator<string> {
  const more = moreOf(total, count);
  if (more !== undefined) yield `- ${more}\n`;
}

function items(places: readonly CitedPlace[]): string {
  return places.map((place) => `- ${citedPlaceMarkdown(place)}\n`).join("");
}
