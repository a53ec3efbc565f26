import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { createChannel } from "../lib/channel.ts";
import type { EditorModelPart, EditorModels, EditorModelUsage } from "../protocol/editor-model.ts";
import { toEditorRequest } from "./editor-prompt.ts";

type ToolCall = Extract<EditorModelPart, { type: "tool-call" }>;

/** Adapts an editor model to the AI SDK; `model` is its id in the editor. */
export function createEditorModel(model: string, editorModels: EditorModels): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "vscode",
    modelId: model,
    supportedUrls: {},
    async doGenerate(options) {
      const parts: EditorModelPart[] = [];
      const respondOptions = { onPart: (part: EditorModelPart) => parts.push(part), signal: options.abortSignal };
      const used = await editorModels.respond(toEditorRequest(model, options), respondOptions);
      const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      const calls = parts.filter((part) => part.type === "tool-call").map(toToolCall);
      const content: LanguageModelV4Content[] = [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls];
      return { content, finishReason: finishOf(calls.length), usage: toUsage(used), warnings: [] };
    },
    async doStream(options) {
      return { stream: ReadableStream.from(streamParts(model, options, editorModels)) };
    },
  };
}

/** Ending the iteration early aborts the model. */
async function* streamParts(
  model: string,
  options: LanguageModelV4CallOptions,
  editorModels: EditorModels,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const leaving = new AbortController();
  const parts = createChannel<EditorModelPart>();
  const signals = [leaving.signal, ...(options.abortSignal === undefined ? [] : [options.abortSignal])];
  const responded = editorModels
    .respond(toEditorRequest(model, options), { onPart: parts.push, signal: AbortSignal.any(signals) })
    .finally(parts.close);
  // A failure is thrown below, after the parts received before it.
  responded.catch(() => {});
  try {
    yield { type: "stream-start", warnings: [] };
    const calls = yield* passOn(parts);
    yield { type: "finish", usage: toUsage(await responded), finishReason: finishOf(calls) };
  } finally {
    leaving.abort();
  }
}

/** Emits the text between two tool calls as one block. Returns the number of calls. */
async function* passOn(parts: AsyncIterable<EditorModelPart>): AsyncGenerator<LanguageModelV4StreamPart, number> {
  let calls = 0;
  let block: string | undefined;
  for await (const part of parts) {
    if (part.type === "text") {
      if (block === undefined) yield { type: "text-start", id: (block = `text-${calls}`) };
      yield { type: "text-delta", id: block, delta: part.text };
      continue;
    }
    if (block !== undefined) yield { type: "text-end", id: block };
    block = undefined;
    calls++;
    yield* callParts(toToolCall(part));
  }
  if (block !== undefined) yield { type: "text-end", id: block };
  return calls;
}

function* callParts(call: LanguageModelV4ToolCall): Generator<LanguageModelV4StreamPart> {
  yield { type: "tool-input-start", id: call.toolCallId, toolName: call.toolName };
  yield { type: "tool-input-delta", id: call.toolCallId, delta: call.input };
  yield { type: "tool-input-end", id: call.toolCallId };
  yield call;
}

function toToolCall({ callId, name, input }: ToolCall): LanguageModelV4ToolCall {
  return { type: "tool-call", toolCallId: callId, toolName: name, input: JSON.stringify(input) };
}

/** The editor reports no finish reason. */
function finishOf(calls: number): LanguageModelV4FinishReason {
  return { unified: calls > 0 ? "tool-calls" : "stop", raw: undefined };
}

function toUsage({ inputTokens, outputTokens }: EditorModelUsage): LanguageModelV4Usage {
  return {
    inputTokens: { total: inputTokens, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
  };
}
