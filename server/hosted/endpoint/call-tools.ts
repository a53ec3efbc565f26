import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { CitewellError } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import type { ErrorKind, ErrorTag } from "../../protocol/error-tags.ts";
import { describeIssues, quoteValue } from "../../protocol/validation.ts";
import { reportProgress } from "../../transports/mcp/progress.ts";
import { listTools, type McpTools, readInput } from "../../transports/mcp/tools.ts";
import { isRefusal } from "../limits/refusal.ts";
import type { CallOutcome } from "../metrics/service-metrics.ts";
import type { ProjectCall } from "../projects/registered.ts";
import { toPublicError } from "../public-error.ts";
import { type HostedTool, hostedTools } from "./tools.ts";

/** What the calls of one request work with. */
export interface HostedCall extends ProjectCall {
  /** Those that the caller may use. */
  tools: readonly HostedTool[];
  /** After how many milliseconds a call returns its partial result. */
  deadlineMs: number;
  /** Called when a call of a tool has ended, with a name of ours or `other`. */
  onCall?: ((tool: string, outcome: CallOutcome, ms: number) => void) | undefined;
  /** Called if a limit of the project refuses the call. */
  onRefusal(error: CitewellError): void;
}

/** The tools over one project. `isError` of their results is always set. */
export function createHostedTools({ tools, onCall, onRefusal, ...project }: HostedCall): McpTools {
  return {
    list: (options) => listTools(tools, options),
    async call({ name, arguments: given = {}, _meta }, { log, notify, isStructured, signal: left }) {
      const startedAt = performance.now();
      const elapsedMs = () => Math.round(performance.now() - startedAt);
      const tool = hostedTools.find((candidate) => candidate.name === name);
      const metered = tool === undefined ? "other" : name;
      using progress = reportProgress(_meta?.progressToken, notify);
      const signal = AbortSignal.any([project.signal, left]);
      try {
        if (tool === undefined) {
          const known = hostedTools.map((candidate) => candidate.name).join(", ");
          throw new CitewellError("InvalidRequest", `no tool ${quoteValue(name)}: there are ${known}`);
        }
        const { said, notes } = readInput(tool, given);
        const { data: input, error } = tool.input.safeParse(said);
        if (error !== undefined) throw new CitewellError("InvalidRequest", describeIssues(error, said));
        const call = { ...project, said, notes, isStructured, signal, onEvent: progress.tell };
        const result = await tool.run(input, call);
        log.info("tool-called", { tool: name, ms: elapsedMs() });
        onCall?.(metered, "ok", elapsedMs());
        return { isError: false, ...result };
      } catch (error) {
        const failure = toPublicError(error);
        if (isRefusal(failure)) onRefusal(failure);
        onCall?.(metered, outcomeOf(failure), elapsedMs());
        return toFailure(failure, { tool: name, log, canAdd: tools.some((one) => one.operation === "addResource") });
      }
    },
  };
}

/** What an agent does next; the errors' own hints are for a person at a terminal. */
const hints: Partial<Record<ErrorTag, string>> = {
  ResourceNotFound: "call listResources for the names",
  NotReadyYet: "the fetch continues: call the tool again in a minute",
  ModelNotFound: "use search and read, and tell the operator of this service",
  ProviderNotConnected: "use search and read, and tell the operator of this service: no model is connected",
  ProviderFailed: "use search and read, or call it again later",
  ProviderRateLimited: "use search and read, or call it again later",
  ProviderTimeout: "use search and read, or call it again later",
  OperationNotAllowed: "use a key with the scope for it",
};

/** Errors whose own hints are for an agent, too. */
const saysWhat: ReadonlySet<ErrorTag> = new Set(["ResourceNotOffered", "BranchNotFound", "VersionNotFound"]);

function toFailure(
  error: CitewellError,
  { tool, log, canAdd }: { tool: string; log: Log; canAdd: boolean },
): CallToolResult {
  const { tag, message } = error;
  if (tag === "Internal" || tag === "StorageFailed") log.error("tool-failed", { tool, error: error.cause ?? error });
  else log.info("tool-refused", { tool, tag });
  // The headers of an event stream are sent already, so its client learns of a limit here.
  const usual = tag === "ResourceNotFound" && canAdd ? `${hints[tag]}; addResource registers a new one` : hints[tag];
  const hint = isRefusal(error) || saysWhat.has(tag) ? error.hint : usual;
  const text = hint === undefined ? `${tag}: ${message}` : `${tag}: ${message}\nWhat to do: ${hint}`;
  return { isError: true, content: [{ type: "text", text }] };
}

const mistakes: ReadonlySet<ErrorKind> = new Set(["bad-request", "not-found", "forbidden", "too-large"]);

function outcomeOf(error: CitewellError): CallOutcome {
  if (isRefusal(error)) return "refused";
  if (error.kind === "cancelled") return "cancelled";
  return mistakes.has(error.kind) ? "rejected" : "failed";
}
