import { CitewellError } from "../errors.ts";
import type { Stopped, Usage } from "../protocol/ask.ts";
import { withoutModel } from "../providers/failure.ts";
import { type AgentLimits, describeLimit, budgetAfter } from "./limits.ts";

/** How the last step of a run ended. */
export interface Ending {
  /** What each step took, the last one included. */
  steps: readonly Usage[];
  /** The provider's word, as the AI SDK names it: stop, tool-calls, length, content-filter, … */
  finishReason: string;
  /** The model wrote a tool call as text that could not be read. */
  isUnreadCall: boolean;
  isAnswered: boolean;
  /** The last step called tools. */
  wantsMore: boolean;
  limits: AgentLimits;
}

/** Why a run ended before the model was done, or undefined where it was. */
export function describeStop({
  steps,
  finishReason,
  isUnreadCall,
  isAnswered,
  wantsMore,
  limits,
}: Ending): Stopped | undefined {
  const before = budgetAfter(steps.slice(0, -1), limits);
  const after = budgetAfter(steps, limits);
  if (before.type === "last-step") return describeLimit(before.reached, limits);
  if (wantsMore && after.type === "none") return describeLimit(after.reached, limits);
  if (finishReason === "length")
    return { reason: "length", message: "The model reached the longest answer it can give." };
  if (finishReason === "content-filter")
    return { reason: "filtered", message: "The provider's content filter ended the answer." };
  if (isUnreadCall) return { reason: "empty", message: callAsText };
  if (isAnswered) return undefined;
  return { reason: "empty", message: "The model ended without writing one. Ask again, or choose another model." };
}

const callAsText =
  "The model wrote a tool call as text: it cannot call tools, or its server does not read its calls. Start llama.cpp with --jinja, vLLM with --enable-auto-tool-choice and --tool-call-parser; in Ollama and LM Studio, choose a model with tool support.";

/** The same for the reader, as Markdown that follows what was written; a code block that is still open is closed. */
export function closingNote(text: string, { reason, message }: Stopped): string {
  const fences = text.match(/^ {0,3}(?:```|~~~)/gm) ?? [];
  const end = fences.length % 2 === 1 ? `\n${fences.at(-1)?.trim()}` : "";
  const gap = text === "" ? "" : end === "" && text.endsWith("\n") ? "\n" : "\n\n";
  return `${end}${gap}> **${reason === "empty" ? "No answer" : "Partial answer"}.** ${message}`;
}

export function cancelled(signal: AbortSignal): CitewellError {
  return new CitewellError("Cancelled", "the question was cancelled", { cause: signal.reason });
}

/** @param model `provider/model` */
export function timedOut(model: string, { providerTimeoutMs }: Pick<AgentLimits, "providerTimeoutMs">): CitewellError {
  return new CitewellError("ProviderTimeout", `${model} took longer than ${providerTimeoutMs} ms`, {
    hint: `ask again, or raise providerTimeoutMs in citewell.config.jsonc${model.startsWith("builtin/") ? "" : `; ${withoutModel}`}`,
  });
}
