import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import { type PublishedToolName, publishedTools, toolInput } from "../../protocol/published-tools.ts";
import type { AskEvent } from "../../protocol/ask.ts";
import { builtinProvider } from "../../protocol/provider.ts";
import type { SearchHit } from "../../protocol/search.ts";
import { splitPlace } from "../../protocol/source.ts";
import { callOperation, parseInput } from "../call-operation.ts";
import { askInTime } from "./ask-tool.ts";
import { bytesOfSearch } from "./pages.ts";
import { present, type Presentation, type PresentOptions } from "./present.ts";
import type { AgentHandlers } from "./tools.ts";

/** Before 55 s, with time to end: many clients give up after a minute. */
export const usualDeadlineMs = 50_000;

export interface CallOptions extends Presentation {
  app: AgentHandlers;
  signal: AbortSignal;
  onEvent(event: AskEvent): void;
  deadlineMs: number | undefined;
  keepsThread?: boolean | undefined;
  offset: number;
  /** What the call was taken for, in sentences. */
  notes?: readonly string[];
}

/** Calls the operation of a tool with what the model said, and presents what comes of it. */
export async function carryOut(
  name: PublishedToolName,
  said: Record<string, unknown>,
  options: CallOptions,
): Promise<CallToolResult> {
  if (name === "ask") return callAsk(said, options);
  if (name === "search") {
    const { output, ...page } = await search(said, options);
    return present(name, output, { ...options, ...page });
  }
  const { app, signal, deadlineMs, isStructured } = options;
  const input = toolInput(publishedTools[name], said);
  const work = callOperation(app, name, input, { signal });
  const bytes = name === "read" && !isStructured && !namesLines(input) ? wholeFileBytes : undefined;
  return present(name, await inTime(untilAborted<unknown>(work, signal), deadlineMs), { ...options, bytes });
}

/** The limit for a file that is read without line ranges, in bytes. */
const wholeFileBytes = 20_000;

function namesLines({ path, startLine, endLine, around }: Record<string, unknown>): boolean {
  const isInPath = typeof path === "string" && splitPlace(path).ranges.length > 0;
  return isInPath || [startLine, endLine, around].some((line) => line !== undefined);
}

const extractsLead =
  "Passages, not an answer: no model is connected. Prefer search, with words and names that the code may use.";
const insteadLead = "Passages that search found for the question:";

async function callAsk(said: Record<string, unknown>, options: CallOptions): Promise<CallToolResult> {
  const { app, signal, isStructured } = options;
  const request = toolInput(publishedTools.ask, said);
  const { question, resources } = parseInput("ask", request);
  const query = { query: question, ...(resources === undefined ? {} : { resources }) };
  // A client of structured results reads an answer.
  if (!isStructured && (await app.getConfig({}, { signal })).provider === builtinProvider) {
    const { output, ...page } = await search(query, options);
    return present("search", output, { ...options, ...page, lead: extractsLead });
  }
  const findPassages = async () => {
    const { output, ...page } = await search(query, { ...options, deadlineMs: undefined });
    const { content } = present("search", output, { ...options, ...page, lead: insteadLead, isStructured: false });
    return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  };
  const { answer, partial } = await askInTime(request, { ...options, findPassages });
  return present("ask", answer, { ...options, partial });
}

/** So many passages are searched for at least, so that a result can say how many more there are. */
const soughtPassages = 30;
const mostPassages = 100;

type SearchPage = Pick<PresentOptions<"search">, "items" | "isOpen" | "bytes"> & { output: unknown };

async function search(
  said: Record<string, unknown>,
  { app, signal, deadlineMs, isStructured }: CallOptions,
): Promise<SearchPage> {
  const { limit: usual } = Limit.parse(toolInput(publishedTools.search, { mode: said["mode"] ?? "ranked" }));
  const request = { ...toolInput(publishedTools.search, said) };
  const { limit } = Limit.catch({ limit: usual }).parse(request);
  const isRanked = (request["mode"] ?? "ranked") === "ranked";
  const sought = Math.min(mostPassages, Math.max(soughtPassages, limit + 1));
  const input = isRanked && request["limit"] === limit ? { ...request, limit: sought } : request;
  const work = callOperation(app, "search", input, { signal });
  const output = await inTime(untilAborted(work, signal), deadlineMs);
  const isByDefault = isRanked && said["limit"] === undefined && (said["offset"] ?? 0) === 0;
  const items = isByDefault && !isStructured ? Math.min(limit, countWorthShowing(output.results)) : limit;
  const bytes = isStructured ? undefined : bytesOfSearch(limit, { usual });
  return isRanked ? { output, items, isOpen: output.hasMore === true, bytes } : { output, bytes };
}

/**
 * For the name of a definition, its definitions; otherwise the passages with at least half the score of the best one, as in
 * the model's own search. The others are only listed.
 */
function countWorthShowing([first, ...others]: readonly SearchHit[]): number {
  if (first === undefined) return 0;
  const isLookUp = first.isLookedUp === true;
  const end = others.findIndex((hit) => (isLookUp ? hit.isLookedUp !== true : hit.score < leastShare * first.score));
  return 1 + (end === -1 ? others.length : end);
}

const leastShare = 0.5;

const Limit = z.object({ limit: z.int().min(1).max(mostPassages) });

/** The work continues in the background, so that the next call finds it done. @throws NotReadyYet */
export async function inTime<Value>(work: Promise<Value>, deadlineMs: number | undefined): Promise<Value> {
  if (deadlineMs === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new CitewellError("NotReadyYet", "the resource is still being fetched", {
          hint: "the fetch continues: call the tool again in a minute",
        }),
      );
    }, deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
