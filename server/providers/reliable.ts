import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import type { Log } from "../lib/log.ts";
import type { ModelRetry } from "../protocol/ask.ts";
import { type Caller, callFailure, streamFailure } from "./failure.ts";
import { withRetries } from "./retry.ts";

/** Wraps a model so that calls are retried and errors are CitewellErrors with the configured name. */
export function withReliableCalls(
  model: LanguageModelV4,
  { log, onRetry, ...caller }: Caller & { log: Log; onRetry?: ((retry: ModelRetry) => void) | undefined },
): LanguageModelV4 {
  const { provider, model: modelId } = caller.ref;
  const call = async <Result>(attempt: () => PromiseLike<Result>, signal: AbortSignal | undefined): Promise<Result> => {
    try {
      return await withRetries(attempt, {
        onRetry({ error: { statusCode }, delayMs, ...retry }) {
          log.warn("provider-retry", { provider, model: modelId, statusCode, delayMs: Math.round(delayMs) });
          onRetry?.({ reason: reasonOf(statusCode), delayMs, ...retry });
        },
        signal,
      });
    } catch (error) {
      throw callFailure(error, caller);
    }
  };
  return {
    specificationVersion: "v4",
    provider,
    modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => call(() => model.doGenerate(options), options.abortSignal),
    async doStream(options) {
      const result = await call(() => model.doStream(options), options.abortSignal);
      return { ...result, stream: ReadableStream.from(explainFailures(result, caller)) };
    },
  };
}

function reasonOf(status: number | undefined): string {
  if (status === undefined) return "no connection";
  return status === 429 ? "too many requests (HTTP 429)" : `the provider failed (HTTP ${status})`;
}

/** Emits a failure as a part: erroring the stream would drop unread deltas. */
async function* explainFailures(
  { stream, response }: LanguageModelV4StreamResult,
  caller: Caller,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const state = { hasStarted: false, contentType: response?.headers?.["content-type"] };
  try {
    for await (const part of stream) {
      if (part.type === "error") throw part.error;
      state.hasStarted ||= part.type.endsWith("-delta") || part.type === "tool-call";
      yield part;
    }
  } catch (error) {
    yield { type: "error", error: streamFailure(error, caller, state) };
  }
}
