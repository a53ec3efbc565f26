import path from "node:path";
import { CitewellError } from "../../server/errors.ts";
import { formatLines } from "../../server/protocol/citation.ts";
import { showInvisibleInLine } from "../../server/protocol/invisible.ts";
import {
  countFiles,
  countLines,
  countMatchLines,
  describePending,
  type FileCount,
  isEmptyReply,
  type SearchHit,
  type SearchReply,
  describeSkipped,
} from "../../server/protocol/search.ts";
import { callOperation } from "../../server/transports/call-operation.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { nearPath } from "../input/near-path.ts";
import { connectApp } from "../app/open-app.ts";
import { wordingOf } from "../input/option-names.ts";
import { explainMissingFolder, toAbsoluteReference } from "../input/references.ts";
import { detectStyle } from "../render/capabilities.ts";
import { clean, cleanLine } from "../render/clean.ts";
import { paint, type Style } from "../render/style.ts";
import { type Terminal, write } from "../terminal.ts";
import { reportUnavailable } from "../output/unavailable.ts";
import { searchBatch } from "./search-batch.ts";

/** Options of `citewell search`. */
export interface SearchOptions extends ServerOptions {
  resource: string[];
  limit: number;
  exact?: boolean;
  regex?: boolean;
  definition?: boolean;
  references?: boolean;
  ignoreCase?: boolean;
  wholeWord?: boolean;
  context?: number;
  count?: boolean;
  glob?: string;
  kind: string[];
  offset?: number;
  jsonl?: boolean;
  batch?: string;
}

/** Ranked or exact search, without a model; found nothing is exit code 3. */
export async function search(query: string | undefined, options: SearchOptions, terminal: Terminal): Promise<number> {
  const { signal, stdout } = terminal;
  const request = toRequest(options, terminal);
  if ((query === undefined) === (options.batch === undefined)) {
    const hint = 'citewell search "retry policy", or citewell search --batch queries.ndjson';
    throw new CitewellError("InvalidUsage", "search takes either a query or --batch", { hint });
  }
  await using app = await connectApp(terminal, options);
  if (options.batch !== undefined) return searchBatch(options.batch, request, { app, terminal });
  const reply = await callOperation(app, "search", { ...request, query }, { signal }, wordingOf("search")).catch(
    (error: unknown) => {
      throw explainMissingFolder(error, options.resource, terminal);
    },
  );
  await write(stdout, toText(reply, options, terminal));
  if (options.quiet !== true && options.json !== true) await writeNotes(reply, options, terminal);
  return isEmptyReply(reply) ? exitCodes.notFound : exitCodes.ok;
}

/** Those that have an option of their name. */
const modes = ["exact", "regex", "definition", "references"] as const;

/**
 * Takes the query as it was typed; the operation checks it. @throws InvalidUsage (what only a search for lines knows)
 */
function toRequest(options: SearchOptions, terminal: Terminal): object {
  const { ignoreCase, wholeWord, context, count, glob, kind, offset, limit } = options;
  const mode = modes.find((name) => options[name] === true) ?? "ranked";
  const isOfLines = [ignoreCase, wholeWord, context, count].some((option) => option !== undefined);
  if (mode !== "exact" && mode !== "regex" && isOfLines) {
    const hint = "a search for words takes upper and lower case for the same, and shows whole definitions";
    const message = "--ignore-case, --whole-word, --context and --count go with --exact or --regex";
    throw new CitewellError("InvalidUsage", message, { hint });
  }
  const resources = options.resource.map((text) => toAbsoluteReference(text, terminal));
  const kinds = kind.length === 0 ? undefined : kind;
  return { resources, mode, kinds, glob, ignoreCase, wholeWord, contextLines: context, counts: count, offset, limit };
}

function toText(
  reply: SearchReply,
  { json, jsonl, color }: SearchOptions,
  { cwd, stdout, env, platform }: Terminal,
): string {
  const { results, counts = [] } = reply;
  if (jsonl === true) return [...results, ...counts].map((found) => jsonText(found, { isLine: true })).join("");
  if (json === true) return jsonText(reply);
  const style = detectStyle({ isTTY: stdout.isTTY, columns: stdout.columns, env, platform, flags: { color } });
  return results.map((hit) => renderHit(hit, { style, cwd })).join("\n") + renderCounts(counts, { style, cwd });
}

interface RenderOptions {
  style: Style;
  cwd: string;
}

/** `12  src/a.ts`: for each file how many lines. */
function renderCounts(counts: readonly FileCount[], { style, cwd }: RenderOptions): string {
  const width = String(counts[0]?.matches ?? 0).length;
  return counts
    .map((file) => {
      const name = paint(cleanLine(nameFile(file, cwd), style), ["citation"], style);
      return `${String(file.matches).padStart(width)}  ${name}\n`;
    })
    .join("");
}

/** `name:path:10-20`, of a folder without a name where it lies; and the lines as they are in the file. */
function renderHit(hit: SearchHit, { style, cwd }: RenderOptions): string {
  const { startLine, endLine, preview, scope } = hit;
  const place = cleanLine(`${nameFile(hit, cwd)}:${formatLines({ startLine, endLine })}`, style);
  const around = scope === undefined ? "" : ` ${paint(cleanLine(`in ${scope}`, style), ["dim"], style)}`;
  const width = String(endLine).length;
  const lines = clean(preview, style)
    .split("\n")
    .map((line, index) => `${paint(String(startLine + index).padStart(width), ["dim"], style)}  ${line}`.trimEnd());
  return `${paint(place, ["citation"], style)}${around}\n${lines.join("\n")}\n`;
}

interface FileOfResource {
  resource: string;
  path: string;
}

function nameFile({ resource, path: file }: FileOfResource, cwd: string): string {
  return path.isAbsolute(resource) ? nearPath(path.join(resource, file), cwd) : `${resource}:${file}`;
}

/**
 * `the best 20 passages are shown; --offset 20 shows the next`: of passages alone, `cut` does not say how many are
 * shown.
 */
function describeMore({ results, counts, matches, cut }: SearchReply, { offset = 0 }: SearchOptions): string {
  const shown = counts?.length ?? (matches === undefined ? results.length : countMatchLines(results));
  const next = `--offset ${offset + shown} shows the next`;
  if (cut !== undefined) return next;
  const isOne = shown === 1;
  if (offset > 0)
    return `${isOne ? `passage ${offset + 1} is` : `passages ${offset + 1} to ${offset + shown} are`} shown; ${next}`;
  return `${isOne ? "the best passage is" : `the best ${shown} passages are`} shown; ${next}`;
}

async function writeNotes(reply: SearchReply, options: SearchOptions, { stderr, cwd }: Terminal): Promise<void> {
  const {
    counts,
    matches = 0,
    matchingFiles = 0,
    cut = [],
    searchedFiles,
    nearest = [],
    pendingFiles = 0,
    unavailable,
  } = reply;
  const nameOf = (file: FileOfResource) => showInvisibleInLine(nameFile(file, cwd));
  if (isEmptyReply(reply)) await write(stderr, `nothing was found in ${countFiles(searchedFiles)}\n`);
  else if (counts !== undefined) await write(stderr, `${countLines(matches)} in ${countFiles(matchingFiles)}\n`);
  if (nearest.length > 0) await write(stderr, `files of a similar name: ${nearest.map(nameOf).join(", ")}\n`);
  await reportUnavailable(unavailable, stderr);
  for (const note of cut) await write(stderr, `${note}\n`);
  if (reply.hasMore === true) await write(stderr, `${describeMore(reply, options)}\n`);
  if (pendingFiles > 0) await write(stderr, `${describePending(pendingFiles)}\n`);
  const skipped = describeSkipped(reply, nameOf);
  if (skipped !== undefined) await write(stderr, `${skipped}; --json says which\n`);
}
