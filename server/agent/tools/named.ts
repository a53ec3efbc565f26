import * as z from "zod";
import { formatMarker, type Passage } from "../../protocol/passage.ts";
import { countFiles, describePending, formatScope } from "../../protocol/search.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import type { RankedPassage } from "../../retrieval/retrieval.ts";
import { languageOf } from "../../source/languages.ts";
import { linesWithinStrings } from "../../source/multiline-strings.ts";
import { defineTool, type ToolServices } from "./define.ts";
import { findImported, findOtherCopies } from "./imported.ts";
import { chooseSnapshots } from "./locate.ts";
import { captionOf, clamp, namedFew, note, noteWhen, resultLimit, showPassages } from "./show.ts";

const definitionsLimit = 5;
/** The number of definitions of each name, if there are several names. */
const fewDefinitions = 3;
const mostNames = 10;
const places = { min: 1, max: 200, usual: 30 };
/** The limit in characters: about 3,000 tokens. */
const room = 12_000;

const nameNote = "As in the code, perhaps with its owner: `Retry.next`";
const resource = z.string().optional().describe("Its name. Default: all.");

const definitionDescription =
  "Show the definitions of a name, or of several at once, each whole or its first 200 lines. By text, not by types.";

const definitionInput = z.object({
  name: z.string().min(1).max(500).describe(`${nameNote}; several with commas.`),
  resource,
});

export function definitionTool({ snapshots, retrieval, origins, ledger, shown: before }: ToolServices) {
  return defineTool({
    name: "definition",
    description: definitionDescription,
    inputSchema: definitionInput,
    async run({ name: written, resource: from }, { signal, toolCallId }) {
      const chosen = chooseSnapshots(snapshots, from);
      const all = [...new Set(written.split(/[,;\s]+/).filter((name) => name !== ""))];
      const names = all.slice(0, mostNames);
      const limit = names.length === 1 ? definitionsLimit : fewDefinitions;
      const found = await Promise.all(names.map(find));
      const above = await before.above(toolCallId);
      const passages = found.flatMap((one) => [...one.passages, ...one.imported]);
      const isDefinition = ({ resource: at, path, startLine }: Passage) =>
        found.some((one) =>
          one.passages.some((it) => it.resource === at && it.path === path && it.startLine === startLine),
        );
      const shown = await showPassages(chosen, passages, {
        limit: names.length === 1 ? room : resultLimit,
        shown: above,
        ledger,
        signal,
      });
      const pendingFiles = Math.max(0, ...found.map((one) => one.pendingFiles));
      const notes = [
        ...shown.notes,
        ...found.flatMap((one) => one.notes),
        ...noteWhen(pendingFiles > 0, describePending(pendingFiles)),
        ...noteWhen(
          all.length > names.length,
          `${mostNames} names at once: without ${namedFew(all.slice(mostNames), 5)}`,
        ),
      ];
      const text = [...shown.blocks, ...notes].join("\n\n");
      return {
        text,
        data: {
          passages: shown.passages.filter(isDefinition),
          origins: found.flatMap((one) => one.origins),
          copies: found.flatMap((one) => one.copies),
        },
        metadata: { definitions: found.reduce((sum, { definitions }) => sum + definitions, 0) },
        isUnfinished: pendingFiles > 0,
      };

      async function find(name: string) {
        const options = { name, limit, signal };
        const { passages, nearest, searchedFiles, pendingFiles, cut } = await retrieval.definitions(chosen, options);
        const isElsewhere = passages.length === 0;
        const imported = isElsewhere
          ? await findImported(chosen, { name, retrieval, origins, signal })
          : { passages: [], origins: [] };
        const copies = await findOtherCopies(chosen, passages, { origins, signal });
        const close = nearest.map((file) => `${file.resource}:${file.path}`);
        const notes = [
          ...passages.flatMap(noteRest),
          ...copies.map(note),
          ...noteWhen(cut.length > 0, `of ${name}, ${namedFew(cut)}; name its owner, or a resource`),
          ...noteWhen(
            isElsewhere,
            `no definition of ${name} in ${countFiles(searchedFiles)}${imported.passages.length > 0 ? "" : "; try search, or grep for the text"}`,
          ),
          ...noteWhen(close.length > 0, `files of a similar name: ${namedFew(close, 10)}`),
        ];
        const captioned = passages.map((passage) => ({ ...passage, caption: captionOf(passage) }));
        return {
          passages: captioned,
          imported: imported.passages,
          copies,
          origins: imported.origins,
          definitions: passages.length,
          notes,
          pendingFiles,
        };
      }
    },
  });
}

/** Notes where the rest of a long definition is. */
function noteRest({ resource, path, endLine, continuesTo }: RankedPassage): string[] {
  if (continuesTo === undefined) return [];
  return [note(`it goes on: read ${formatMarker({ resource, path, startLine: endLine + 1, endLine: continuesTo })}`)];
}

const referencesDescription =
  "Show where a name is used, with the definition around each place: calls first, tests last. By text, not by types.";

/** The length of a line that uses a name, in characters. */
const useLength = 1000;

const referencesInput = z.object({
  name: z.string().min(1).max(200).describe(`${nameNote}.`),
  resource,
  limit: z.int().optional().describe(`Places, 1 to ${places.max}. Default: ${places.usual}.`),
});

export function referencesTool({ snapshots, retrieval, ledger, noteSkipped }: ToolServices) {
  return defineTool({
    name: "references",
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
        ...noteWhen(found.cut.length > 0, `${namedFew(found.cut)}; give a limit, or a resource`),
        ...noteWhen(found.total > 1 && found.cut.length === 0, `${found.total} places`),
        ...shown.notes,
        ...noteSkipped(found.skipped, { isEmpty: found.total === 0 }),
      ];
      const text = [...shown.blocks, ...notes].join("\n\n");
      const docstrings = await docstringsOf(found.references, chosen, signal);
      const uses = found.references.flatMap(({ resource, path, kind, use, scope, matchLines, startLine, lines }) =>
        matchLines.map((line) => {
          const text = (lines[line - startLine] ?? "").slice(0, useLength);
          const isDocstring = docstring.test(text) || docstrings.get(`${resource}:${path}`)?.has(line - 1) === true;
          const isCode = kind !== "docs" && !isDocstring;
          const inner = scope.at(-1);
          return { resource, path, line, text, use, isCode, around: inner?.name, aroundLine: inner?.startLine };
        }),
      );
      return { text, data: { passages: shown.passages, uses }, metadata: { places: found.total } };
    },
  });
}

/** The line that begins one. */
const docstring = /^\s*[rRuU]?(?:"""|''')/;

/** The lines, from 0, within strings of Python, which document what uses the name; by `resource:path`. */
async function docstringsOf(
  references: readonly { resource: string; path: string }[],
  snapshots: readonly Snapshot[],
  signal: AbortSignal | undefined,
): Promise<Map<string, ReadonlySet<number>>> {
  const found = new Map<string, ReadonlySet<number>>();
  for (const { resource, path } of references) {
    const language = languageOf(path);
    const key = `${resource}:${path}`;
    if (language.tag !== "python" || found.has(key)) continue;
    const source = await snapshots.find((one) => one.resource === resource)?.read(path, { signal });
    if (source !== undefined) found.set(key, linesWithinStrings(language, source.lines));
  }
  return found;
}
