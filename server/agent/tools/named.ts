import * as z from "zod";
import { countFiles, formatScope } from "../../protocol/search.ts";
import { defineTool, type ToolContext, type ToolServices } from "./define.ts";
import { chooseSnapshots } from "./locate.ts";
import { clamp, namedFew, noteSkipped, noteWhen, showPassages } from "./show.ts";

const definitionsLimit = 5;
const places = { min: 1, max: 200, usual: 30 };
/** In characters: about 3,000 tokens. */
const room = 12_000;

const name = z.string().min(1).max(200).describe("As in the code, perhaps with its owner: `Retry.next`.");
const resource = z.string().optional().describe("Its name. Default: all.");

const definitionDescription = "Show the definitions of a name, each whole. By text, not by types.";

const definitionInput = z.object({ name, resource });

export function definitionTool({ snapshots, retrieval, ledger, shown: before }: ToolServices) {
  return defineTool({
    description: definitionDescription,
    inputSchema: definitionInput,
    async run({ name: wanted, resource: from }, { signal }) {
      const chosen = chooseSnapshots(snapshots, from);
      const options = { name: wanted, limit: definitionsLimit, signal };
      const { passages, nearest, searchedFiles, pendingFiles } = await retrieval.definitions(chosen, options);
      const captioned = passages.map(({ kind, reason, scope, ...passage }) => {
        return { ...passage, caption: `${kind}, ${reason}${scope.length === 0 ? "" : `, in ${formatScope(scope)}`}:` };
      });
      const shown = await showPassages(chosen, captioned, { limit: room, shown: before, ledger, signal });
      const close = nearest.map((file) => `${file.resource}:${file.path}`);
      const notes = [
        ...noteWhen(
          passages.length === 0,
          `no definition of it in ${countFiles(searchedFiles)}; try search, or grep for the text`,
        ),
        ...noteWhen(close.length > 0, `files of a similar name: ${namedFew(close, 10)}`),
        ...noteWhen(pendingFiles > 0, `${countFiles(pendingFiles)} are still being indexed`),
        ...shown.notes,
      ];
      const text = [...shown.blocks, ...notes].join("\n\n");
      return {
        text,
        data: { passages: shown.passages },
        metadata: { definitions: passages.length },
        isUnfinished: pendingFiles > 0,
      };
    },
  });
}

const referencesDescription =
  "Show where a name is used, with the definition around each place: calls first, tests last. By text, not by types.";

const referencesInput = z.object({
  name,
  resource,
  limit: z.int().optional().describe(`Places, 1 to ${places.max}. Default: ${places.usual}.`),
});

export function referencesTool({ snapshots, retrieval, ledger }: ToolContext) {
  return defineTool({
    description: referencesDescription,
    inputSchema: referencesInput,
    async run({ name: wanted, resource: from, limit: given }, { signal }) {
      const { value: limit, notes: onLimit } = clamp("limit", given, places);
      const chosen = chooseSnapshots(snapshots, from);
      const found = await retrieval.references(chosen, { name: wanted, limit, signal });
      const captioned = found.references.map(({ kind, use, scope, ...hit }) => {
        const around = scope.length === 0 ? "" : ` in ${formatScope(scope)}`;
        return { ...hit, caption: `${kind === "code" ? "" : `${kind}, `}${use}${around}:` };
      });
      const shown = await showPassages(chosen, captioned, { limit: room, isJoined: true, ledger, signal });
      const notes = [
        ...onLimit,
        ...noteWhen(found.total === 0, `no use of it in ${countFiles(found.searchedFiles)}; try search, or grep`),
        ...noteWhen(found.cut.length > 0, namedFew(found.cut)),
        ...shown.notes,
        ...noteSkipped(found.skipped),
      ];
      const text = [...shown.blocks, ...notes].join("\n\n");
      return { text, data: { passages: shown.passages }, metadata: { places: found.total } };
    },
  });
}
