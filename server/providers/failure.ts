import {
  AISDKError,
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
} from "@ai-sdk/provider";
import * as z from "zod";
import { CitewellError, codeOf, connectionFaultOf, messageOf } from "../errors.ts";
import { maskText } from "../source/mask.ts";
import { shorten } from "../protocol/shorten.ts";
import type { ModelRef } from "../protocol/ask.ts";
import type { ErrorTag } from "../protocol/error-tags.ts";
import { retryAfterMs } from "./retry.ts";
import { wordsOf } from "./said.ts";

/** The model of a call. */
export interface Caller {
  ref: ModelRef;
  /** Removed from messages: servers may quote it. */
  key: string | undefined;
  /** Whether messages leave out the model server's host: users of a service must not learn the names in its network. */
  hidesHost?: boolean | undefined;
}

/** Converts the error of a call to a CitewellError. Aborts and CitewellErrors are returned unchanged. */
export function callFailure(error: unknown, caller: Caller): unknown {
  if (!APICallError.isInstance(error)) return unexpected(error, caller);
  return error.statusCode === undefined ? unreachable(error, caller) : refusal(error, error.statusCode, caller);
}

/** The state of a stream when it failed. */
export interface StreamState {
  hasStarted: boolean;
  contentType: string | undefined;
}

/** Converts the error of a stream to a CitewellError. Parts received before it stay valid. */
export function streamFailure(error: unknown, caller: Caller, { hasStarted, contentType }: StreamState): unknown {
  const who = nameOf(caller);
  const sent = SentError.safeParse(error);
  if (sent.success && !(error instanceof Error)) return sentFailure(sent.data, caller);
  if (JSONParseError.isInstance(error)) return noAnswer(error.text, caller);
  if (TypeValidationError.isInstance(error)) return noAnswer(JSON.stringify(error.value), caller);
  if (!isLostConnection(error)) return unexpected(error, caller);
  if (hasStarted) {
    return providerError(
      "ProviderFailed",
      `the connection to ${who} was lost in the middle of the answer`,
      caller,
      "ask again",
    );
  }
  if (contentType === undefined || contentType.startsWith("text/event-stream")) {
    return providerError("ProviderFailed", `${who} ended the connection without an answer`, caller, "ask again");
  }
  const message = `${who} answered with ${excerpt(contentType, caller)} instead of a stream`;
  return providerError("ProviderFailed", message, caller, baseHint);
}

/**
 * The prompt does not fit: OpenAI and vLLM ("maximum context length"), llama.cpp, Ollama and LM Studio ("context size",
 * "context length", "context window"), Anthropic, Google, Mistral, Groq, xAI and TGI, each in its own words.
 */
const tooLong =
  /context[_ ](?:length|size|window)|context_overflow|maximum prompt length|prompt (?:is )?too long|too many (?:input )?tokens|input token count|too large for model|reduce the length|exceeds? the (?:available|maximum) (?:number of tokens|context)|inputs?`? tokens .*must be|when context the overflows/i;

/** Whether a call failed because the model's context is too small for it. */
export function isPromptTooLong(error: unknown): boolean {
  return error instanceof CitewellError && error.tag === "PromptTooLong";
}

const tooLongHint = "ask about fewer resources, or choose a model with a larger context";

const baseHint = "check that baseURL is where the API starts, often with /v1 at the end";

/** Some servers send an error inside a stream that started normally. */
const SentError = z.looseObject({
  message: z.string(),
  code: z.union([z.string(), z.number()]).nullish(),
  type: z.string().nullish(),
});

function sentFailure({ message, code, type }: z.infer<typeof SentError>, caller: Caller): CitewellError {
  const text = excerpt(wordsOf(message) ?? message, caller);
  if (tooLong.test(`${code} ${type} ${message}`)) return promptTooLong(text, caller);
  if (code !== 429 && !`${code} ${type}`.includes("rate_limit")) {
    return providerError("ProviderFailed", `${nameOf(caller)} failed: ${text}`, caller);
  }
  const limited = `${nameOf(caller)} has had too many requests: ${text}`;
  return providerError("ProviderRateLimited", limited, caller, "wait a little and ask again");
}

function promptTooLong(said: string, caller: Caller): CitewellError {
  return providerError("PromptTooLong", `the prompt is too long for ${nameOf(caller)}: ${said}`, caller, tooLongHint);
}

function noAnswer(text: string, caller: Caller): CitewellError {
  const message = `${nameOf(caller)} sent an invalid answer: ${excerpt(text, caller)}`;
  return providerError("ProviderFailed", message, caller, baseHint);
}

function refusal(error: APICallError, status: number, caller: Caller): CitewellError {
  const who = nameOf(caller);
  const { provider, model } = caller.ref;
  const words = saidBy(error);
  const said = excerpt(words ?? error.responseBody ?? "", caller);
  const detail = said === "" ? "" : `: ${said}`;
  const waitMs = retryAfterMs(error) ?? 0;
  const later = waitMs === 0 ? "wait a little and ask again" : `ask again in ${inWords(waitMs)}`;
  if (status === 401 || status === 403) {
    // Servers quote a wrong key in their message, often in part.
    const message = status === 403 ? `${who} refused the request (HTTP 403)${detail}` : keyFault(caller);
    return providerError("ProviderRefused", message, caller, `connect again: citewell connect -p ${provider}`);
  }
  if (status === 404 || error.responseBody?.includes("model_not_found") === true) {
    const message = `${provider} found no model ${JSON.stringify(model)} (HTTP ${status})${detail}`;
    const hint = words === undefined ? `check the model's name, and ${baseHint}` : "check the model's name";
    return providerError("ModelNotFound", message, caller, hint);
  }
  if (status === 413 || (status !== 429 && tooLong.test(error.responseBody ?? ""))) return promptTooLong(said, caller);
  if (status === 429) {
    return providerError("ProviderRateLimited", `${who} has had too many requests (HTTP 429)${detail}`, caller, later);
  }
  return providerError(
    "ProviderFailed",
    `${who} failed (HTTP ${status})${detail}`,
    caller,
    status < 500 ? undefined : later,
  );
}

function keyFault(caller: Caller): string {
  return `${nameOf(caller)} ${caller.key === undefined ? "asks for a key" : "refused the key"} (HTTP 401)`;
}

function unreachable(error: APICallError, caller: Caller): CitewellError {
  const code = codeOf(error.cause);
  const isUnknownHost = code === "ENOTFOUND" || code === "EAI_AGAIN";
  const why = isUnknownHost ? "no such host" : connectionFaultOf(error.cause ?? error);
  const isOwnServer = caller.ref.provider === "openai-compat";
  const hint = isOwnServer
    ? "check that it runs, and its baseURL and proxy"
    : "check the network connection and the proxy";
  const host = !caller.hidesHost && URL.canParse(error.url) ? ` at ${new URL(error.url).host}` : "";
  const message = `cannot reach ${nameOf(caller)}${host}: ${excerpt(why, caller)}`;
  return providerError("ProviderFailed", message, caller, hint);
}

/** Any other error is a bug of ours and keeps its stack, unless it may contain the key. */
function unexpected(error: unknown, caller: Caller): unknown {
  if (error instanceof CitewellError || isAbort(error)) return error;
  if (!AISDKError.isInstance(error) && caller.key === undefined) return error;
  return providerError("ProviderFailed", `${nameOf(caller)} failed: ${excerpt(messageOf(error), caller)}`, caller);
}

/** A hint that always works: the built-in provider needs no key and no network. */
export const withoutModel = "to ask without a model: citewell ask --provider builtin";

/** Adds the built-in provider as a hint, except to its own errors. */
function providerError(tag: ErrorTag, message: string, { ref }: Caller, hint?: string): CitewellError {
  const hints = [hint, ref.provider === "builtin" ? undefined : withoutModel].filter((text) => text !== undefined);
  return new CitewellError(tag, message, hints.length === 0 ? {} : { hint: hints.join("; ") });
}

function nameOf({ ref }: Caller): string {
  return `${ref.provider}/${ref.model}`;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
}

/** Whether the stream was cut, or ended without the format's final event. */
function isLostConnection(error: unknown): boolean {
  if (InvalidResponseDataError.isInstance(error)) return error.data === undefined;
  return APICallError.isInstance(error) || EmptyResponseBodyError.isInstance(error);
}

/** The server's own words, if its reply has any: a page of HTML is not one. */
function saidBy({ message, data, responseBody = "" }: APICallError): string | undefined {
  if (responseBody.trim() === "") return data === undefined ? undefined : message;
  return /^\s*</.test(responseBody) ? undefined : wordsOf(responseBody);
}

/** Shortens a server's reply to one line, without the key and control characters. */
function excerpt(text: string, { key }: Caller): string {
  const safe = key === undefined ? text : text.replaceAll(key, "‹key›");
  return shorten(maskText(safe.slice(0, 2000).replace(/\s+/g, " ").trim()), 201);
}

function inWords(ms: number): string {
  const [count, unit] = ms <= 120_000 ? [Math.ceil(ms / 1000), "second"] : [Math.ceil(ms / 60_000), "minute"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
