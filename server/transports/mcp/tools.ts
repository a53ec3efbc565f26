import {
  type CallToolRequest,
  type CallToolResult,
  ErrorCode,
  McpError,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import type * as z from "zod";
import { type CitewellError, toCitewellError } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import type { Log } from "../../lib/log.ts";
import { type AgentTool, type AgentToolName, agentTools, toolSchema } from "../../protocol/agent-tools.ts";
import type { AskEvent } from "../../protocol/ask.ts";
import {
  type Handlers,
  type OperationName,
  operationNames,
  operations,
  type Output,
} from "../../protocol/operations.ts";
import { callOperation } from "../call-operation.ts";
import { foldEvents } from "../fold-events.ts";
import { type Notify, reportProgress } from "./progress.ts";

export interface ToolContext {
  app: Handlers;
  log: Log;
  signal: AbortSignal;
  notify: Notify;
}

export function listTools(): Tool[] {
  return toolNames.map((name) => {
    const { title, description, input, result } = agentTools[name];
    return {
      name: operations[name].mcp,
      title,
      description,
      inputSchema: { ...toolSchema(input, "input"), type: "object" },
      outputSchema: { ...toolSchema(result, "output"), type: "object" },
      annotations: { readOnlyHint: true, openWorldHint: name !== "listResources" },
    };
  });
}

/**
 * Calls a tool. What goes wrong is a result as well, which tells the model what to do next.
 * @throws McpError: no such tool
 */
export async function callTool(
  { name, arguments: input = {}, _meta }: CallToolRequest["params"],
  { notify, ...context }: ToolContext,
): Promise<CallToolResult> {
  const tool = toolNames.find((candidate) => operations[candidate].mcp === name);
  if (tool === undefined) {
    const known = toolNames.map((candidate) => operations[candidate].mcp).join(", ");
    throw new McpError(ErrorCode.InvalidParams, `no tool ${JSON.stringify(name)}: there are ${known}`);
  }
  using progress = reportProgress(_meta?.progressToken, notify);
  try {
    return present(tool, agentTools[tool], await carryOut(tool, input, { ...context, onEvent: progress.tell }));
  } catch (error) {
    return toFailure(toCitewellError(error), context.log);
  }
}

const toolNames = operationNames.filter(isToolName);

function isToolName(name: OperationName): name is AgentToolName {
  return Object.hasOwn(agentTools, name);
}

/** Only what the tool takes counts: who asks over this wire does not choose the model. */
async function carryOut(
  name: AgentToolName,
  input: Record<string, unknown>,
  { app, signal, onEvent }: Pick<ToolContext, "app" | "signal"> & { onEvent(event: AskEvent): void },
): Promise<unknown> {
  const { shape } = agentTools[name].input;
  const known = Object.fromEntries(Object.entries(input).filter(([key]) => Object.hasOwn(shape, key)));
  const result = callOperation(app, name, name === "ask" ? { ...known, progress: true } : known, { signal });
  if (Symbol.asyncIterator in result) return foldEvents("ask", result, { signal, onEvent });
  return untilAborted<unknown>(result, signal);
}

function present<Name extends AgentToolName>(
  name: Name,
  { toResult, toText }: AgentTool<Name>,
  raw: unknown,
): CallToolResult {
  const output = outputs[name].output.parse(raw);
  return { content: [{ type: "text", text: toText(output) }], structuredContent: toResult(output) };
}

const outputs: { [Name in AgentToolName]: { output: z.ZodType<Output<Name>> } } = operations;

function toFailure(error: CitewellError, log: Log): CallToolResult {
  const { tag, message, hint } = error;
  if (tag === "Internal") log.error("tool-failed", { error: error.cause ?? error });
  const text = hint === undefined ? `${tag}: ${message}` : `${tag}: ${message}\nWhat to do: ${hint}`;
  const kept = hint === undefined ? { tag } : { tag, hint };
  return { isError: true, content: [{ type: "text", text }], _meta: { "citewell/error": kept } };
}
