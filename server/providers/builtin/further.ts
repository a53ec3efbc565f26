import { shorten } from "../../protocol/shorten.ts";
import { definitionAt, type Hit, markerOf, type Stretch } from "./evidence.ts";
import { chooseLines } from "./excerpt.ts";
import { numbersOf, overlaps, textOf } from "./excerpt-context.ts";
import type { Extract } from "./extracts.ts";
import { tellsEnough } from "./known-words.ts";
import { linesWith, wordsByLine } from "./line-words.ts";
import { type Question, sumOf } from "./question.ts";
import { plainHeading } from "./role.ts";

type Place = Pick<Extract, "stretch" | "pieces">;

const placesListed = 5;
/** The length in characters. */
const lineLength = 120;

/** Lists the next places of the ranked searches that have the question's words, with the best line of each. */
export function* writeFurther(
  shown: readonly Extract[],
  { hits, question }: { hits: readonly Hit[]; question: Question },
): Generator<string> {
  const listed: Place[] = [...shown];
  const rows: string[] = [];
  const ranked = hits.filter(({ tool }) => tool === "search").toSorted((a, b) => a.rank - b.rank);
  for (const hit of ranked) {
    if (rows.length === placesListed) break;
    const { stretch } = hit;
    const chosen = chooseLines(hit, question);
    if (chosen === undefined || !tellsEnough(chosen.found, question)) continue;
    const place = { stretch, pieces: chosen.pieces };
    if (!chosen.found.some(({ isStrong }) => isStrong) || listed.some((other) => sharesLines(place, other))) continue;
    listed.push(place);
    rows.push(rowOf(place, question));
  }
  if (rows.length > 0) yield `\nFurther places:\n\n${rows.join("")}`;
}

function sharesLines(one: Place, other: Place): boolean {
  if (one.stretch.target !== other.stretch.target) return false;
  return one.pieces.some((piece) => other.pieces.some((own) => overlaps(piece, own)));
}

function rowOf({ stretch, pieces }: Place, question: Question): string {
  const words = wordsByLine(stretch, question);
  const lines = pieces.flatMap(({ startLine, endLine }) => numbersOf(startLine, endLine));
  const worth = (line: number) =>
    sumOf(question.words.filter((word) => linesWith(word, { startLine: line, endLine: line }, words).length > 0));
  const best = lines.reduce((one, line) => (worth(line) > worth(one) ? line : one), lines[0] ?? stretch.startLine);
  const markers = pieces.map((piece) => markerOf(stretch, piece)).join(", ");
  return `- ${around(best, stretch)}\`${quoted(textOf(stretch, best))}\` ${markers}\n`;
}

/** The definition or section that a line is in. */
function around(line: number, stretch: Stretch): string {
  const own = definitionAt(stretch, line);
  if (own === undefined || own.line === line) return "";
  return stretch.isDocument ? `“${plainHeading(own.name)}”: ` : `in \`${own.name}\`: `;
}

function quoted(line: string): string {
  return shorten(line.trim().replaceAll("`", "'"), lineLength);
}
