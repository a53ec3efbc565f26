import { runAgent } from "../../server/agent/agent.ts";
import { createLedger } from "../../server/citations/citations.ts";
import { silentLog } from "../../server/lib/log.ts";
import type { Snapshot } from "../../server/resources/snapshot.ts";
import { createRetrieval } from "../../server/retrieval/retrieval.ts";

/** What the built-in provider wrote and looked up. */
export interface BuiltinRun {
  text: string;
  reasoning: string;
  calls: { tool: string; input: Readonly<Record<string, unknown>> }[];
  lacksEvidence: boolean;
}

/** Runs the agent with the built-in provider. */
export async function askBuiltin(
  snapshots: readonly Snapshot[],
  question: string,
  history: { question: string; answer: string }[] = [],
): Promise<BuiltinRun> {
  const run: BuiltinRun = { text: "", reasoning: "", calls: [], lacksEvidence: false };
  const events = runAgent({
    question,
    history,
    snapshots,
    retrieval: createRetrieval(),
    ledger: createLedger(),
    model: "builtin",
    limits: { maxSteps: 10, providerTimeoutMs: 20_000 },
    signal: new AbortController().signal,
    log: silentLog,
  });
  for await (const event of events) {
    if (event.type === "text.delta") run.text += event.delta;
    if (event.type === "reasoning.delta") run.reasoning += event.delta;
    if (event.type === "finish") run.lacksEvidence = event.lacksEvidence;
    if (event.type === "tool.updated" && event.state.status === "running")
      run.calls.push({ tool: event.tool, input: event.state.input });
  }
  return run;
}
