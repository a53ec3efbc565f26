import { createParser, type EventSourceMessage } from "eventsource-parser";
import { wordsOf } from "../said.ts";

type Fetch = typeof globalThis.fetch;
type Json = Record<string, unknown>;

/** The field in which a server sends its reasoning; it is sent back under the same name. */
export type ReasoningField = "reasoning" | "reasoning_content";

/**
 * Makes the answers of chat-completions servers strict, because the SDK rejects what differs from OpenAI's:
 * - a whole answer instead of a stream is one chunk;
 * - an error in any envelope, also with status 200, is `{ error: { message } }`;
 * - arguments of a tool call may be an object; the message may be in `message` or in a legacy `function_call`;
 * - the last finish reason decides only if it is `length` or `content_filter`; a complete call counts without one, and
 *   `[DONE]` ends an answer without one.
 */
export function strictFetch(fetch: Fetch, onReasoning: (field: ReasoningField) => void): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const contentType = response.headers.get("content-type") ?? "";
    if (!response.ok || response.body === null) return response;
    if (contentType.includes("json")) return asStream(response, wholeAnswer(await response.text(), onReasoning));
    if (contentType.startsWith("text/event-stream"))
      return asStream(response, strictEvents(response.body, onReasoning));
    return response;
  };
}

function asStream({ status, headers }: Response, lines: AsyncIterable<string> | Iterable<string>): Response {
  const sent = new Headers(headers);
  sent.set("content-type", "text/event-stream");
  sent.delete("content-length");
  return new Response(ReadableStream.from(lines).pipeThrough(new TextEncoderStream()), { status, headers: sent });
}

function wholeAnswer(text: string, onReasoning: (field: ReasoningField) => void): Iterable<string> {
  const reader = createReader(onReasoning);
  return [...reader.read({ data: text }), ...reader.end()];
}

async function* strictEvents(
  body: ReadableStream<Uint8Array>,
  onReasoning: (field: ReasoningField) => void,
): AsyncGenerator<string> {
  const reader = createReader(onReasoning);
  const waiting: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => waiting.push(event) });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    for (const event of waiting.splice(0)) yield* reader.read(event);
  }
  // Some servers leave out the empty line after the last event.
  parser.feed("\n\n");
  for (const event of waiting.splice(0)) yield* reader.read(event);
}

/** Reads the events of one answer, and returns the lines to send on. */
function createReader(onReasoning: (field: ReasoningField) => void) {
  let hasCall = false;
  let isFinished = false;
  const finish = (reason: unknown): string => {
    isFinished = true;
    const isCut = reason === "length" || reason === "content_filter";
    const finish_reason = isCut ? reason : hasCall ? "tool_calls" : "stop";
    return dataLine({ choices: [{ index: 0, delta: {}, finish_reason }] });
  };
  return {
    read({ event, data }: Pick<EventSourceMessage, "event" | "data">): string[] {
      if (data.trim() === "[DONE]") return this.end();
      const value = parse(data);
      if (event === "error" || (isObject(value) && !("choices" in value))) {
        const words = wordsOf(value ?? data);
        if (words === undefined) return event === "error" ? [errorLine(data, value)] : [];
        return [errorLine(words, value)];
      }
      // The SDK reports what cannot be read.
      if (!isObject(value) || !(Array.isArray(value["choices"]) || value["choices"] === null))
        return [`data: ${data.replaceAll("\n", " ")}\n\n`];
      const [choice]: unknown[] = value["choices"] ?? [];
      const words = wordsOf(value["error"]);
      if (words !== undefined) return [errorLine(words, value)];
      const about = aboutAnswer(value);
      if (!isObject(choice)) return [dataLine({ ...about, choices: [] })];
      const delta = strictDelta(choice["delta"] ?? choice["message"]);
      hasCall ||= "tool_calls" in delta;
      for (const field of ["reasoning", "reasoning_content"] as const) {
        if (typeof delta[field] === "string" && delta[field] !== "") onReasoning(field);
      }
      const line = dataLine({ ...about, choices: [{ index: 0, delta, finish_reason: null }] });
      const reason = choice["finish_reason"] ?? undefined;
      // Some servers send an empty reason with each piece; then it ends nothing.
      const isLast = reason !== undefined && (reason !== "" || !hasContent(delta));
      return isLast ? [line, finish(reason)] : [line];
    },
    /** The server said that its answer is complete. */
    end: (): string[] => [...(isFinished ? [] : [finish(undefined)]), "data: [DONE]\n\n"],
  };
}

/** What the SDK reads of a chunk beside its choice, without values of another type. */
function aboutAnswer({ id, created, model, usage }: Json): Json {
  return {
    ...(typeof id === "string" ? { id } : {}),
    ...(typeof created === "number" ? { created } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(isObject(usage) ? { usage } : {}),
  };
}

function hasContent(delta: Json): boolean {
  return Object.values(delta).some((value) => value !== null && value !== "");
}

function strictDelta(value: unknown): Json {
  if (!isObject(value)) return {};
  const { tool_calls: calls, function_call: legacy, role: _role, ...rest } = value;
  const list = Array.isArray(calls) ? calls : isObject(legacy) ? [{ index: 0, function: legacy }] : [];
  const strict = list.filter(isObject).map((call) => {
    const { function: named, id, index, ...others } = call;
    const { name, arguments: given }: Json = isObject(named) ? named : {};
    return {
      ...others,
      ...(typeof index === "number" ? { index } : {}),
      ...(isScalar(id) ? { id: String(id) } : {}),
      function: {
        ...(typeof name === "string" ? { name } : {}),
        ...(given === null || given === undefined
          ? {}
          : { arguments: typeof given === "string" ? given : JSON.stringify(given) }),
      },
    };
  });
  return strict.length === 0 ? rest : { ...rest, tool_calls: strict };
}

function errorLine(message: string, value: unknown): string {
  const { code, type } = isObject(value) ? (isObject(value["error"]) ? value["error"] : value) : {};
  const known = { ...(isScalar(code) ? { code } : {}), ...(typeof type === "string" ? { type } : {}) };
  return dataLine({ error: { message, ...known } });
}

function dataLine(value: Json): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function isScalar(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
