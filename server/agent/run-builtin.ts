import type { Tool } from "ai";
import { messageOf } from "../errors.ts";
import { untilAborted } from "../lib/abort.ts";
import type { Usage } from "../protocol/ask.ts";
import { noData } from "../protocol/tool-data.ts";
import { answerWithExtracts } from "../providers/builtin/extractive.ts";
import type { Call, ToolResult } from "../providers/builtin/look.ts";
import type { AgentEvent, AgentOptions } from "./agent.ts";
import { cancelled, closingNote, describeStop, timedOut } from "./ending.ts";
import { budgetAfter, sumUsage, toolTimeoutMs } from "./limits.ts";
import type { ToolResult as ToolOutput } from "./tools/define.ts";
import { changesTool } from "./tools/changes.ts";
import { dependentsTool } from "./tools/dependents.ts";
import { createTools } from "./tools/tools.ts";
import { createTraces, type Traces } from "./traces.ts";

/** It generates and bills no tokens. */
const noUsage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

/** Lets the built-in provider answer, with the events, tools and limits of a model; each of its looks is a step. */
export async function* runBuiltin(options: Omit<AgentOptions, "model">): AsyncGenerator<AgentEvent> {
  const { question, history = [], snapshots, limits, signal, log } = options;
  const leaving = new AbortController();
  const traces = createTraces();
  const { origins, findChanges } = options;
  const own = {
    ...(origins === undefined ? {} : { dependents: dependentsTool(origins) }),
    ...(findChanges === undefined ? {} : { changes: changesTool(options, findChanges) }),
  };
  const tools: Record<string, Tool> = { ...createTools(options), ...own };
  const resources = snapshots.map(({ resource }) => resource);
  const hasVersions = options.findComparison !== undefined;
  const answering = answerWithExtracts({ question, earlier: history, resources, hasVersions, results: [] });
  const steps: Usage[] = [];
  let genMs = 0;
  const resume = (results: readonly ToolResult[]) => {
    const startedAt = performance.now();
    const turn = answering.next(results);
    genMs += performance.now() - startedAt;
    return turn;
  };
  try {
    signal.throwIfAborted();
    let turn = resume([]);
    while (turn.done !== true) {
      const { thought, calls } = turn.value;
      let results: ToolResult[] = [];
      if (budgetAfter(steps, limits).type === "open") {
        yield { type: "reasoning.delta", delta: `${steps.length === 0 ? "" : "\n\n"}${thought}` };
        const stepSignal = AbortSignal.any([signal, leaving.signal, AbortSignal.timeout(limits.providerTimeoutMs)]);
        const named = calls.map((call, index) => ({ ...call, callID: `builtin-${steps.length}-${index}` }));
        results = yield* makeCalls(named, { tools, traces, signal: stepSignal });
        steps.push(noUsage);
        log.debug("agent-step", { calls: calls.length });
      }
      turn = resume(results);
    }
    let text = "";
    for (const delta of turn.value.lines) {
      signal.throwIfAborted();
      text += delta;
      yield { type: "text.delta", delta };
    }
    steps.push(noUsage);
    const ending = { finishReason: "stop", isUnreadCall: false, isAnswered: true, wantsMore: false };
    const stopped = describeStop({ ...ending, steps, limits });
    if (stopped !== undefined) yield { type: "text.delta", delta: closingNote(text, stopped) };
    const { lacksEvidence } = turn.value;
    const finish = { type: "finish", usage: sumUsage(steps), steps, genMs, lacksEvidence } as const;
    yield stopped === undefined ? finish : { ...finish, stopped };
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
    const failure = signal.aborted ? cancelled(signal) : isTimeout ? timedOut("builtin/extractive", limits) : error;
    yield* traces.abandon(messageOf(failure));
    throw failure;
  } finally {
    leaving.abort();
  }
}

type NamedCall = Call & { callID: string };

/** Makes calls at once; their results are in the order of the calls. */
async function* makeCalls(
  calls: readonly NamedCall[],
  { tools, traces, signal }: { tools: Record<string, Tool>; traces: Traces; signal: AbortSignal },
): AsyncGenerator<AgentEvent, ToolResult[]> {
  for (const call of calls) {
    yield traces.pending(call);
    yield traces.running(call);
  }
  const running = new Map(calls.map((call) => [call.callID, makeCall(call, { tools, traces, signal })]));
  const made = new Map<string, ToolResult>();
  while (running.size > 0) {
    const { event, callID, result } = await untilAborted(Promise.race(running.values()), signal);
    running.delete(callID);
    made.set(callID, result);
    yield event;
  }
  return calls.flatMap(({ callID }) => made.get(callID) ?? []);
}

async function makeCall(
  call: NamedCall,
  { tools, traces, signal }: { tools: Record<string, Tool>; traces: Traces; signal: AbortSignal },
) {
  const { callID, tool, input } = call;
  const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(toolTimeoutMs)]);
  try {
    const output: ToolOutput = await tools[tool]?.execute?.(input, {
      toolCallId: callID,
      messages: [],
      context: {},
      abortSignal,
    });
    const { data } = output;
    const refused = data === undefined ? { isFailed: true, refusal: output.text } : { isFailed: false };
    const result = { tool, input, ...refused, ...noData, ...data };
    return { callID, event: traces.completed(call, output), result };
  } catch (error) {
    return { callID, event: traces.failed(call, error), result: { tool, input, isFailed: true, ...noData } };
  }
}
