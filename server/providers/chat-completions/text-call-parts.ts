import type { LanguageModelV4Middleware, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { callOpenings, readTextCalls } from "./text-calls.ts";

/** The raw finish reason of a turn that contains a tool call as text that could not be read. */
export const unreadCall = "tool-call-as-text";

/**
 * Runs tool calls that a model wrote as text, because its server does not read its mark-up. The mark-up counts only
 * outside code, in a turn without real calls, if it is whole and nothing follows it. Otherwise it is not shown, and the
 * turn ends with the raw reason `unreadCall`; text that only looked like a call is shown.
 */
export function textCalls(): LanguageModelV4Middleware {
  return {
    specificationVersion: "v4",
    async wrapStream({ doStream, params: { tools = [], toolChoice } }) {
      const result = await doStream();
      if (tools.length === 0 || toolChoice?.type === "none") return result;
      const names = new Set(tools.map(({ name }) => name));
      return { ...result, stream: ReadableStream.from(readParts(result.stream, names)) };
    },
  };
}

async function* readParts(
  parts: ReadableStream<LanguageModelV4StreamPart>,
  tools: ReadonlySet<string>,
): AsyncGenerator<LanguageModelV4StreamPart> {
  let shown = "";
  let held = "";
  let id = "";
  let hasCall = false;
  let end: LanguageModelV4StreamPart | undefined;
  function* show(text: string): Generator<LanguageModelV4StreamPart> {
    if (text === "") return;
    shown += text;
    yield { type: "text-delta", id, delta: text };
  }
  try {
    for await (const part of parts) {
      if (part.type === "text-start") id = part.id;
      if (part.type === "text-delta") {
        held += part.delta;
        const start = hasCall ? held.length : startOfCall(shown, held);
        yield* show(held.slice(0, start));
        held = held.slice(start);
        continue;
      }
      if (part.type === "tool-input-start" || part.type === "tool-call") {
        hasCall = true;
        yield* show(held);
        held = "";
      }
      if (part.type === "text-end") {
        end = part;
        continue;
      }
      if (part.type !== "finish") {
        yield part;
        continue;
      }
      const calls = held === "" ? undefined : readTextCalls(held, tools);
      const isUnread = calls === undefined && looksLikeCall(held, tools);
      if (calls === undefined && !isUnread) yield* show(held);
      if (end !== undefined) yield end;
      for (const { name: toolName, input } of calls ?? []) {
        const toolCallId = crypto.randomUUID();
        const json = JSON.stringify(input);
        yield { type: "tool-input-start", id: toolCallId, toolName };
        yield { type: "tool-input-end", id: toolCallId };
        yield { type: "tool-call", toolCallId, toolName, input: json };
      }
      if (calls !== undefined) yield { ...part, finishReason: { unified: "tool-calls", raw: part.finishReason.raw } };
      else yield isUnread ? { ...part, finishReason: { unified: "other", raw: unreadCall } } : part;
    }
  } catch (error) {
    yield* show(held);
    throw error;
  }
}

/** The place in `held` where a call may begin; its length if there is none. */
function startOfCall(shown: string, held: string): number {
  // Llama 3 writes bare JSON, some models in a fence: only as the whole turn.
  if (shown.trim() === "" && /^\s*(?:`{1,3}(?:j|js|jso|json)?\s*)?(?:\{[\s\S]*)?$/.test(held)) return 0;
  for (let at = 0; at < held.length; at++) {
    const rest = held.slice(at, at + longestOpening);
    const mayOpen = callOpenings.some((opening) => rest.startsWith(opening) || opening.startsWith(rest));
    if (mayOpen && !isInCode(shown + held.slice(0, at))) return at;
  }
  return held.length;
}

/** Prose may name the mark-up; a call has arguments or the name of a tool after it. */
function looksLikeCall(held: string, tools: ReadonlySet<string>): boolean {
  const opening = callOpenings.find((known) => held.startsWith(known));
  if (opening === undefined) return false;
  const next = held.slice(opening.length).trimStart();
  return opening.endsWith("=") || /^[{[<`]/.test(next) || [...tools].some((name) => next.startsWith(name));
}

const longestOpening = Math.max(...callOpenings.map(({ length }) => length));

function isInCode(before: string): boolean {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const fences = before.match(/^ {0,3}(?:```|~~~)/gm) ?? [];
  return fences.length % 2 === 1 || (line.match(/`/g) ?? []).length % 2 === 1;
}
