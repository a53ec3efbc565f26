import * as z from "zod";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import { formatMarker } from "../../protocol/passage.ts";
import { limits as protocolLimits } from "../../protocol/resource-fields.ts";
import { countFiles, describePending } from "../../protocol/search.ts";
import type { RankedPassage } from "../../retrieval/retrieval.ts";
import { defineTool, type ToolServices } from "./define.ts";
import { chooseSnapshots } from "./locate.ts";
import { unshownParts } from "./shown.ts";
import { captionOf, clamp, charactersPerToken, namedFew, noteWhen, resultLimit, showPassages, whyOf } from "./show.ts";

const defaultLimit = 20;
/** The default budget of a result: the first passages in full, the others with a line each. */
const defaultTokens = 1400;
const leastTokens = 500;
const mostTokens = resultLimit / charactersPerToken;
const mostPassages = 30;
const limits = { min: 1, max: mostPassages, usual: defaultLimit };
const tokenLimits = { min: leastTokens, max: mostTokens, usual: defaultTokens };
/** The blocks that fit the question best are shown of a longer passage. Measured (`bench/economy.ts`). */
const passageLines = 60;
/** How many passages are only named, and how long such a line is, in characters. */
const namedLimit = 5;
const namedLength = 110;
/** Passages with less than this share of the best score are only named. Measured (`bench/economy.ts`). */
const leastShare = 0.5;
/** Enough to index 100 MB on a busy machine: a model believes a "nothing found" that came too early. */
const patienceMs = 30_000;

const description = `Find the passages that fit a few words and names best. Use it first. Write words that the code would use, not a sentence. The best are shown, the next are named: read those with \`around\`.`;

const inputSchema = z.object({
  query: z.string().min(1).max(protocolLimits.questionLength).describe("E.g. `retry after header`."),
  resource: z.string().optional().describe("Its name. Default: all."),
  glob: z.string().min(1).optional().describe("Only these paths, e.g. `src/**/*.ts`."),
  limit: z.int().optional().describe(`Passages, 1 to ${mostPassages}. Default: ${defaultLimit}.`),
  tokens: z.int().optional().describe(`Of the result, ${leastTokens} to ${mostTokens}. Default: ${defaultTokens}.`),
});

export function searchTool({ snapshots, retrieval, ledger, noteSkipped, shown: before }: ToolServices) {
  return defineTool({
    name: "search",
    description,
    inputSchema,
    async run({ query, resource, glob, ...given }, { signal, toolCallId }) {
      const { value: limit, notes: onLimit } = clamp("limit", given.limit, limits);
      const { value: tokens, notes: onTokens } = clamp("tokens", given.tokens, tokenLimits);
      const chosen = chooseSnapshots(snapshots, resource);
      const { passages, words, searchedFiles, pendingFiles, skipped, nearest } = await retrieval.search(chosen, {
        query,
        patienceMs,
        limit,
        glob,
        ...(tokens === mostTokens ? {} : { passageLines }),
        signal,
      });
      const above = await before.above(toolCallId);
      const { shown, named } = await showWithin(tokens, passages);
      const close = nearest.map((file) => `${file.resource}:${file.path}`);
      const notes = [
        ...onLimit,
        ...onTokens,
        ...noteWhen(passages.length === 0, `nothing found in ${countFiles(searchedFiles)}; ${advice({ glob })}`),
        ...noteWhen(close.length > 0, `files of a similar name: ${namedFew(close, 10)}`),
        ...noteWhen(pendingFiles > 0, `${describePending(pendingFiles)}, or use grep`),
        ...shown.notes,
        ...noteSkipped(skipped, { isEmpty: passages.length === 0 }),
      ];
      const text = [...shown.blocks, ...named, ...notes].join("\n\n");
      return {
        text,
        data: {
          passages: shown.passages,
          words: glob === undefined && pendingFiles === 0 ? words : [],
        },
        metadata: { passages: shown.blocks.length },
        isUnfinished: pendingFiles > 0,
      };

      /**
       * The first passages as far as there is room, whole; a line for each of the next. For a name that is looked up,
       * only the definitions are shown.
       */
      async function showWithin(budget: number, found: readonly RankedPassage[]) {
        const limit = budget * charactersPerToken;
        const isWhole = budget === mostTokens;
        const least = isWhole ? 0 : leastShare * (found[0]?.score ?? 0);
        const isLookUp = !isWhole && found[0]?.lookedUp !== undefined;
        let used = namedLength * namedLimit;
        const end = found.findIndex(({ score, lookedUp, ...passage }) => {
          const lines = unshownParts(passage, above(passage)).flatMap((part) => part.lines);
          used += lines.reduce((sum, line) => sum + line.length + numberLength, 0);
          return used > limit || score < least || (isLookUp && lookedUp === undefined);
        });
        const count = end === -1 ? found.length : Math.max(1, end);
        const captioned = found.slice(0, count).map((passage) => ({ ...passage, caption: captionOf(passage) }));
        const others = withoutTwins(found.slice(count));
        const names = others.slice(0, namedLimit).map(nameOf);
        const more = others.length - names.length;
        const rest = more > 0 ? [`… and ${more} more (see tokens)`] : [];
        return {
          shown: await showPassages(chosen, captioned, { limit, shown: above, ledger, signal }),
          named: names.length === 0 ? [] : [["Also found:", ...names, ...rest].map(showInvisibleInLine).join("\n")],
        };
      }
    },
  });
}

/** `123|` before each line, and its end. */
const numberLength = 5;

function advice({ glob }: { glob: string | undefined }): string {
  const ways = ["other words", "fewer of them", ...(glob === undefined ? [] : ["no glob"])];
  return `try ${ways.join(", ")}, or list to see what is there`;
}

/** `[[demo:docs/retry.md#L40-L70]] docs, matches delay in Retries`: a place to read. */
function nameOf(passage: RankedPassage): string {
  const [around] = passage.scope.slice(-1);
  return `${formatMarker(passage)} ${whyOf(passage)}${around === undefined ? "" : ` in ${around.name}`}`;
}

/** Two parts of a long passage may be trimmed to the same lines. */
function withoutTwins(passages: readonly RankedPassage[]): RankedPassage[] {
  return [...new Map(passages.toReversed().map((passage) => [formatMarker(passage), passage])).values()].toReversed();
}
