import { type CallToolRequest, type CallToolResult, ErrorCode, type Tool } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { CitewellError, toCitewellError } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { clampNumbers } from "../../protocol/clamp-numbers.ts";
import { describeFields } from "../../protocol/known-fields.ts";
import { type PublishedToolName, publishedTools, toolSchema } from "../../protocol/published-tools.ts";
import { type Handlers, type OperationName, operationNames, operations } from "../../protocol/operations.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { readArguments } from "./arguments.ts";
import { carryOut } from "./calls.ts";
import { hintForAgent } from "./hints.ts";
import { pageFields, type Presentation } from "./present.ts";
import { type Notify, reportProgress } from "./progress.ts";
import { refusal } from "./refusal.ts";

const toolNames = operationNames.filter(isToolName);

/**
 * What agents may do: the tools, and listing folders as resources. `deleteThread` is for threads of our own;
 * `getConfig` says whether a model answers.
 */
export const agentOperations = [...toolNames, "listFiles", "deleteThread", "getConfig"] as const;
/** The operations of `agentOperations`. */
export type AgentHandlers = Pick<Handlers, (typeof agentOperations)[number]>;

/** What a tool call works with. */
export interface ToolContext extends Presentation {
  app: AgentHandlers;
  log: Log;
  signal: AbortSignal;
  notify: Notify;
  /** How long a client that gave no progress token is let wait, in milliseconds. */
  deadlineMs: number;
}

/** Output schemas are for clients that asked for structured results: the others show both, or in place of the text. */
export function listTools({ isStructured }: Pick<Presentation, "isStructured">): Tool[] {
  return toolNames.map((name) => {
    const { title, description } = publishedTools[name];
    return {
      name: operations[name].mcp,
      title,
      description,
      inputSchema: { ...toolSchema(inputOf(name), "input"), type: "object" },
      ...(isStructured ? { outputSchema: outputOf(name) } : {}),
      annotations: { readOnlyHint: true, openWorldHint: name !== "listResources" },
      // Claude Code otherwise shows the name alone until the model looks for tools.
      ...(name === "search" ? { _meta: { "anthropic/alwaysLoad": true } } : {}),
    };
  });
}

/**
 * Calls a tool. A failure is a result that says what to do next.
 * @throws a refusal: no such tool
 */
export async function callTool(
  { name, arguments: said = {}, _meta }: CallToolRequest["params"],
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
    const known = readArguments(inputOf(tool), said, name);
    const { said: input, notes } = clampNumbers(inputOf(tool), known);
    const call = { ...context, offset: readOffset(tool, input), notes, deadlineMs, onEvent: progress.tell };
    const result = await carryOut(tool, input, call);
    context.log.info("tool-called", { tool, ms: Math.round(performance.now() - startedAt) });
    return result;
  } catch (error) {
    return toFailure(toCitewellError(error), { tool, log: context.log });
  }
}

/** Whether an operation is published as a tool. */
export function isToolName(name: OperationName): name is PublishedToolName {
  return Object.hasOwn(publishedTools, name);
}

const Offset = z
  .int()
  .min(0)
  .describe("How many to leave out at the beginning: the `nextOffset` of the result before.");

/** All lists come in pages over this wire. */
export function inputOf(name: PublishedToolName): z.ZodObject {
  const { input } = publishedTools[name];
  return name === "listResources" || name === "verify" ? input.extend({ offset: Offset.optional() }) : input;
}

export function outputOf(name: PublishedToolName): Tool["outputSchema"] {
  return { ...toolSchema(publishedTools[name].result.extend(pageFields), "output"), type: "object" };
}

/** The `offset` of a call, 0 without one. @throws InvalidRequest */
export function readOffset(name: PublishedToolName, { offset }: Record<string, unknown>): number {
  if (offset === undefined || !Object.hasOwn(inputOf(name).shape, "offset")) return 0;
  const { data, success } = Offset.safeParse(offset);
  if (success) return data;
  throw new CitewellError("InvalidRequest", "offset: must be a whole number, 0 or more");
}

function toFailure(error: CitewellError, { tool, log }: { tool: PublishedToolName; log: Log }): CallToolResult {
  const { tag, message } = error;
  if (tag === "Internal") log.error("tool-failed", { tool, error: error.cause ?? error });
  else log.info("tool-refused", { tool, tag });
  const hint =
    hintForAgent(error) ?? (tag === "InvalidRequest" ? describeFields(operations[tool].mcp, inputOf(tool)) : undefined);
  const text = hint === undefined ? `${tag}: ${message}` : `${tag}: ${message}\nWhat to do: ${hint}`;
  const kept = hint === undefined ? { tag } : { tag, hint };
  return { isError: true, content: [{ type: "text", text }], _meta: { "citewell/error": kept } };
}
