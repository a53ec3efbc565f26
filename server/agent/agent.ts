import type { LanguageModelV4 } from "@ai-sdk/provider";
import {
  type LanguageModelUsage,
  type ModelMessage,
  experimental_streamTextLowMemory as streamText,
  type TextStreamPart,
  ToolChoiceViolationError,
} from "ai";
import { messageOf } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import type { AskEventOf, Stopped, Usage } from "../protocol/ask.ts";
import { isPromptTooLong } from "../providers/failure.ts";
import { unreadCall } from "../providers/chat-completions/text-call-parts.ts";
import { createCondenser } from "./condense.ts";
import { cancelled, closingNote, describeStop, timedOut } from "./ending.ts";
import { type AgentLimits, budgetAfter, sumUsage, toolTimeoutMs } from "./limits.ts";
import { instructionsFor, lastStepInstructions } from "./prompt.ts";
import { runBuiltin } from "./run-builtin.ts";
import type { FindChanges } from "./tools/changes.ts";
import { repairJson } from "./tools/arguments.ts";
import type { ToolContext } from "./tools/define.ts";
import { createTools, type Tools } from "./tools/tools.ts";
import { createTraces, type Traces } from "./traces.ts";

export interface AgentOptions extends Omit<ToolContext, "isLeftOut"> {
  question: string;
  /** Earlier turns of the conversation, oldest first. Lines read for them must be read again to be cited. */
  history?: readonly { question: string; answer: string }[];
  /** For the built-in provider. */
  findChanges?: FindChanges | undefined;
  /** Its `provider` and `modelId` are named in errors. `builtin`: the built-in provider answers, without a model. */
  model: LanguageModelV4 | "builtin";
  limits: AgentLimits;
  /** The model's context in tokens, if known. */
  contextTokens?: number | undefined;
  signal: AbortSignal;
  log: Log;
}

export type AgentEvent =
  | AskEventOf<"reasoning.delta">
  | { type: "text.delta"; delta: string }
  | AskEventOf<"tool.updated">
  | {
      type: "finish";
      usage: Usage;
      /** What each call of the model took. */
      steps: readonly Usage[];
      /** Milliseconds spent waiting for the model, over all steps; the time of the tools does not count. */
      genMs: number;
      stopped?: Stopped;
      /** The built-in provider reports that what it cites does not answer the question. */
      lacksEvidence: boolean;
    };

/**
 * Lets the model look into the snapshots with its tools until it answers, for `operations/ask.ts`. Text comes as the
 * model writes it, citation markers and all: `citations/` checks and replaces them. `finish` is last; a run that a
 * limit or the provider ended early says so in its text as well.
 *
 * It opens no resource and stores nothing. Leaving the iteration or aborting the signal stops the model and the
 * tools. Read `tools/tools.ts` and `prompt.ts` next.
 * @throws Cancelled, ProviderTimeout, and what the model's calls throw (server/providers/failure.ts)
 */
export async function* runAgent({ model, ...options }: AgentOptions): AsyncGenerator<AgentEvent> {
  if (model === "builtin") return yield* runBuiltin(options);
  const { history = [] } = options;
  let hasBegun = false;
  for (const kept of new Set([history.length, Math.min(1, history.length), 0])) {
    try {
      const left = history.length - kept;
      for await (const event of runOnce({ ...options, model, history: history.slice(left) }, leftOutNote(left))) {
        hasBegun = true;
        yield event;
      }
      return;
    } catch (error) {
      if (hasBegun || kept === 0 || !isPromptTooLong(error)) throw error;
      options.log.info("history-left-out", { turns: history.length });
    }
  }
}

/** A note for the reader: the model does not know of these turns. */
function leftOutNote(count: number): string {
  if (count === 0) return "";
  const [turns, were] = count === 1 ? ["turn", "was"] : ["turns", "were"];
  return `> The first ${count} ${turns} of this conversation ${were} left out: the prompt was too long for the model.\n\n`;
}

type ModelRun = AgentOptions & { model: LanguageModelV4 };

async function* runOnce(options: ModelRun, note: string): AsyncGenerator<AgentEvent> {
  const leaving = new AbortController();
  const traces = createTraces();
  const run: Run = { text: "", reasoning: "", steps: [], genMs: 0, step: { ...emptyStep } };
  try {
    for await (const part of startStream(options, AbortSignal.any([options.signal, leaving.signal]))) {
      if (part.type === "abort") throw timedOut(`${options.model.provider}/${options.model.modelId}`, options.limits);
      if (part.type === "finish-step")
        options.log.debug("agent-step", { ...toUsage(part.usage), reason: part.finishReason });
      const before = run.text;
      for (const event of readPart(part, run, traces)) {
        if (note !== "" && before === "" && event.type === "text.delta") yield { type: "text.delta", delta: note };
        yield event;
      }
    }
    yield* traces.abandon("not run: the model's turn ended before");
    yield* finish(run, options.limits);
  } catch (error) {
    const failure = options.signal.aborted ? cancelled(options.signal) : error;
    yield* traces.abandon(messageOf(failure));
    throw failure;
  } finally {
    leaving.abort();
  }
}

function startStream(
  { question, history = [], model, limits, contextTokens, ...options }: ModelRun,
  signal: AbortSignal,
) {
  const { condense, isLeftOut } = createCondenser(contextTokens);
  const instructions = instructionsFor(options.snapshots);
  const earlier = history.flatMap((turn): ModelMessage[] => [
    { role: "user", content: turn.question },
    { role: "assistant", content: turn.answer },
  ]);
  // The SDK would print its warnings (a setting that a model does not know) to the console.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { stream } = streamText({
    model,
    instructions,
    messages: [...earlier, { role: "user", content: question }],
    tools: createTools({ ...options, isLeftOut }),
    stopWhen: ({ steps }) =>
      budgetAfter(
        steps.map(({ usage }) => toUsage(usage)),
        limits,
      ).type === "none",
    prepareStep: ({ steps, messages: sent }) => {
      const messages = condense(sent, steps.at(-1)?.usage.inputTokens ?? 0);
      const room = budgetAfter(
        steps.map(({ usage }) => toUsage(usage)),
        limits,
      );
      const last = { toolChoice: "none", instructions: `${instructions}\n\n${lastStepInstructions}` } as const;
      return { ...(messages === undefined ? {} : { messages }), ...(room.type === "last-step" ? last : {}) };
    },
    repairToolCall: async ({ toolCall }) => ({ ...toolCall, input: repairJson(toolCall.input) }),
    // Calls are retried by the model itself (server/providers/retry.ts), which knows how long to wait.
    maxRetries: 0,
    // A step's clock starts with the call, so that no limit between chunks is needed beside it.
    timeout: { stepMs: limits.providerTimeoutMs, toolMs: toolTimeoutMs },
    abortSignal: signal,
    onError() {},
  });
  return stream;
}

/** The state of the run. */
interface Run {
  text: string;
  reasoning: string;
  /** What each complete step took. */
  steps: Usage[];
  genMs: number;
  step: Step;
}

interface Step {
  text: string;
  reasoning: string;
  calls: number;
  finishReason: string;
  /** The server's own word for it. */
  rawReason: string | undefined;
}
const emptyStep: Step = { text: "", reasoning: "", calls: 0, finishReason: "", rawReason: undefined };

function* readPart(part: TextStreamPart<Tools>, run: Run, traces: Traces): Generator<AgentEvent> {
  if (part.type === "start-step") run.step = { ...emptyStep };
  if (part.type === "reasoning-delta") yield { type: "reasoning.delta", delta: write(run, "reasoning", part.text) };
  if (part.type === "text-delta") yield { type: "text.delta", delta: write(run, "text", part.text) };
  if (part.type === "tool-call") run.step.calls++;
  if (part.type === "finish-step") {
    run.steps.push(toUsage(part.usage));
    run.genMs += part.performance.responseTimeMs;
    run.step.finishReason = part.finishReason;
    run.step.rawReason = part.rawFinishReason;
  }
  // A model that calls tools although they are off has not answered; the end reports it.
  if (part.type === "error" && !ToolChoiceViolationError.isInstance(part.error)) throw part.error;
  yield* traceTools(part, traces);
}

function* traceTools(part: TextStreamPart<Tools>, traces: Traces): Generator<AgentEvent> {
  if (part.type === "tool-input-start") yield traces.pending({ callID: part.id, tool: part.toolName });
  if (part.type === "tool-call" && part.invalid !== true) yield traces.running(callOf(part));
  if (part.type === "tool-result" && part.dynamic !== true) yield traces.completed(callOf(part), part.output);
  if (part.type === "tool-error") yield traces.failed(callOf(part), part.error);
}

/** What a model says before it calls a tool, and what it says after, are paragraphs of their own. */
function write(run: Run, kind: "text" | "reasoning", text: string): string {
  const isNext = run.step[kind] === "" && run[kind] !== "" && !run[kind].endsWith("\n\n");
  const delta = isNext ? `\n\n${text}` : text;
  run.step[kind] += text;
  run[kind] += delta;
  return delta;
}

function* finish({ text, step, steps, genMs }: Run, limits: AgentLimits): Generator<AgentEvent> {
  const isAnswered = step.text.trim() !== "";
  const stopped = describeStop({
    steps,
    finishReason: step.finishReason,
    isUnreadCall: step.rawReason === unreadCall,
    isAnswered,
    wantsMore: step.calls > 0,
    limits,
  });
  if (stopped !== undefined) yield { type: "text.delta", delta: closingNote(text, stopped) };
  yield {
    type: "finish",
    usage: sumUsage(steps),
    steps,
    genMs,
    lacksEvidence: false,
    ...(stopped === undefined ? {} : { stopped }),
  };
}

function callOf({ toolCallId, toolName, input }: { toolCallId: string; toolName: string; input: unknown }) {
  return { callID: toolCallId, tool: toolName, input };
}

/** Providers count in whole tokens; what they do not report stays out, and so does a cache that was not used. */
function toUsage({
  inputTokens,
  inputTokenDetails,
  outputTokens,
  outputTokenDetails,
  totalTokens,
}: LanguageModelUsage): Usage {
  const { reasoningTokens } = outputTokenDetails;
  const cacheReadTokens = inputTokenDetails.cacheReadTokens || undefined;
  const cacheWriteTokens = inputTokenDetails.cacheWriteTokens || undefined;
  const counts = { inputTokens, outputTokens, reasoningTokens, totalTokens, cacheReadTokens, cacheWriteTokens };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => Number.isSafeInteger(count)));
}
