import type { App } from "../../app.ts";
import type { Log } from "../../lib/log.ts";
import { messageOf } from "../../errors.ts";
import type { AskEvent } from "../../protocol/ask.ts";
import type { Handlers } from "../../protocol/operations.ts";
import {
  type Asker,
  questionLeaseMs,
  type QuestionUse,
  renewQuestion,
  reserveQuestion,
  settleQuestion,
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
        askLimited(limits, ({ bounds }) =>
          app.as({ ...caller, limits: { ...caller.limits, ...bounds } }).ask(input, call),
        );
      return { ...handlers, ask };
    },
  };
}

async function* askLimited(
  { store, project, actor, most, log, meter }: QuestionLimits,
  start: (question: StartedQuestion) => AsyncIterable<AskEvent>,
): AsyncGenerator<AskEvent> {
  const question = await reserveQuestion(store, { project, actor }, most);
  using _running = meter.start();
  const warn = (error: unknown) => log.warn("question-lease-not-renewed", { error: messageOf(error) });
  const renewing = setInterval(() => void renewQuestion(store, question.id).catch(warn), questionLeaseMs / 4);
  // Unknown until the end; a question that began to use the model and is cancelled may have used all that it reserved.
  let use: QuestionUse = { tokens: 0, costUsd: 0 };
  try {
    for await (const event of start(question)) {
      if (event.type === "done") {
        use = useOf(event);
        meter.answered(use);
      } else if (usesModel.has(event.type)) use = reservedBy(question);
      yield event;
    }
  } finally {
    clearInterval(renewing);
    // The answer is complete. If settling fails, the question counts with its whole reservation once its lease expires.
    await settleQuestion(store, { id: question.id, use }).catch((error: unknown) =>
      log.warn("question-not-settled", { error: messageOf(error) }),
    );
  }
}

const usesModel: ReadonlySet<AskEvent["type"]> = new Set(["reasoning.delta", "text.delta", "tool.updated"]);

function reservedBy({ bounds: { maxTokens = 0, maxCostUsd = 0 } }: StartedQuestion): QuestionUse {
  return { tokens: maxTokens, costUsd: maxCostUsd };
}

function useOf({ usage, metrics }: Extract<AskEvent, { type: "done" }>): QuestionUse {
  const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens } = usage ?? {};
  return { tokens: totalTokens, costUsd: metrics?.pricing?.costUsd.total ?? 0 };
}
