import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { writeAnswer } from "./answer.ts";
import { readConversation } from "./conversation.ts";
import { markDeciding } from "./deciding.ts";
import { asksForDependencies, focusOf } from "./intent.ts";
import { gatherHits } from "./evidence.ts";
import { chooseExtracts, isAnswer } from "./extracts.ts";
import { withRarity } from "./known-words.ts";
import { findWhole, writeOverview } from "./overview.ts";
import { planNext } from "./plan.ts";
import { writeProjects } from "./project-answer.ts";
import { readQuestion } from "./question.ts";
import { correctSpelling } from "./spelling.ts";
import { foundFrames, writeTrace } from "./trace.ts";
import { reportNoDependency, writeVersions } from "./versions.ts";

/**
 * A language model whose policy is code: it searches with the tools it is offered and answers with ranked extracts of the
 * results, each with a reason and a citation marker. Its only input is the prompt, and it is deterministic. It reports a
 * usage of zero tokens, because it generates and bills none.
 */
export function createExtractiveModel(): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "builtin",
    modelId: "extractive",
    supportedUrls: {},
    async doGenerate(options) {
      options.abortSignal?.throwIfAborted();
      const turn = takeTurn(options);
      const content: LanguageModelV4Content[] =
        turn.type === "look"
          ? [{ type: "reasoning", text: turn.thought }, ...turn.calls]
          : [{ type: "text", text: [...turn.lines].join("") }];
      return { content, ...endOf(turn), warnings: [] };
    },
    async doStream(options) {
      options.abortSignal?.throwIfAborted();
      return { stream: ReadableStream.from(streamTurn(takeTurn(options), options)) };
    },
  };
}

/** The outcome of one call of the model: tool calls or an answer. */
type Turn =
  | { type: "look"; thought: string; calls: LanguageModelV4ToolCall[] }
  | { type: "answer"; lines: Iterable<string>; lacksEvidence: boolean };

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

function takeTurn(options: LanguageModelV4CallOptions): Turn {
  const conversation = readConversation(options);
  const found = gatherHits(conversation.results);
  const asked = withRarity(readQuestion(conversation), conversation.results);
  const { question, misspellings } = correctSpelling(asked, found);
  const hits = markDeciding(found, { question, results: conversation.results });
  const extracts = chooseExtracts(hits, { question, results: conversation.results });
  const offered = offeredTools(options);
  const plan = planNext(conversation, { question, hits, extracts });
  const calls = (plan?.calls ?? [])
    .filter(({ tool }) => offered.has(tool))
    .map(({ tool, input }, index): LanguageModelV4ToolCall => {
      const toolCallId = `extractive-${conversation.steps}-${index}`;
      return { type: "tool-call", toolCallId, toolName: tool, input: JSON.stringify(input) };
    });
  if (plan !== undefined && calls.length > 0) return { type: "look", thought: `${plan.thought}\n`, calls };
  const { results } = conversation;
  if (question.version !== undefined) {
    const versions = [...writeVersions(conversation, question.version)];
    if (versions.length > 0) return answerOf(versions);
    const none = reportNoDependency(conversation, question.version);
    if (none.length > 0) return { type: "answer", lines: none, lacksEvidence: true };
  }
  const frames = foundFrames(question, results);
  if (frames.length > 0) return answerOf(writeTrace(frames, { question, extracts, results }));
  const projects = question.isOverview
    ? writeProjects(results, {
        isAboutDependencies: asksForDependencies(conversation.question),
        focus: focusOf(conversation.question),
      })
    : undefined;
  if (projects !== undefined) return answerOf(projects);
  const whole = findWhole(question, results);
  if (whole !== undefined) return answerOf(writeOverview(whole, { question, hits, results }));
  const lines = writeAnswer(extracts, { question, hits, misspellings, conversation });
  return { type: "answer", lines, lacksEvidence: !extracts.some(isAnswer) };
}

function answerOf(lines: Iterable<string>): Turn {
  return { type: "answer", lines, lacksEvidence: false };
}

function offeredTools({ tools = [], toolChoice }: LanguageModelV4CallOptions): Set<string> {
  if (toolChoice?.type === "none") return new Set();
  const names = tools.map(({ name }) => name);
  return new Set(toolChoice?.type === "tool" ? names.filter((name) => name === toolChoice.toolName) : names);
}

/** Checks for cancellation before each part. @throws the signal's reason */
function* streamTurn(turn: Turn, { abortSignal }: LanguageModelV4CallOptions): Generator<LanguageModelV4StreamPart> {
  for (const part of partsOf(turn)) {
    abortSignal?.throwIfAborted();
    yield part;
  }
}

function* partsOf(turn: Turn): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  if (turn.type === "look") {
    yield { type: "reasoning-start", id: "thought" };
    yield { type: "reasoning-delta", id: "thought", delta: turn.thought };
    yield { type: "reasoning-end", id: "thought" };
    for (const call of turn.calls) {
      yield { type: "tool-input-start", id: call.toolCallId, toolName: call.toolName };
      yield { type: "tool-input-delta", id: call.toolCallId, delta: call.input };
      yield { type: "tool-input-end", id: call.toolCallId };
      yield call;
    }
  } else {
    yield { type: "text-start", id: "answer" };
    for (const delta of turn.lines) yield { type: "text-delta", id: "answer", delta };
    yield { type: "text-end", id: "answer" };
  }
  yield { type: "finish", ...endOf(turn) };
}

/** `evidence` is read by server/agent/agent.ts. */
function endOf(turn: Turn) {
  const unified = turn.type === "look" ? ("tool-calls" as const) : ("stop" as const);
  const lacksEvidence = turn.type === "answer" && turn.lacksEvidence;
  return {
    usage,
    finishReason: { unified, raw: undefined },
    ...(lacksEvidence ? { providerMetadata: { builtin: { evidence: "none" } } } : {}),
  };
}
