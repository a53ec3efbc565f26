import * as z from "zod";
import { type CallToolRequest, type CallToolResult, ErrorCode, type Tool } from "@modelcontextprotocol/sdk/types.js";
import { CitewellError, toCitewellError } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { clampNumbers } from "../../protocol/clamp-numbers.ts";
import { describeFields } from "../../protocol/known-fields.ts";
import { type PublishedToolName, publishedTools, toolSchema } from "../../protocol/published-tools.ts";
import { type Handlers, type OperationName, operationNames, operations } from "../../protocol/operations.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { carryOut } from "./calls.ts";
import { hintForAgent } from "./hints.ts";
import { pageFields, type Presentation } from "./present.ts";
import { type Notify, reportProgress } from "./progress.ts";
import { refusal } from "./refusal.ts";
import { readKnownFields } from "../request-fields.ts";

const toolNames = operationNames.filter(isToolName);

/**
 * What agents may do: the tools, and listing folders as resources. `deleteThread` is for threads of our own;
 * `getConfig` says whether a model answers.
 */
export const agentOperations = [...toolNames, "listFiles", "deleteThread", "getConfig"] as const;
/** The operations of `agentOperations`. */
export type AgentHandlers = Pick<Handlers, (typeof agentOperations)[number]>;

/** A tool as clients list it, and what it accepts. */
export interface McpTool extends Pick<Tool, "title" | "description" | "annotations" | "_meta"> {
  name: string;
  input: z.ZodObject;
  /** The schema of structured results. */
  output?: z.ZodObject;
}

/** The tools of a server. */
export interface McpTools {
  list(options: Pick<Presentation, "isStructured">): Tool[];
  /** A failure is a result that says what to do next. @throws a refusal, which is answered in the protocol's own form */
  call(params: CallToolRequest["params"], call: ToolCall): Promise<CallToolResult>;
}

/** One call of a tool. */
export interface ToolCall extends Pick<Presentation, "isStructured"> {
  signal: AbortSignal;
  /** Sends progress to the client. */
  notify: Notify;
  log: Log;
}

/** Output schemas are for clients that asked for structured results: the others show both, or in place of the text. */
export function listTools(tools: readonly McpTool[], { isStructured }: Pick<Presentation, "isStructured">): Tool[] {
  return tools.map(({ name, title, description, annotations, _meta, input, output }) => ({
    name,
    title,
    description,
    inputSchema: { ...toolSchema(input, "input"), type: "object" },
    ...(isStructured && output !== undefined
      ? { outputSchema: { ...toolSchema(output, "output"), type: "object" } }
      : {}),
    annotations,
    ...(_meta === undefined ? {} : { _meta }),
  }));
}

/** The arguments of a call, and in sentences what was changed in them. @throws InvalidRequest */
export function readInput(
  { name, input }: McpTool,
  said: Readonly<Record<string, unknown>>,
): ReturnType<typeof clampNumbers> {
  return clampNumbers(input, readArguments(input, said, name));
}

const Offset = z.int().min(0).describe("How many to leave out first: the `nextOffset` of the result before.");

const localTools = toolNames.map((operation) => {
  const { title, description } = publishedTools[operation];
  const tool: McpTool = {
    name: operations[operation].mcp,
    title,
    description,
    input: inputOf(operation),
    output: outputOf(operation),
    annotations: { readOnlyHint: true, openWorldHint: operation !== "listResources" },
    // Claude Code otherwise shows the name alone until the model looks for tools.
    ...(operation === "search" ? { _meta: { "anthropic/alwaysLoad": true } } : {}),
  };
  return { operation, tool };
});

/** What the tools of a local server work with. */
interface LocalToolOptions extends Pick<Presentation, "cwd"> {
  app: AgentHandlers;
  /** How long a client that gave no progress token is let wait, in milliseconds. */
  deadlineMs: number;
}

/** The tools for an agent on this computer. */
export function createLocalTools({ app, deadlineMs: usualDeadlineMs, cwd }: LocalToolOptions): McpTools {
  const tools = localTools.map(({ tool }) => tool);
  return {
    list: (options) => listTools(tools, options),
    async call({ name, arguments: said = {}, _meta }, { notify, log, ...call }) {
      const found = localTools.find(({ tool }) => tool.name === name);
      if (found === undefined) {
        const known = tools.map((tool) => tool.name).join(", ");
        throw refusal(ErrorCode.InvalidParams, `no tool ${quoteValue(name)}: there are ${known}`);
      }
      const { operation, tool } = found;
      using progress = reportProgress(_meta?.progressToken, notify);
      const deadlineMs = _meta?.progressToken === undefined ? usualDeadlineMs : undefined;
      const startedAt = performance.now();
      try {
        const { said: input, notes } = readInput(tool, said);
        const offset = readOffset(operation, input);
        const options = { ...call, app, cwd, offset, notes, deadlineMs, onEvent: progress.tell };
        const result = await carryOut(operation, input, options);
        log.info("tool-called", { tool: operation, ms: Math.round(performance.now() - startedAt) });
        return result;
      } catch (error) {
        return toFailure(toCitewellError(error), { tool: operation, log });
      }
    },
  };
}

/** Whether an operation is published as a tool. */
function isToolName(name: OperationName): name is PublishedToolName {
  return Object.hasOwn(publishedTools, name);
}

/** Over this wire all lists come in pages. */
export function inputOf(name: PublishedToolName): z.ZodObject {
  const { input } = publishedTools[name];
  return name === "listResources" || name === "verify" ? input.extend({ offset: Offset.optional() }) : input;
}

export function outputOf(name: PublishedToolName): z.ZodObject {
  return publishedTools[name].result.extend(pageFields);
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

const Arguments = z.record(z.string(), z.unknown());

/**
 * The arguments of a tool call, without those that the client left out by saying null.
 * @throws InvalidRequest, which names each argument that the tool does not have, and the one that was probably meant
 */
function readArguments(
  input: z.ZodObject,
  said: Readonly<Record<string, unknown>>,
  tool: string,
): Record<string, unknown> {
  return Arguments.parse(readKnownFields(input, said, { subject: tool, noun: "argument" }));
}
