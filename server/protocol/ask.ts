import * as z from "zod";
import { Citation } from "./citation.ts";
import { KindName } from "./kinds/kinds.ts";
import { limits, textUpTo } from "./resource-fields.ts";
import { resourceRefs, Scope, Unavailable } from "./resource.ts";

export const ModelRef = z.object({ provider: z.string(), model: z.string() }).meta({ id: "ModelRef" });
export type ModelRef = z.infer<typeof ModelRef>;

/** A question as it arrives on any wire. `resources` takes configured names and one-off references. */
export const AskRequest = z
  .object({
    question: textUpTo(limits.questionLength, `a question has at most ${limits.questionLength} characters`)
      .refine((question) => question.trim() !== "", "a question must not be empty")
      .describe("Use names from the code if you know them."),
    resources: resourceRefs("question").optional(),
    scope: Scope.optional(),
    quiet: z.boolean().optional().describe("Silences the server's own log for this request."),
    thread: z.string().min(1).max(64).optional().describe("The thread to continue, or `new`."),
    replacesSince: z.iso
      .datetime()
      .optional()
      .describe("The question replaces the thread's turns asked at this time or later, as a rephrased question does."),
    progress: z
      .boolean()
      .optional()
      .describe("Send `progress` events while resources are fetched, and when a model call is retried."),
    model: ModelRef.optional().describe("The model for this question, instead of the configured one."),
  })
  .meta({ id: "AskRequest" });
export type AskRequest = z.infer<typeof AskRequest>;

const Collection = z.object({
  key: z.string().describe("The names of the resources, sorted and joined."),
  path: z.string().describe("The folder on disk that holds their snapshots; empty for callers on other computers."),
});

/** The revision of a resource that a question was about, and its origin. */
export const SnapshotInfo = z
  .object({
    resource: z.string(),
    type: KindName,
    revision: z.string().describe("A commit, a package version with its integrity, or a content hash."),
    label: z.string().describe("The revision for people: `express 5.3.0, installed in node_modules`."),
    fetchedAt: z.iso.datetime().nullable().describe("When it was fetched; null if it is read in place."),
    directory: z.string().optional().describe("The folder, if its files are read in place."),
    stale: z.string().optional().describe("Why a newer revision may exist, in words, with the age."),
    fileCount: z.int().nonnegative(),
    skippedCount: z.int().nonnegative().describe("Files left out: too large, binary, a link that leaves the tree."),
    skipped: z
      .array(z.object({ path: z.string(), reason: z.string() }))
      .optional()
      .describe("The first of the files left out, and why."),
  })
  .meta({ id: "SnapshotInfo" });
export type SnapshotInfo = z.infer<typeof SnapshotInfo>;

const Milliseconds = z.number().describe("Milliseconds since the epoch.");
const ToolInput = z.record(z.string(), z.unknown());
const ToolMetadata = z.record(z.string(), z.unknown());
const Finished = z.object({ start: Milliseconds, end: Milliseconds });

export const ToolState = z
  .discriminatedUnion("status", [
    z.object({ status: z.literal("pending"), input: ToolInput, raw: z.string().optional() }),
    z.object({
      status: z.literal("running"),
      input: ToolInput,
      title: z.string().optional(),
      metadata: ToolMetadata.optional(),
      time: z.object({ start: Milliseconds }),
    }),
    z.object({
      status: z.literal("completed"),
      input: ToolInput,
      output: z.string(),
      title: z.string().optional(),
      metadata: ToolMetadata.optional(),
      time: Finished,
    }),
    z.object({
      status: z.literal("error"),
      input: ToolInput,
      error: z.string(),
      metadata: ToolMetadata.optional(),
      time: Finished,
    }),
  ])
  .meta({ id: "ToolState" });
export type ToolState = z.infer<typeof ToolState>;

export const ToolTrace = z.object({ callID: z.string(), tool: z.string(), state: ToolState }).meta({ id: "ToolTrace" });
export type ToolTrace = z.infer<typeof ToolTrace>;

const TokenCount = z.int().nonnegative();
export const Usage = z
  .object({
    inputTokens: TokenCount.optional(),
    outputTokens: TokenCount.optional(),
    reasoningTokens: TokenCount.optional(),
    totalTokens: TokenCount.optional(),
    cacheReadTokens: TokenCount.optional().describe("Input tokens that the provider read from its cache."),
    cacheWriteTokens: TokenCount.optional().describe("Input tokens that the provider wrote to its cache."),
  })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof Usage>;

export const UsdRates = z.object({ input: z.number(), output: z.number() });
export const Metrics = z
  .object({
    timing: z.object({ totalMs: z.number(), genMs: z.number() }).optional(),
    throughput: z
      .object({ outputTokensPerSecond: z.number().optional(), totalTokensPerSecond: z.number().optional() })
      .optional(),
    pricing: z
      .object({
        source: z.string().describe("The price catalogue, with its date."),
        modelKey: z.string().describe("`<provider>/<model>`."),
        ratesUsdPerMTokens: UsdRates,
        costUsd: UsdRates.extend({ total: z.number() }),
      })
      .optional(),
  })
  .meta({ id: "Metrics" });
export type Metrics = z.infer<typeof Metrics>;

/** Why an answer ended before the model was done; the answer is partial, and its text says so too. */
export const Stopped = z
  .object({
    reason: z.enum(["max-steps", "max-tokens", "max-cost", "length", "empty", "filtered"]),
    message: z.string(),
  })
  .meta({ id: "Stopped" });
export type Stopped = z.infer<typeof Stopped>;

/** Absent where at least one citation is proved. */
const Evidence = z
  .literal("none")
  .optional()
  .describe(
    "`none` when nothing that was read proves the answer: no citation is proved, or only the nearest lines are cited.",
  );

const answerFields = {
  text: z.string(),
  reasoning: z.string(),
  tools: z.array(ToolTrace),
  citations: z.array(Citation),
  usage: Usage.optional(),
  metrics: Metrics.optional(),
  stopped: Stopped.optional(),
  evidence: Evidence,
  thread: z.string().optional(),
  opened: z
    .array(SnapshotInfo)
    .optional()
    .describe("Dependencies of the open project that the model opened by itself."),
};

/** A dependency of the open project, at its installed version; `resources` takes its reference. */
const Offer = z.object({ reference: z.string(), name: z.string(), version: z.string() }).meta({ id: "Offer" });
export type Offer = z.infer<typeof Offer>;

const metaFields = {
  model: ModelRef,
  resources: z.array(z.string()),
  collection: Collection,
  snapshots: z.array(SnapshotInfo),
  offers: z.array(Offer).optional().describe("Dependencies that the question names and that were not used."),
  unavailable: z
    .array(Unavailable)
    .optional()
    .describe("Resources that did not open in time, or not at all, so were left out."),
  warnings: z
    .array(z.string())
    .optional()
    .describe("Faults of the configuration, and unknown fields of the request, that were ignored."),
};

/** A call of the model that failed in a way that may pass, and is made again. */
export const ModelRetry = z
  .object({
    reason: z.string().describe("Why the last call failed: `too many requests (HTTP 429)`."),
    attempt: z.int().min(1).describe("The number of the next retry, from 1."),
    limit: z.int().min(1).describe("The maximum number of retries."),
    delayMs: z.number().nonnegative().describe("Milliseconds until the next call."),
  })
  .meta({ id: "ModelRetry" });
export type ModelRetry = z.infer<typeof ModelRetry>;

/** `too many requests (HTTP 429); retry 1 of 2 in 6 s`. */
export function describeRetry({ reason, attempt, limit, delayMs }: ModelRetry): string {
  return `${reason}; retry ${attempt} of ${limit} in ${Math.ceil(delayMs / 1000)} s`;
}

const StartedThread = z.string().optional().describe("The thread that stores the turn, also if it fails.");

export const ProgressEvent = z.object({
  type: z.literal("progress"),
  resource: z.string(),
  phase: z.enum(["resolve", "fetch", "index"]),
  fraction: z.number().min(0).max(1).optional(),
  message: z.string(),
  retry: ModelRetry.optional().describe("The model is called again; `resource` is then `<provider>/<model>`."),
});

/** The six event types of the stream, and `progress`, which is sent only to those who ask for it (docs/contract.md). */
export const AskEvent = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("meta"), ...metaFields, thread: StartedThread }),
    z.object({ type: z.literal("reasoning.delta"), delta: z.string() }),
    z.object({
      type: z.literal("text.delta"),
      delta: z.string(),
      citations: z.array(Citation).optional().describe("Those completed in this delta."),
    }),
    z.object({ type: z.literal("tool.updated"), ...ToolTrace.shape }),
    z.object({ type: z.literal("done"), ...answerFields }),
    z.object({
      type: z.literal("error"),
      tag: z.string(),
      message: z.string(),
      hint: z.string().optional(),
    }),
    ProgressEvent,
  ])
  .meta({ id: "AskEvent" });
export type AskEvent = z.infer<typeof AskEvent>;
export type AskEventOf<Type extends AskEvent["type"]> = Extract<AskEvent, { type: Type }>;

/** What the events of one question add up to. */
export const Answer = z.object({ ...metaFields, ...answerFields }).meta({ id: "Answer" });
export type Answer = z.infer<typeof Answer>;

/** The reply of `POST /question`: an answer without what only streams, its text called `answer`. */
export const QuestionReply = z
  .object({ answer: z.string(), ...Answer.omit({ text: true, reasoning: true, tools: true }).shape })
  .meta({ id: "QuestionReply" });
export type QuestionReply = z.infer<typeof QuestionReply>;

export const emptyAnswer: Answer = {
  model: { provider: "", model: "" },
  resources: [],
  collection: { key: "", path: "" },
  snapshots: [],
  text: "",
  reasoning: "",
  tools: [],
  citations: [],
};

/**
 * The one fold from events to an answer; every client and every non-streaming reply uses it, so they cannot disagree.
 * Pure: returns a new answer. `error` and `progress` leave it as it is: what had arrived stays.
 */
export function foldAnswer(answer: Answer, event: AskEvent): Answer {
  switch (event.type) {
    case "meta": {
      const { type: _, ...meta } = event;
      return { ...answer, ...meta };
    }
    case "reasoning.delta":
      return { ...answer, reasoning: answer.reasoning + event.delta };
    case "text.delta":
      return {
        ...answer,
        text: answer.text + event.delta,
        citations: event.citations === undefined ? answer.citations : [...answer.citations, ...event.citations],
      };
    case "tool.updated": {
      const { type: _, ...trace } = event;
      return { ...answer, tools: upsertTrace(answer.tools, trace) };
    }
    case "done": {
      const { type: _, ...final } = event;
      const { opened = [] } = final;
      const resources = [...answer.resources, ...opened.map(({ resource }) => resource)];
      const folded = { ...answer, ...final, resources, snapshots: [...answer.snapshots, ...opened] };
      const offers = answer.offers?.filter(({ reference }) => !resources.includes(reference));
      return offers === undefined ? folded : { ...folded, offers };
    }
    case "error":
    case "progress":
      return answer;
  }
}

export function toQuestionReply(answer: Answer): QuestionReply {
  const { text, reasoning: _reasoning, tools: _tools, ...rest } = answer;
  return { answer: text, ...rest };
}

function upsertTrace(traces: ToolTrace[], trace: ToolTrace): ToolTrace[] {
  const index = traces.findIndex(({ callID }) => callID === trace.callID);
  return index === -1 ? [...traces, trace] : traces.with(index, trace);
}
