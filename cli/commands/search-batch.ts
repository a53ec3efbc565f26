import { createReadStream } from "node:fs";
import path from "node:path";
import * as z from "zod";
import type { App } from "../../server/app.ts";
import { CitewellError, messageOf, toErrorBody } from "../../server/errors.ts";
import { parseJson } from "../../server/lib/parse-json.ts";
import type { SearchReply } from "../../server/protocol/search.ts";
import { callOperation } from "../../server/transports/call-operation.ts";
import { readKnownFields } from "../../server/transports/request-fields.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { wordingOf } from "../input/option-names.ts";
import { readStandardInput } from "../input/standard-input.ts";
import { type Terminal, write } from "../terminal.ts";

const BatchLine = z.object({ id: z.union([z.string(), z.number()]), query: z.string() });

/**
 * One search for each line of a file, in order: `{ id, query }` in, `{ id, results }` out, or `{ id, error, … }` if
 * that search failed. Each waits for the whole index; if indexing stalls, `pendingFiles` says how much is missing. An
 * invalid line is reported on standard error and makes the exit code that of wrong usage; the others are searched.
 * @throws FileNotReadable, InputSilent, RequestTooLarge (a line)
 */
export async function searchBatch(
  file: string,
  request: object,
  { app, terminal }: { app: Pick<App, "search">; terminal: Terminal },
): Promise<number> {
  const { signal, stdout, stderr } = terminal;
  let number = 0;
  let badLines = 0;
  for await (const text of linesOf(file, terminal)) {
    signal.throwIfAborted();
    number++;
    if (text.trim() === "") continue;
    const line = readLine(text);
    if (typeof line === "string") {
      badLines++;
      await write(stderr, `line ${number}: ${line}\n`);
      continue;
    }
    const { id, query } = line;
    await write(stdout, jsonText({ id, ...(await searchOne(query, request, { app, signal })) }, { isLine: true }));
  }
  return badLines > 0 ? exitCodes.usage : exitCodes.ok;
}

/** A search, or what is wrong with its line. */
function readLine(text: string): z.output<typeof BatchLine> | string {
  try {
    const raw = parseJson(text.replace(/^\uFEFF/, ""));
    const { data } = BatchLine.safeParse(readKnownFields(BatchLine, raw, { subject: "a search", noun: "field" }));
    return data ?? 'not {"id": …, "query": "…"}';
  } catch (error) {
    return messageOf(error);
  }
}

async function searchOne(
  query: string,
  request: object,
  { app, signal }: { app: Pick<App, "search">; signal: AbortSignal },
): Promise<object> {
  try {
    return await searchWhole({ ...request, query }, { app, signal });
  } catch (error) {
    signal.throwIfAborted();
    return toErrorBody(error);
  }
}

/** Repeats a search while files are still being indexed: a batch has no user to search again. */
async function searchWhole(
  request: object,
  { app, signal }: { app: Pick<App, "search">; signal: AbortSignal },
): Promise<Pick<SearchReply, "results" | "counts" | "pendingFiles">> {
  for (let pendingBefore = Infinity; ;) {
    const {
      results,
      counts,
      pendingFiles = 0,
    } = await callOperation(app, "search", request, { signal }, wordingOf("search"));
    if (pendingFiles === 0) return { results, counts };
    if (pendingFiles >= pendingBefore) return { results, counts, pendingFiles };
    pendingBefore = pendingFiles;
  }
}

/** UTF-16 units: many times what a query may have. */
const lineLengthLimit = 1024 * 1024;

async function* linesOf(file: string, terminal: Terminal): AsyncGenerator<string> {
  const chunks =
    file === "-" ? readStandardInput(terminal) : createReadStream(path.resolve(terminal.cwd, file), "utf8");
  let number = 1;
  let last = "";
  try {
    for await (const chunk of chunks) {
      const lines = `${last}${String(chunk)}`.split("\n");
      last = lines.pop() ?? "";
      number += lines.length;
      yield* lines;
      if (last.length > lineLengthLimit) throw lineTooLong(number, file);
    }
    yield last;
  } catch (cause) {
    if (cause instanceof CitewellError) throw cause;
    const hint = "--batch - reads standard input";
    throw new CitewellError("FileNotReadable", `${file} could not be read: ${messageOf(cause)}`, { hint, cause });
  }
}

function lineTooLong(number: number, file: string): CitewellError {
  return new CitewellError("RequestTooLarge", `line ${number} of ${file} is over the limit of 1 MB`, {
    hint: 'each line is one search: {"id": 1, "query": "retry policy"}',
  });
}
