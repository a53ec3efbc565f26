import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import type { AskEvent } from "../../protocol/ask.ts";
import { clampNumbers } from "../../protocol/clamp-numbers.ts";
import type { ErrorKind, ErrorTag } from "../../protocol/error-tags.ts";
import { AddResource, type FetchState, HostedResourceList, type KeyScope, Sync } from "../../protocol/hosted.ts";
import { type Handlers, type Operation, operationNames, operations } from "../../protocol/operations.ts";
import { type PublishedToolName, publishedTools, toolSchema } from "../../protocol/published-tools.ts";
import { limits, ResourceName } from "../../protocol/resource-fields.ts";
import { describeIssues, quoteValue } from "../../protocol/validation.ts";
import { readArguments } from "../../transports/mcp/arguments.ts";
import { carryOut } from "../../transports/mcp/calls.ts";
import { inputOf, isToolName, outputOf, readOffset } from "../../transports/mcp/tools.ts";
import { isRefusal } from "../limits/refusal.ts";
import type { CallOutcome } from "../metrics/service-metrics.ts";
import { describeFetch } from "../jobs/describe-fetch.ts";
import type { Fetches } from "../jobs/fetches.ts";
import type { Holder } from "./holders.ts";
import { toPublicError } from "../public-error.ts";
import { addResource, listResources, sync } from "./resource-tools.ts";

/** What a tool call works with. */
export interface ToolCall {
  app: Handlers;
  /** The fetches of the project. */
  fetches: Fetches;
  /** The milliseconds after which a call returns its partial result. */
  deadlineMs: number;
  /** Whether results are structured beside the text. Many agents show their model only one of the two. */
  isStructured: boolean;
  signal: AbortSignal;
  /** Receives the events of a question. */
  onEvent?: ((event: AskEvent) => void) | undefined;
  log: Log;
  /** Called when a call of a tool has ended, with a name of ours or `other`. */
  onCall?: (tool: string, outcome: CallOutcome, ms: number) => void;
  /** Called if a limit of the project refuses the call. */
  onRefusal?: (error: CitewellError) => void;
}

/** What decides which tools may be used. */
export type Rights = Pick<Holder, "scopes" | "resources">;

type ToolName = PublishedToolName | "addResource" | "refreshResource";

interface HostedTool {
  title: string;
  description: string;
  /** One of these is enough. */
  scopes: readonly KeyScope[];
  input: z.ZodObject;
  output: Tool["outputSchema"];
}

const resources = z
  .array(ResourceName)
  .max(limits.resourcesPerRequest)
  .optional()
  .describe("Names as listResources returns them. None given: all of them.");

const resourceList: Tool["outputSchema"] = { ...toolSchema(HostedResourceList, "output"), type: "object" };

const tools: { readonly [Name in ToolName]: HostedTool } = {
  listResources: {
    title: publishedTools.listResources.title,
    description: "Call this first: the codebases that this team registered, with name, kind, revision and state.",
    scopes: ["ask", "read", "manage"],
    input: inputOf("listResources"),
    output: resourceList,
  },
  ask: {
    title: publishedTools.ask.title,
    description:
      "Explains how the team's codebases work, across files, with citations that were checked against them. Name " +
      "resources as listResources returns them.",
    scopes: ["ask"],
    input: publishedTools.ask.input.pick({ question: true }).extend({ resources }),
    output: outputOf("ask"),
  },
  search: {
    title: publishedTools.search.title,
    description:
      "Finds code and documentation in the team's codebases: ranked by relevance, exact, by a regular expression, or the " +
      "definitions or uses of a name. Then read for more lines, and cite the place above the lines, or path:line.",
    scopes: ["read"],
    input: inputOf("search").extend({ resources }),
    output: outputOf("search"),
  },
  read: {
    title: publishedTools.read.title,
    description:
      "Reads lines of a file at a revision, with line numbers, below the place to cite. Use it after search.",
    scopes: ["read"],
    input: inputOf("read").extend({ resource: ResourceName.describe("A name as listResources returns it.") }),
    output: outputOf("read"),
  },
  verify: {
    title: publishedTools.verify.title,
    description:
      "Checks that the files and lines that a text cites exist and say what is quoted. It does not check whether the " +
      "claims are true.",
    scopes: ["read"],
    input: inputOf("verify").extend({ resources }),
    output: outputOf("verify"),
  },
  addResource: {
    title: "Add a codebase",
    description:
      "Registers a git repository (https) or an npm package under a name. It is fetched in the background: listResources " +
      "shows its state.",
    scopes: ["manage"],
    input: AddResource,
    output: undefined,
  },
  refreshResource: {
    title: "Fetch the newest revision",
    description:
      "Fetches the newest revision of a resource, or of all when none is named, in the background: listResources shows the " +
      "state.",
    scopes: ["manage"],
    input: Sync,
    output: resourceList,
  },
};

const toolNames = operationNames.filter((name) => Object.hasOwn(tools, name)).filter(isHostedName);

/**
 * The operations that a key may use. `ask` also needs `search`, for an answer that is not complete in time, and
 * `getConfig`, to see whether a model is configured.
 */
export function operationsOf(rights: Rights): ReadonlySet<ToolName | "getConfig"> {
  const allowed = toolNames.filter((name) => isAllowed(name, rights));
  return new Set(rights.scopes.includes("ask") ? [...allowed, "search", "getConfig"] : allowed);
}

/** The tools that a key may use. Output schemas are for clients that get structured results. */
export function listTools({ rights, isStructured }: { rights: Rights; isStructured: boolean }): Tool[] {
  return toolNames
    .filter((name) => isAllowed(name, rights))
    .map((name) => {
      const { title, description, input, output } = tools[name];
      return {
        name: publicNameOf(name),
        title,
        description,
        inputSchema: { ...toolSchema(input, "input"), type: "object" },
        ...(output === undefined || !isStructured ? {} : { outputSchema: output }),
        annotations: { readOnlyHint: isToolName(name), openWorldHint: false },
      };
    });
}

/**
 * Checks the rights for a tool. An unknown tool is refused later.
 * @throws OperationNotAllowed (the scope is missing, or the key is limited to some resources)
 */
export function requireAllowed(toolName: string, holder: Rights & Pick<Holder, "kind">): void {
  const name = findTool(toolName);
  if (name === undefined || isAllowed(name, holder)) return;
  const { kind, scopes: own } = holder;
  const { scopes } = tools[name];
  if (scopes.some((scope) => own.includes(scope))) {
    throw new CitewellError("OperationNotAllowed", "a key that is limited to some resources cannot add one", {
      hint: "use a key for all resources",
    });
  }
  throw new CitewellError("OperationNotAllowed", `the tool "${toolName}" needs the scope ${scopes.join(" or ")}`, {
    hint: `this ${kind} has ${own.length === 0 ? "none" : own.join(", ")}`,
  });
}

/** Calls a tool by its public name. A failure is a result that says what to do next; `isError` is always set. */
export async function callTool(
  toolName: string,
  input: Record<string, unknown>,
  call: ToolCall,
): Promise<CallToolResult> {
  const startedAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  const name = findTool(toolName);
  const tool = name === undefined ? "other" : toolName;
  try {
    if (name === undefined) {
      const known = toolNames.map(publicNameOf).join(", ");
      throw new CitewellError("InvalidRequest", `no tool ${quoteValue(toolName)}: there are ${known}`);
    }
    const result = await runTool(name, input, call);
    call.log.info("tool-called", { tool, ms: elapsedMs() });
    call.onCall?.(tool, "ok", elapsedMs());
    return { isError: false, ...result };
  } catch (error) {
    const failure = toPublicError(error);
    if (isRefusal(failure)) call.onRefusal?.(failure);
    call.onCall?.(tool, outcomeOf(failure), elapsedMs());
    return toFailure(failure, { tool: toolName, log: call.log });
  }
}

async function runTool(name: ToolName, raw: Record<string, unknown>, call: ToolCall): Promise<CallToolResult> {
  const known = readArguments(tools[name].input, raw, publicNameOf(name));
  const { said, notes } = clampNumbers(tools[name].input, known);
  const parsed = tools[name].input.safeParse(said);
  if (!parsed.success) throw new CitewellError("InvalidRequest", describeIssues(parsed.error, said));
  const input = parsed.data;
  // The defaults of the other types do not apply.
  if (name === "addResource") return addResource(said, call);
  if (name === "listResources") return listResources(call);
  if (name === "refreshResource") return sync(Sync.parse(input), call);
  const { app, signal, deadlineMs, isStructured, fetches, onEvent = () => {} } = call;
  const asked = await requireKnown(input, fetches);
  if (name === "ask" || name === "search") requireSome(asked);
  const result = await carryOut(name, input, {
    app,
    signal,
    deadlineMs,
    keepsThread: false,
    offset: readOffset(name, input),
    notes,
    cwd: undefined,
    isStructured,
    onEvent,
  });
  return withFailures(result, asked, call);
}

const Named = z.object({ resources: z.array(z.string()).default([]), resource: z.string().optional() });
type States = ReadonlyMap<string, FetchState>;

/**
 * The resources of a call, with the state of their fetches. Only registered ones are allowed, although the operations
 * can open others.
 * @throws ResourceNotFound
 */
export async function requireKnown(input: Record<string, unknown>, fetches: Fetches): Promise<States> {
  const { resources: several, resource } = Named.parse(input);
  const named = new Set(resource === undefined ? several : [...several, resource]);
  const states = await fetches.statesForQuestion([...named]);
  const unknown = [...named].find((name) => !states.has(name));
  if (unknown !== undefined) throw new CitewellError("ResourceNotFound", `no resource named ${quoteValue(unknown)}`);
  return new Map([...states].filter(([name]) => named.size === 0 || named.has(name)));
}

/** Refuses a question about all resources where there are none. @throws ResourceNotFound */
export function requireSome(asked: States): void {
  if (asked.size > 0) return;
  throw new CitewellError("ResourceNotFound", "there is no resource to answer from", {
    hint: "an admin of the project adds a repository or a package first",
  });
}

/** The resources that are answered from their last snapshot, because their last fetch failed. */
export async function findOutdated(
  asked: States,
  { app, signal }: Pick<ToolCall, "app" | "signal">,
): Promise<{ name: string; fetch: FetchState }[]> {
  const failed = [...asked].filter(([, { state }]) => state === "failed");
  if (failed.length === 0) return [];
  const { resources } = await app.listResources({}, { signal });
  const onDisk = new Set(resources.filter(({ revision }) => revision !== null).map(({ name }) => name));
  return failed.filter(([name]) => onDisk.has(name)).map(([name, fetch]) => ({ name, fetch }));
}

/** Says which of the resources may be out of date. */
async function withFailures(result: CallToolResult, asked: States, call: ToolCall): Promise<CallToolResult> {
  if (result.isError === true) return result;
  const outdated = await findOutdated(asked, call);
  const notes = outdated.map(({ name, fetch }) => `${name}: ${describeFetch(fetch)}. This is from its last snapshot.`);
  return notes.length === 0
    ? result
    : { ...result, content: [...result.content, { type: "text", text: notes.join("\n") }] };
}

/** What an agent does next; the errors' own hints are for a person at a terminal. */
const hints: Partial<Record<ErrorTag, string>> = {
  ResourceNotFound: "call listResources for the names; addResource registers a new one",
  NotReadyYet: "the fetch continues: call the tool again in a minute",
  ModelNotFound: "use search and read, and tell the operator of this service",
  ProviderNotConnected: "use search and read, and tell the operator of this service: no model is connected",
  ProviderFailed: "use search and read, or call it again later",
  ProviderRateLimited: "use search and read, or call it again later",
  ProviderTimeout: "use search and read, or call it again later",
  OperationNotAllowed: "use a key with the scope for it",
};

function toFailure(error: CitewellError, { tool, log }: { tool: string; log: Log }): CallToolResult {
  const { tag, message } = error;
  if (tag === "Internal" || tag === "StorageFailed") log.error("tool-failed", { tool, error: error.cause ?? error });
  else log.info("tool-refused", { tool, tag });
  // The headers of an event stream are sent already, so its client learns of a limit here.
  const hint = isRefusal(error) ? error.hint : hints[tag];
  const text = hint === undefined ? `${tag}: ${message}` : `${tag}: ${message}\nWhat to do: ${hint}`;
  return { isError: true, content: [{ type: "text", text }] };
}

const mistakes: ReadonlySet<ErrorKind> = new Set(["bad-request", "not-found", "forbidden", "too-large"]);

function outcomeOf(error: CitewellError): CallOutcome {
  if (isRefusal(error)) return "refused";
  if (error.kind === "cancelled") return "cancelled";
  return mistakes.has(error.kind) ? "rejected" : "failed";
}

/** Whether there is a tool with this name. */
export function isTool(toolName: string): boolean {
  return findTool(toolName) !== undefined;
}

function findTool(toolName: string): ToolName | undefined {
  return toolNames.find((name) => publicNameOf(name) === toolName);
}

function publicNameOf(name: ToolName): string {
  const { hosted, mcp }: Operation = operations[name];
  return hosted ?? mcp ?? name;
}

function isAllowed(name: ToolName, { scopes, resources }: Rights): boolean {
  // A limited key could not read what it adds.
  if (name === "addResource" && resources !== null) return false;
  return tools[name].scopes.some((scope) => scopes.includes(scope));
}

function isHostedName(name: string): name is ToolName {
  return Object.hasOwn(tools, name);
}
