import {
  type CallToolRequest,
  type CallToolResult,
  ErrorCode,
  type ResourceLink,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { CitewellError, toCitewellError } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import type { Log } from "../../lib/log.ts";
import { type AgentTool, type AgentToolName, agentTools, toolSchema } from "../../protocol/agent-tools.ts";
import type { AskEvent } from "../../protocol/ask.ts";
import {
  type Citation,
  citationStateWords,
  formatCitewellUrl,
  formatLines,
  isProved,
} from "../../protocol/citation.ts";
import {
  type Handlers,
  type OperationName,
  operationNames,
  operations,
  type Output,
} from "../../protocol/operations.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { callOperation } from "../call-operation.ts";
import { askInTime } from "./ask-tool.ts";
import { toPage } from "./pages.ts";
import { type Notify, reportProgress } from "./progress.ts";
import { refusal } from "./refusal.ts";

/** What agents may do: the tools, and listing folders as resources. `deleteThread` is for threads of our own. */
export type AgentHandlers = Pick<Handlers, AgentToolName | "listFiles" | "deleteThread">;

export interface ToolContext {
  app: AgentHandlers;
  log: Log;
  signal: AbortSignal;
  notify: Notify;
  /** How long a client that gave no progress token is let wait, in milliseconds. */
  deadlineMs: number;
}

export function listTools(): Tool[] {
  return toolNames.map((name) => {
    const { title, description } = agentTools[name];
    return {
      name: operations[name].mcp,
      title,
      description,
      inputSchema: { ...toolSchema(inputOf(name), "input"), type: "object" },
      outputSchema: { ...toolSchema(agentTools[name].result.extend(pageFields), "output"), type: "object" },
      annotations: { readOnlyHint: true, openWorldHint: name !== "listResources" },
    };
  });
}

/**
 * Calls a tool. What goes wrong is a result as well, which tells the model what to do next.
 * @throws a refusal: no such tool
 */
export async function callTool(
  { name, arguments: input = {}, _meta }: CallToolRequest["params"],
  { notify, ...context }: ToolContext,
): Promise<CallToolResult> {
  const tool = toolNames.find((candidate) => operations[candidate].mcp === name);
  if (tool === undefined) {
    const known = toolNames.map((candidate) => operations[candidate].mcp).join(", ");
    throw refusal(ErrorCode.InvalidParams, `no tool ${quoteValue(name)}: there are ${known}`);
  }
  using progress = reportProgress(_meta?.progressToken, notify);
  const deadlineMs = _meta?.progressToken === undefined ? context.deadlineMs : undefined;
  const startedAt = performance.now();
  try {
    const result = await carryOut(tool, input, { ...context, deadlineMs, onEvent: progress.tell });
    context.log.info("tool-called", { tool, ms: Math.round(performance.now() - startedAt) });
    return result;
  } catch (error) {
    return toFailure(toCitewellError(error), { tool, log: context.log });
  }
}

const toolNames = operationNames.filter(isToolName);

function isToolName(name: OperationName): name is AgentToolName {
  return Object.hasOwn(agentTools, name);
}

const Offset = z
  .int()
  .min(0)
  .describe("How many to leave out at the beginning: the `nextOffset` of the result before.");

/** Over this wire all lists come in pages. */
function inputOf(name: AgentToolName): z.ZodObject {
  const { input } = agentTools[name];
  return name === "listResources" || name === "verify" ? input.extend({ offset: Offset.optional() }) : input;
}

const pageFields = {
  partial: z.string().optional().describe("Why the answer is not whole, and how to go on."),
  cut: z.string().optional().describe("What was left out because a result has a limit, and how to get it."),
  nextOffset: z.int().optional().describe("The `offset` of the next page, where there is one."),
};

interface CarryOutOptions {
  app: AgentHandlers;
  signal: AbortSignal;
  onEvent(event: AskEvent): void;
  deadlineMs: number | undefined;
}

async function carryOut(
  name: AgentToolName,
  input: Record<string, unknown>,
  { app, signal, onEvent, deadlineMs }: CarryOutOptions,
): Promise<CallToolResult> {
  const offset = readOffset(name, input);
  const known = onlyKnown(name, input);
  if (name === "ask") {
    const { answer, partial } = await askInTime(known, { app, signal, onEvent, deadlineMs });
    return present(name, agentTools[name], answer, { offset, ...(partial === undefined ? {} : { partial }) });
  }
  const output = await inTime(untilAborted<unknown>(callOperation(app, name, known, { signal }), signal), deadlineMs);
  return present(name, agentTools[name], output, { offset });
}

/** Only what the tool takes counts: who asks over this wire does not choose the model. */
function onlyKnown(name: AgentToolName, input: Record<string, unknown>): Record<string, unknown> {
  const { shape } = agentTools[name].input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => Object.hasOwn(shape, key)));
}

function readOffset(name: AgentToolName, { offset }: Record<string, unknown>): number {
  if (offset === undefined || !Object.hasOwn(inputOf(name).shape, "offset")) return 0;
  const { data, success } = Offset.safeParse(offset);
  if (success) return data;
  throw new CitewellError("InvalidRequest", "offset: must be a whole number, 0 or more");
}

/** The work behind it goes on, so that it is done when it is asked for again. @throws NotReadyYet */
async function inTime<Value>(work: Promise<Value>, deadlineMs: number | undefined): Promise<Value> {
  if (deadlineMs === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new CitewellError("NotReadyYet", "what was asked of is still arriving", {
          hint: "it goes on arriving: call the tool again in a minute",
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

function present<Name extends AgentToolName>(
  name: Name,
  { toResult, toText }: AgentTool<Name>,
  raw: unknown,
  { offset, partial }: { offset: number; partial?: string },
): CallToolResult {
  const sizeOf = (output: Output<Name>) => byteLength(toText(output)) + byteLength(toResult(output));
  const { output, cut, nextOffset } = toPage(name, outputs[name].output.parse(raw), { offset, sizeOf });
  const structuredContent = {
    ...toResult(output),
    ...(partial === undefined ? {} : { partial }),
    ...(cut === undefined ? {} : { cut }),
    ...(nextOffset === undefined ? {} : { nextOffset }),
  };
  const cited = citationsOf(structuredContent);
  const parts = [partial, toText(output), name === "ask" ? summarize(structuredContent, cited) : undefined, cut];
  const text = parts.filter((part) => part !== undefined && part !== "").join("\n\n");
  return { content: [{ type: "text", text }, ...linksTo(cited)], structuredContent };
}

const outputs: { [Name in AgentToolName]: { output: z.ZodType<Output<Name>> } } = operations;

/** No more links than people would follow; the citations themselves are all there. */
const linkLimit = 20;

/** The cited spans as resources that can be read, each once. */
function linksTo(citations: readonly Citation[]): ResourceLink[] {
  const links = citations.filter(isProved).map((citation): [string, ResourceLink] => {
    const uri = formatCitewellUrl(citation);
    const name = `${citation.path}:${formatLines(citation)}`;
    const description = `${citation.resource}, ${citationStateWords[citation.state]}`;
    return [uri, { type: "resource_link", uri, name, description, mimeType: "text/plain" }];
  });
  return [...new Map(links).values()].slice(0, linkLimit);
}

const Cited = z.object({
  citations: z.array(z.custom<Citation>((value) => typeof value === "object" && value !== null && "state" in value)),
});

function citationsOf(result: Record<string, unknown>): readonly Citation[] {
  return Cited.safeParse(result).data?.citations ?? [];
}

/** What the text of an answer does not say itself. */
function summarize({ thread }: Record<string, unknown>, citations: readonly Citation[]): string {
  const states = new Map<string, number>();
  for (const { state } of citations) {
    const words = citationStateWords[state];
    states.set(words, (states.get(words) ?? 0) + 1);
  }
  const counts = [...states].map(([words, count]) => `${count} ${words}`).join(", ");
  return [
    citations.length === 0
      ? "No citations."
      : `Citations: ${counts}. Verified means that the text is there and was read, not that the claim is true.`,
    ...(typeof thread === "string" ? [`Thread: ${thread}`] : []),
  ].join("\n");
}

function toFailure(error: CitewellError, { tool, log }: { tool: AgentToolName; log: Log }): CallToolResult {
  const { tag, message } = error;
  if (tag === "Internal") log.error("tool-failed", { tool, error: error.cause ?? error });
  else log.info("tool-refused", { tool, tag });
  const ownHint = error.hint ?? (tag === "InvalidRequest" ? describeInput(tool) : undefined);
  const hint = tag === "ProviderNotConnected" ? [ownHint, withheld].filter(Boolean).join(". ") : ownHint;
  const text = hint === undefined ? `${tag}: ${message}` : `${tag}: ${message}\nWhat to do: ${hint}`;
  const kept = hint === undefined ? { tag } : { tag, hint };
  return { isError: true, content: [{ type: "text", text }], _meta: { "citewell/error": kept } };
}

/** Codex, Gemini CLI and Copilot CLI start servers without the keys that are in their own environment. */
const withheld =
  "If the key is set in the shell, the client may withhold it: `citewell mcp local` writes settings that pass it on, " +
  "and `citewell connect` stores a key where every client finds it";

/** `search takes query, resources (optional), …`. */
function describeInput(name: AgentToolName): string {
  const fields = Object.entries(inputOf(name).shape).map(([field, schema]) => {
    const isOptional = schema instanceof z.ZodType && schema.safeParse(undefined).success;
    return isOptional ? `${field} (optional)` : field;
  });
  return `${operations[name].mcp} takes ${fields.length === 0 ? "nothing" : fields.join(", ")}`;
}

function byteLength(value: unknown): number {
  return Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));
}
