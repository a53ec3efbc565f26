import * as z from "zod";
import type { RankedPassage } from "../../retrieval/retrieval.ts";
import { defineTool, type ToolContext } from "./define.ts";
import { chooseSnapshots } from "./locate.ts";
import { namedFew, noteSkipped, noteWhen, showPassages } from "./show.ts";

const defaultLimit = 8;
/** Enough to index 100 MB: a model believes a "nothing found" that came too early. */
const patienceMs = 10_000;

const description = `Search the resources for the passages that fit a question or a topic best, ranked.
Use it first, when you do not know where something is: it knows identifiers, words of the code and of the documents, and paths.
Write the few words that matter, and names as they may stand in the code, not a sentence. For an exact text or every place where a name is used, prefer grep; for file names, glob.`;

export function searchTool({ snapshots, retrieval, ledger }: ToolContext) {
  return defineTool({
    description,
    inputSchema: z.object({
      query: z.string().min(1).max(2000).describe("Words and names, e.g. `retry after header`."),
      resource: z.string().optional().describe("Name of one resource. Default: all of them."),
      glob: z.string().min(1).optional().describe("Only files whose path matches, e.g. `src/**/*.ts`."),
      limit: z.int().min(1).max(30).optional().describe(`How many passages. Default: ${defaultLimit}.`),
    }),
    async run({ query, resource, glob, limit = defaultLimit }, { signal }) {
      const chosen = chooseSnapshots(snapshots, resource);
      const { passages, searchedFiles, pendingFiles, skipped, nearest } = await retrieval.search(chosen, {
        query,
        patienceMs,
        limit,
        glob,
        signal,
      });
      const found = passages.map((passage) => ({ ...passage, caption: captionOf(passage) }));
      const shown = await showPassages(chosen, found, { ledger, signal });
      const close = nearest.map((file) => `${file.resource}:${file.path}`);
      const notes = [
        ...noteWhen(passages.length === 0, `nothing found in ${searchedFiles} files; ${advice({ glob })}`),
        ...noteWhen(close.length > 0, `files of a similar name: ${namedFew(close, 10)}`),
        ...noteWhen(
          pendingFiles > 0,
          `${pendingFiles} files are still being indexed; search again in a moment, or use grep`,
        ),
        ...shown.notes,
        ...noteSkipped(skipped),
      ];
      const text = [...shown.blocks, ...notes].join("\n\n");
      return { text, data: { passages: shown.passages }, metadata: { passages: shown.blocks.length } };
    },
  });
}

function advice({ glob }: { glob: string | undefined }): string {
  const ways = ["other words", "fewer of them", ...(glob === undefined ? [] : ["no glob"])];
  return `try ${ways.join(", ")}, or list to see what is there`;
}

function captionOf({ kind, reason }: RankedPassage): string {
  return `${kind}, ${reason}:`;
}
