import type { App } from "../../app.ts";
import type { Log } from "../../lib/log.ts";
import { messageOf } from "../../errors.ts";
import type { AskEvent } from "../../protocol/ask.ts";
import type { Handlers } from "../../protocol/operations.ts";
import { splitRevision } from "../../protocol/resource-fields.ts";
import {
  type Asker,
  questionLeaseMs,
  type QuestionOutcome,
  type QuestionUse,
  renewQuestion,
  reserveQuestion,
  settleQuestion,
  slowMs,
  type StartedQuestion,
} from "../limits/questions.ts";
import type { QuestionMeter } from "../metrics/service-metrics.ts";
import type { Store } from "../store/store.ts";

/** What limits the questions of a project. */
export interface QuestionLimits extends Asker {
  store: Store;
  /** What the operator's configuration allows one question. */
  most: { maxTokens?: number | undefined; maxCostUsd?: number | undefined };
  log: Log;
  meter: QuestionMeter;
}

/** An app whose questions count against the limits of its project. `ask` then also throws LimitReached. */
export function limitQuestions(app: Pick<App, "as">, limits: QuestionLimits): Pick<App, "as"> {
  return {
    as: (caller) => {
      const handlers = app.as(caller);
      const ask: Handlers["ask"] = (input, call) =>
        askLimited(limits, {
          named: (input.resources ?? []).map((name) => splitRevision(name).name),
          signal: call?.signal,
          start: ({ bounds }) => app.as({ ...caller, limits: { ...caller.limits, ...bounds } }).ask(input, call),
        });
      return { ...handlers, ask };
    },
  };
}

/** A question that is about to be asked. */
interface Asked {
  /** The resources that it names. */
  named: readonly string[];
  signal: AbortSignal | undefined;
  start(question: StartedQuestion): AsyncIterable<AskEvent>;
}

async function* askLimited(
  { store, project, actor, client, most, log, meter }: QuestionLimits,
  { named, signal, start }: Asked,
): AsyncGenerator<AskEvent> {
  const question = await reserveQuestion(store, { project, actor, client }, most);
  using _running = meter.start();
  const startedAt = performance.now();
  const warn = (error: unknown) => log.warn("question-lease-not-renewed", { error: messageOf(error) });
  const renewing = setInterval(() => void renewQuestion(store, question.id).catch(warn), questionLeaseMs / 4);
  // Unknown until the end; a question that began to use the model and is cancelled may have used all that it reserved.
  let use: QuestionUse = { tokens: 0, costUsd: 0 };
  let outcome: QuestionOutcome = { resources: named };
  try {
    for await (const event of start(question)) {
      if (event.type === "done") {
        use = useOf(event);
        outcome = outcomeOf(event, named);
        meter.answered(use);
      } else if (event.type === "error") outcome = { ...outcome, isFailed: true };
      else if (usesModel.has(event.type)) use = reservedBy(question);
      yield event;
    }
  } catch (error) {
    if (signal?.aborted !== true) outcome = { ...outcome, isFailed: true };
    throw error;
  } finally {
    clearInterval(renewing);
    const isSlow = performance.now() - startedAt > slowMs;
    // The answer is complete. If settling fails, the question counts with its whole reservation once its lease expires.
    await settleQuestion(store, { id: question.id, use, outcome: { ...outcome, isSlow } }).catch((error: unknown) =>
      log.warn("question-not-settled", { error: messageOf(error) }),
    );
  }
}

function outcomeOf(
  { evidence, citations }: Extract<AskEvent, { type: "done" }>,
  named: readonly string[],
): QuestionOutcome {
  const resources = named.length > 0 ? named : citations.map(({ resource }) => resource);
  return { isWithoutEvidence: evidence === "none", resources };
}

const usesModel: ReadonlySet<AskEvent["type"]> = new Set(["reasoning.delta", "text.delta", "tool.updated"]);

function reservedBy({ bounds: { maxTokens = 0, maxCostUsd = 0 } }: StartedQuestion): QuestionUse {
  return { tokens: maxTokens, costUsd: maxCostUsd };
}

function useOf({ usage, metrics }: Extract<AskEvent, { type: "done" }>): QuestionUse {
  const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens } = usage ?? {};
  return { tokens: totalTokens, costUsd: metrics?.pricing?.costUsd.total ?? 0 };
}
