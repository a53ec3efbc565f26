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
import { isBuiltin } from "../protocol/provider.ts";
import type { Providers } from "../providers/providers.ts";
import type { NamedDependency } from "../resources/packages/dependencies.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Retrieval } from "../retrieval/retrieval.ts";
import type { ThreadStore } from "../threads/threads.ts";
import { type Conversation, openConversation } from "./conversation.ts";
import { type Cost, findCost } from "./cost.ts";
import type { Call, Context } from "./context.ts";
import type { Following } from "./followed-folders.ts";
import { indexAlongside } from "./index-alongside.ts";
import { describeUnavailable, type OpenedTargets, openTargets, openTargetsQuietly, type Patience } from "./open.ts";
import { comparisonFor } from "./compare.ts";
import { changesFor } from "./code-changes.ts";
import { historyFor } from "./git-history.ts";
import { upgradesFor } from "./upgrade.ts";
import { releaseAsked } from "../source/release-question.ts";
import { upgradeAsked } from "../source/upgrade-question.ts";
import { type KnownResources, knownTo } from "./known-resources.ts";
import { faultsOf, offersOf, openableFor, type OpenablePackages } from "./opened-packages.ts";
import { targetOf } from "./on-disk.ts";
import { createRevisions, type OpenedRevisions, revisionsOf } from "./revisions.ts";
import { describeInfo, describeSnapshots } from "./server-paths.ts";
import type { Places } from "./targets.ts";

/** What one question needs. */
interface AskContext {
  caller: Caller;
  modelRef: ModelRef;
  limits: Omit<AgentLimits, "costOf">;
  known: KnownResources;
  /** Problems of the configuration, ready to be shown. */
  warnings: readonly string[];
  /** Installed dependencies of the open projects whose names occur in the text. */
  findNamedDependencies: (text: string) => Promise<readonly NamedDependency[]>;
  resourcesDirectory: string;
  places: Places;
  resources: Resources;
  providers: Providers;
  retrieval: Retrieval;
  followed?: Following | undefined;
  patience: Patience;
  threads: ThreadStore;
  log: Log;
}

type AgentFinish = Extract<AgentEvent, { type: "finish" }>;

/**
 * Answers one question, from the named resources to checked citations. Yields events up to `done`; fails by throwing a
 * CitewellError, before it yields `meta` if the question could not start. Ending the iteration early or aborting the
 * signal stops the model, the tools and the fetches; opened snapshots are always released.
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
  const controller = new AbortController();
  const signal = AbortSignal.any([outer, controller.signal]);
  const toRelease: AsyncDisposable[] = [];
  const progress = createChannel<AskEventOf<"progress">>();
  try {
    const model = isBuiltin(context.modelRef)
      ? ("builtin" as const)
      : await context.providers.languageModel(context.modelRef, {
          log: context.log,
          onRetry: (retry) => request.progress === true && progress.push(toProgress(retry, context.modelRef)),
        });
    const [cost, contextTokens] = await Promise.all([
      findCost(context.modelRef, { ...context.limits, providers: context.providers }),
      context.providers.contextTokens(context.modelRef),
    ]);
    const conversation = await openThread(request, context);
    const opened = yield* openRequested(request, context, { conversation, toRelease, signal });
    const { question, scope } = request;
    const { history } = conversation;
    const snapshots = [...opened.snapshots];
    const named = scope === "configured" ? [] : await context.findNamedDependencies(question);
    const offers = offersOf(named, snapshots);
    const unread = scope === "configured" ? [] : ((await projects.unreadNamedIn?.(question)) ?? []);
    const unavailable = [...opened.unavailable, ...faultsOf(unread, snapshots)];
    const own = (snapshot: Snapshot) => toRelease.push(snapshot);
    const origins = scope === "configured" ? undefined : projects.origins;
    const packages = openableFor(offers, { snapshots, resources: context.resources, origins, own });
    const isUpgrade = origins !== undefined && upgradeAsked(question) !== undefined;
    const findUpgrade = isUpgrade ? upgradesFor(context, { snapshots, own }) : undefined;
    const options = { question, findUpgrade, model, contextTokens, cost, history, startedAt, signal };
    const { openHistory } = context.resources;
    const revisions = createRevisions({ openHistory, isStoredOnly: true, signal });
    toRelease.push(revisions);
    const isOfReleases = releaseAsked(question) !== undefined;
    const findHistory = historyFor(snapshots, context, { isOfReleases, own });
    const answering = {
      ...options,
      findHistory,
      opened: { ...opened, snapshots, unavailable },
      offers,
      packages,
      revisions,
    };
    const events = answerQuestion(answering, context);
    yield* indexAlongside(conversation.keep(events, snapshots, revisions), {
      ...context,
      snapshots: opened.snapshots,
      progress,
      isProgressSent: request.progress === true,
      leave: () => controller.abort(),
    });
  } finally {
    controller.abort();
    await Promise.all(toRelease.map((opened) => opened[Symbol.asyncDispose]()));
  }
}

/** Each limit is the lower of the configured and the caller's. */
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
  // Clients show whatever a question waits for in one place.
  const resource = `${provider}/${model}`;
  return { type: "progress", resource, phase: "fetch", message: describeRetry(retry), retry };
}

async function openThread(
  { question, resources: requested = [], thread, replacesSince }: AskRequest,
  { known, places, threads, log }: AskContext,
): Promise<Conversation> {
  return openConversation({ thread, replacesSince, question, requested, known, places, threads, log });
}

interface AnswerOptions extends Pick<
  AgentOptions,
  "question" | "history" | "model" | "contextTokens" | "findHistory" | "findUpgrade" | "signal"
> {
  opened: OpenedTargets;
  offers: readonly Offer[];
  /** Packages that the model may open, and those that it has opened. */
  packages: OpenablePackages;
  /** Opens what is cited at other revisions. */
  revisions: OpenedRevisions;
  cost: Cost;
  /** Milliseconds of the monotonic clock. */
  startedAt: number;
}

/** Runs the agent, and yields all events from `meta` to `done`. */
async function* answerQuestion(
  { opened, offers, packages, revisions, cost, startedAt, ...agentOptions }: AnswerOptions,
  context: AskContext,
): AsyncGenerator<AskEvent> {
  const { retrieval, log } = context;
  const limits = { ...context.limits, costOf: cost.costOf };
  const { snapshots } = opened;
  const meta = describeStart({ ...opened, offers }, context);
  let answer = foldAnswer(emptyAnswer, meta);
  yield meta;

  // Loaded when needed: the model loop and the AI SDK are 500 KB that no other operation uses.
  const { runAgent } = await import("../agent/agent.ts");
  // Records the lines that the model has read.
  const ledger = createLedger();
  const { origins } = packages;
  // A model has the tool where there is something to open from the beginning.
  const openable = offers.length > 0 || agentOptions.model === "builtin" ? packages.openable : undefined;
  const findChanges = agentOptions.model === "builtin" ? changesFor(context) : undefined;
  const resolve = (resource: string) => targetOf(resource, context);
  const findComparison = comparisonFor(snapshots, resolve, agentOptions.signal);
  const found = { snapshots, openable, origins, findChanges, findComparison, retrieval };
  const events = runAgent({ ...agentOptions, ...found, ledger, limits, log });
  const checker = checkCitations({
    snapshots,
    ledger,
    revisions: revisionsOf(revisions, resolve),
    signal: agentOptions.signal,
  });
  for await (const event of withCheckedText(events, checker)) {
    if (event.type === "finish") {
      const end = describeEnd(answer, event, { totalMs: performance.now() - startedAt, cost });
      yield packages.opened.length === 0
        ? end
        : { ...end, opened: packages.opened.map((info) => describeInfo(info, context.caller)) };
    } else {
      answer = foldAnswer(answer, event);
      yield event;
    }
  }
}

async function* openRequested(
  { progress }: AskRequest,
  { resources, followed, patience }: AskContext,
  {
    conversation: { targets, areNamed },
    toRelease,
    signal,
  }: { conversation: Conversation; toRelease: AsyncDisposable[]; signal: AbortSignal },
): AsyncGenerator<AskEventOf<"progress">, OpenedTargets> {
  const options = {
    resources,
    followed,
    patience,
    areNamed,
    own: (snapshot: Snapshot) => toRelease.push(snapshot),
    signal,
  };
  if (progress === true) return yield* openTargets(targets, options);
  return openTargetsQuietly(targets, options);
}

/**
 * The agent's events, with citation markers checked and replaced. Even if the agent fails, buffered text is emitted.
 */
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

/** The rate with one decimal; undefined if the provider reported no token count. */
function perSecond(tokens: number | undefined, ms: number): number | undefined {
  return tokens === undefined ? undefined : Math.round((tokens / ms) * 10_000) / 10;
}
