import { type AgentEvent, runAgent } from "../../server/agent/agent.ts";
import { createLedger, type Ledger } from "../../server/citations/citations.ts";
import { silentLog } from "../../server/lib/log.ts";
import { createProviders } from "../../server/providers/providers.ts";
import type { Snapshot } from "../../server/resources/snapshot.ts";
import { createRetrieval, type Retrieval } from "../../server/retrieval/retrieval.ts";
import { environmentCredentials } from "./credentials.ts";
import { fixture } from "./fixture.ts";
import type { ScriptedModel } from "./scripted-model.ts";

/** The question, resources and limits of a run. */
export interface AgentRunOptions {
  question?: string;
  history?: { question: string; answer: string }[];
  /** A fixture string becomes the resource `demo`. */
  snapshots?: string | readonly Snapshot[];
  retrieval?: Retrieval;
  contextTokens?: number;
  limits?: { maxSteps?: number; maxTokens?: number; providerTimeoutMs?: number };
  signal?: AbortSignal;
  /** Environment variables with the keys of providers. */
  variables?: Record<string, string>;
  /** Called for each event before the agent continues. */
  onEvent?: (event: AgentEvent) => void;
}

/** The outcome of a run. */
export interface AgentRun {
  events: AgentEvent[];
  text: string;
  finish: Extract<AgentEvent, { type: "finish" }> | undefined;
  error: unknown;
  ledger: Ledger;
}

/** Runs the agent against a scripted model. An error is returned with the events before it. */
export async function agentRun(
  { config }: Pick<ScriptedModel, "config">,
  options: AgentRunOptions = {},
): Promise<AgentRun> {
  const { snapshots = "//- a.ts\nexport const a = 1;\n", question = "what is a?", limits = {} } = options;
  const providers = createProviders({
    fetch,
    credentials: environmentCredentials(options.variables),
    options: (provider) => config.providerOptions[provider] ?? {},
    log: silentLog,
  });
  const ledger = createLedger();
  const run = runAgent({
    question,
    history: options.history ?? [],
    snapshots: typeof snapshots === "string" ? [fixture(snapshots)] : snapshots,
    retrieval: options.retrieval ?? createRetrieval(),
    ledger,
    model: await providers.languageModel(config),
    limits: { maxSteps: 10, providerTimeoutMs: 20_000, ...limits },
    contextTokens: options.contextTokens,
    signal: options.signal ?? new AbortController().signal,
    log: silentLog,
  });
  const events: AgentEvent[] = [];
  let error: unknown;
  try {
    for await (const event of run) {
      events.push(event);
      options.onEvent?.(event);
    }
  } catch (thrown) {
    error = thrown;
  }
  const text = events.map((event) => (event.type === "text.delta" ? event.delta : "")).join("");
  return { events, text, finish: events.find((event) => event.type === "finish"), error, ledger };
}
