import { runAgent } from "../server/agent/agent.ts";
import { createLedger } from "../server/citations/citations.ts";
import { silentLog } from "../server/lib/log.ts";
import type { Snapshot } from "../server/resources/snapshot.ts";
import type { Retrieval } from "../server/retrieval/retrieval.ts";

/** The text of the built-in provider's answer, with its citation markers. */
export async function askBuiltin(
  question: string,
  { snapshot, retrieval }: { snapshot: Snapshot; retrieval: Retrieval },
): Promise<string> {
  let text = "";
  const events = runAgent({
    question,
    history: [],
    snapshots: [snapshot],
    retrieval,
    ledger: createLedger(),
    model: "builtin",
    limits: { maxSteps: 10, providerTimeoutMs: 60_000 },
    signal: new AbortController().signal,
    log: silentLog,
  });
  for await (const event of events) if (event.type === "text.delta") text += event.delta;
  return text;
}
