import type { AgentEvent, AgentOptions } from "../agent/agent.ts";
import type { AgentLimits } from "../agent/limits.ts";
import { type CheckedText, checkCitations, type CitationChecker, createLedger } from "../citations/citations.ts";
import type { Caller } from "../caller.ts";
import type { Config } from "../config/config.ts";
import { createChannel } from "../lib/channel.ts";
import { type Log, silentLog } from "../lib/log.ts";
import {
  type Answer,
  type AskEvent,
  type AskEventOf,
  type AskRequest,
  describeRetry,
  emptyAnswer,
  foldAnswer,
  type Metrics,
  type ModelRef,
  type ModelRetry,
  type Offer,
} from "../protocol/ask.ts";
import { isProved } from "../protocol/citation.ts";
import type { Providers } from "../providers/providers.ts";
import type { NamedDependency } from "../resources/npm/workspace.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Retrieval } from "../retrieval/retrieval.ts";
import type { ThreadStore } from "../threads/threads.ts";
import { type Conversation, openConversation } from "./conversation.ts";
import { type Cost, findCost } from "./cost.ts";
import type { Call, Context } from "./context.ts";
import type { Following } from "./followed-folders.ts";
import { indexAlongside } from "./index-alongside.ts";
import { describeUnavailable, type OpenedTargets, openTargets, openTargetsQuietly } from "./open.ts";
import { type KnownResources, knownTo } from "./known-resources.ts";
import { offersOf, openableFor } from "./opened-packages.ts";
import { describeInfo, describeSnapshots } from "./server-paths.ts";
import { type Places, referencesTo, selectTargets } from "./targets.ts";

/** What one question needs. */
interface AskContext {
  caller: Caller;
  modelRef: ModelRef;
  limits: Omit<AgentLimits, "costOf">;
  known: KnownResources;
  /** Faults of the configuration, as sentences. */
  warnings: readonly string[];
  /** The installed dependencies of the open projects that a text names. */
  findNamedDependencies: (text: string) => Promise<readonly NamedDependency[]>;
  resourcesDirectory: string;
  places: Places;
  resources: Resources;
  providers: Providers;
  retrieval: Retrieval;
  followed?: Following | undefined;
  threads: ThreadStore;
  log: Log;
}

type AgentFinish = Extract<AgentEvent, { type: "finish" }>;

/**
 * One question, from references to checked citations. Yields events up to `done`; fails by throwing a CitewellError,
 * before `meta` if nothing could start. Leaving the iteration or aborting the signal stops the model, the tools and the
 * fetches; opened snapshots are always released.
 */
export async function* ask(
  request: AskRequest,
  { caller, node, tenant, log }: Context,
  { signal: outer }: Call,
): AsyncGenerator<AskEvent> {
  const startedAt = performance.now();
  const { config, projects } = tenant;
  const context = {
    ...tenant,
    ...node,
    caller,
    modelRef: request.model ?? { provider: config.provider, model: config.model },
    limits: limitsOf(config, caller),
    known: await knownTo(tenant, request),
    findNamedDependencies: (text: string) => projects.dependenciesNamedIn(text),
    resourcesDirectory: config.resourcesDirectory,
    log: request.quiet === true ? silentLog : log,
  };
  const leaving = new AbortController();
  const signal = AbortSignal.any([outer, leaving.signal]);
  const owned: Snapshot[] = [];
  const progress = createChannel<AskEventOf<"progress">>();
  try {
    const model = await context.providers.languageModel(context.modelRef, {
      log: context.log,
      onRetry: (retry) => request.progress === true && progress.push(toProgress(retry, context.modelRef)),
    });
    const [cost, contextTokens] = await Promise.all([
      findCost(context.modelRef, { ...context.limits, providers: context.providers }),
      context.providers.contextTokens(context.modelRef),
    ]);
    const conversation = await joinConversation(request, context);
    const opened = yield* openAsked(request, context, { owned, signal });
    const { question, scope } = request;
    const { history } = conversation;
    const snapshots = [...opened.snapshots];
    const named = scope === "configured" ? [] : await context.findNamedDependencies(question);
    const offers = offersOf(named, snapshots);
    const own = (snapshot: Snapshot) => owned.push(snapshot);
    const added = openableFor(offers, { snapshots, resources: context.resources, own });
    const asked = { question, model, contextTokens, cost, history, startedAt, signal };
    const events = answerQuestion({ ...asked, opened: { ...opened, snapshots }, offers, added }, context);
    yield* indexAlongside(conversation.keep(events, snapshots), {
      ...context,
      snapshots: opened.snapshots,
      progress,
      isProgressSent: request.progress === true,
      leave: () => leaving.abort(),
    });
  } finally {
    leaving.abort();
    await Promise.all(owned.map((snapshot) => snapshot[Symbol.asyncDispose]()));
  }
}

/** The stricter of what is configured and what the caller may use. */
function limitsOf(
  { maxSteps, maxTokens, maxCostUsd, providerTimeoutMs }: Config,
  { limits }: Caller,
): AskContext["limits"] {
  return {
    maxSteps: stricter(maxSteps, limits.maxSteps) ?? maxSteps,
    maxTokens: stricter(maxTokens, limits.maxTokens),
    maxCostUsd: stricter(maxCostUsd, limits.maxCostUsd),
    providerTimeoutMs,
  };
}

function stricter(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function toProgress(retry: ModelRetry, { provider, model }: ModelRef): AskEventOf<"progress"> {
  const resource = `${provider}/${model}`;
  return { type: "progress", resource, phase: "fetch", message: describeRetry(retry), retry };
}

function joinConversation(
  { question, resources = [], thread, replacesSince }: AskRequest,
  context: AskContext,
): Promise<Conversation> {
  const { known, places, threads, log } = context;
  const references = referencesTo(resources, known, places);
  return openConversation({ thread, replacesSince, question, references, threads, log });
}

interface AnswerOptions extends Pick<AgentOptions, "question" | "history" | "model" | "contextTokens" | "signal"> {
  opened: OpenedTargets;
  offers: readonly Offer[];
  /** What the model may open by itself, and has opened. */
  added: ReturnType<typeof openableFor>;
  cost: Cost;
  /** In milliseconds, of the clock that only goes on. */
  startedAt: number;
}

/** From `meta` to `done`. */
async function* answerQuestion(
  { opened, offers, added, cost, startedAt, ...asked }: AnswerOptions,
  context: AskContext,
): AsyncGenerator<AskEvent> {
  const { retrieval, log } = context;
  const limits = { ...context.limits, costOf: cost.costOf };
  const { snapshots } = opened;
  const meta = describeStart({ ...opened, offers }, context);
  let answer = foldAnswer(emptyAnswer, meta);
  yield meta;

  // The model loop and the AI SDK are half a megabyte that no other operation needs.
  const { runAgent } = await import("../agent/agent.ts");
  const ledger = createLedger();
  const events = runAgent({ ...asked, snapshots, openable: added.openable, retrieval, ledger, limits, log });
  for await (const event of withCheckedText(events, checkCitations({ snapshots, ledger, signal: asked.signal }))) {
    if (event.type === "finish") {
      const end = describeEnd(answer, event, { totalMs: performance.now() - startedAt, cost });
      yield added.opened.length === 0
        ? end
        : { ...end, opened: added.opened.map((info) => describeInfo(info, context.caller)) };
    } else {
      answer = foldAnswer(answer, event);
      yield event;
    }
  }
}

async function* openAsked(
  { resources: asked = [], progress }: AskRequest,
  { known, places, resources, followed }: AskContext,
  { owned, signal }: { owned: Snapshot[]; signal: AbortSignal },
): AsyncGenerator<AskEventOf<"progress">, OpenedTargets> {
  const targets = selectTargets(asked, known, places);
  const options = {
    resources,
    followed,
    areNamed: asked.length > 0,
    own: (snapshot: Snapshot) => owned.push(snapshot),
    signal,
  };
  if (progress === true) return yield* openTargets(targets, options);
  return openTargetsQuietly(targets, options);
}

/** The agent's events with the text's markers checked and replaced. Emits the text held back even if the agent fails. */
async function* withCheckedText(
  events: AsyncIterable<AgentEvent>,
  checker: CitationChecker,
): AsyncGenerator<Exclude<AskEvent, { type: "meta" | "done" | "error" }> | AgentFinish> {
  try {
    for await (const event of events) {
      if (event.type === "text.delta") yield* toTextDelta(await checker.push(event.delta));
      else {
        if (event.type === "finish") yield* toTextDelta(await checker.end());
        yield event;
      }
    }
  } catch (error) {
    yield* toTextDelta(await checker.end());
    throw error;
  }
}

function* toTextDelta({ delta, citations }: CheckedText): Generator<AskEventOf<"text.delta">> {
  if (citations.length > 0) yield { type: "text.delta", delta, citations };
  else if (delta !== "") yield { type: "text.delta", delta };
}

function describeStart(
  { snapshots, unavailable, offers }: OpenedTargets & Pick<AnswerOptions, "offers">,
  context: AskContext,
): AskEventOf<"meta"> {
  const resources = snapshots.map(({ resource }) => resource);
  return {
    type: "meta",
    model: context.modelRef,
    resources,
    collection: { key: resources.toSorted().join("+"), path: context.resourcesDirectory },
    snapshots: describeSnapshots(snapshots, context.caller),
    ...(offers.length === 0 ? {} : { offers: [...offers] }),
    ...describeUnavailable(unavailable),
    ...(context.warnings.length === 0 ? {} : { warnings: [...context.warnings] }),
  };
}

function describeEnd(
  { text, reasoning, tools, citations }: Answer,
  { usage, steps, genMs, stopped, lacksEvidence }: AgentFinish,
  { totalMs, cost }: { totalMs: number; cost: Cost },
): AskEventOf<"done"> {
  const pricing = cost.priceOf(steps);
  const throughput: Metrics["throughput"] =
    genMs > 0
      ? {
          outputTokensPerSecond: perSecond(usage.outputTokens, genMs),
          totalTokensPerSecond: perSecond(usage.totalTokens, genMs),
        }
      : undefined;
  return {
    type: "done",
    text,
    reasoning,
    tools,
    citations,
    usage,
    metrics: {
      timing: { totalMs: Math.round(totalMs), genMs: Math.round(genMs) },
      throughput,
      ...(pricing === undefined ? {} : { pricing }),
    },
    ...(stopped === undefined ? {} : { stopped }),
    ...(lacksEvidence || !citations.some(isProved) ? { evidence: "none" as const } : {}),
  };
}

/** Undefined if the provider reported no count. */
function perSecond(tokens: number | undefined, ms: number): number | undefined {
  return tokens === undefined ? undefined : Math.round((tokens / ms) * 10_000) / 10;
}
