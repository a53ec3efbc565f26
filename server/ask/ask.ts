import { type AgentEvent, runAgent } from "../agent/agent.ts";
import { type CheckedText, checkCitations, type CitationChecker, createLedger } from "../citations/citations.ts";
import type { Log } from "../lib/log.ts";
import {
  type Answer,
  type AskEvent,
  type AskEventOf,
  type AskRequest,
  emptyAnswer,
  foldAnswer,
  type Metrics,
  type ModelRef,
} from "../protocol/ask.ts";
import type { ResourceSpec } from "../protocol/resource.ts";
import type { Providers } from "../providers/providers.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Retrieval } from "../retrieval/retrieval.ts";
import { type OpenedTargets, openTargets } from "./open.ts";
import { type Places, selectTargets } from "./targets.ts";

/** What one question needs; all of it comes in from `app.ts`. */
export interface AskContext {
  modelRef: ModelRef;
  limits: { maxSteps: number; maxTokens: number | undefined; providerTimeoutMs: number };
  configured: readonly ResourceSpec[];
  resourcesDirectory: string;
  places: Places;
  resources: Resources;
  providers: Providers;
  retrieval: Retrieval;
  log: Log;
}

type AgentFinish = Extract<AgentEvent, { type: "finish" }>;

/**
 * One question, from references to checked citations. Yields events up to `done`; fails by throwing a CitewellError,
 * before `meta` where nothing could start. Whoever leaves the iteration or aborts the signal stops the model, the tools
 * and the fetches; whatever was opened is released in any case.
 */
export async function* ask(
  request: AskRequest,
  context: AskContext,
  { signal: outer }: { signal: AbortSignal },
): AsyncGenerator<AskEvent> {
  const startedAt = performance.now();
  const leaving = new AbortController();
  const signal = AbortSignal.any([outer, leaving.signal]);
  const owned: Snapshot[] = [];
  try {
    const { modelRef, limits, retrieval, log } = context;
    const model = await context.providers.languageModel(modelRef);
    const { snapshots, unavailable } = yield* openAsked(request, context, { owned, signal });
    const meta = describeStart({ snapshots, unavailable }, context);
    let answer = foldAnswer(emptyAnswer, meta);
    yield meta;

    const ledger = createLedger();
    const question = request.question;
    const events = runAgent({ question, snapshots, retrieval, ledger, model, limits, signal, log });
    for await (const event of withCheckedText(events, checkCitations({ snapshots, ledger, signal }))) {
      if (event.type === "finish") yield describeEnd(answer, event, performance.now() - startedAt);
      else {
        answer = foldAnswer(answer, event);
        yield event;
      }
    }
  } finally {
    leaving.abort();
    await Promise.all(owned.map((snapshot) => snapshot[Symbol.asyncDispose]()));
  }
}

async function* openAsked(
  { resources: asked = [], progress }: AskRequest,
  { configured, places, resources }: AskContext,
  { owned, signal }: { owned: Snapshot[]; signal: AbortSignal },
): AsyncGenerator<AskEventOf<"progress">, OpenedTargets> {
  const opening = openTargets(selectTargets(asked, configured, places), {
    resources,
    areNamed: asked.length > 0,
    own: (snapshot) => owned.push(snapshot),
    signal,
  });
  if (progress === true) return yield* opening;
  let step = await opening.next();
  while (step.done !== true) step = await opening.next();
  return step.value;
}

/** The agent's events with the text's markers checked and replaced. What was held back comes even when the agent fails. */
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

function describeStart({ snapshots, unavailable }: OpenedTargets, context: AskContext): AskEventOf<"meta"> {
  const resources = snapshots.map(({ resource }) => resource);
  const left = unavailable.map(({ resource, error }) => ({ resource, tag: error.tag, error: error.message }));
  return {
    type: "meta",
    model: context.modelRef,
    resources,
    collection: { key: resources.toSorted().join("+"), path: context.resourcesDirectory },
    snapshots: snapshots.map(({ info }) => info),
    ...(left.length === 0 ? {} : { unavailable: left }),
  };
}

function describeEnd(answer: Answer, { usage, genMs, stopped }: AgentFinish, totalMs: number): AskEventOf<"done"> {
  const { text, reasoning, tools, citations } = answer;
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
    metrics: { timing: { totalMs: Math.round(totalMs), genMs: Math.round(genMs) }, throughput },
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/** Undefined where the provider told no count. */
function perSecond(tokens: number | undefined, ms: number): number | undefined {
  return tokens === undefined ? undefined : Math.round((tokens / ms) * 10_000) / 10;
}
