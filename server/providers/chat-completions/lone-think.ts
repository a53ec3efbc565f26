import type { LanguageModelV4Middleware, LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** Servers name the tag differently; the SDK's middleware for reasoning gets `<think>`. */
const closing = /<\/(?:think|thinking|thought)>|\[\/THINK\]/;
const opening = /^\s*(?:<(?:think|thinking|thought)>|\[THINK\])/;
/** Models that think, by name; their servers may have a template that opens the tag. */
const thinkers = /think|reason|\br1\b|qwq|qwen3|magistral|glm-4|minimax-m|nemotron/i;
/** How thoughts begin, and answers hardly ever. */
const firstWords = [
  "okay",
  "ok,",
  "ok.",
  "alright",
  "hmm",
  "let me ",
  "let's ",
  "we need",
  "we have to",
  "we should",
].concat(
  [
    "the user",
    "i need",
    "i should",
    "i have to",
    "i'll ",
    "i will",
    "i'm asked",
    "first,",
    "so ",
    "so,",
    "now ",
    "now,",
  ],
  ["got it", "thinking", "wait", "to answer", "looking at"],
);
/** Longer text is an answer, in UTF-16 units: a thought that is longer is shown with the answer. */
const heldLimit = 20_000;

/**
 * Where the server's template opens `<think>` itself, only the closing tag is sent, and the text before it is reasoning. A
 * first turn that may be a thought is held back until it shows what it is: a closing tag, a tool call or its end. Later turns
 * are held if the first had a lone closing tag. Adds the missing `<think>`; `extractReasoningMiddleware` does the rest.
 */
export function loneThink(model: string): LanguageModelV4Middleware {
  let habit: "unknown" | "thinks" | "plain" = "unknown";
  const mayThink = (text: string): boolean => {
    if (habit === "thinks" || thinkers.test(model)) return true;
    const begin = text.trimStart().toLowerCase();
    return firstWords.some((words) => begin.startsWith(words) || words.startsWith(begin));
  };
  async function* complete(parts: ReadableStream<LanguageModelV4StreamPart>) {
    let held = "";
    let isHolding = habit !== "plain";
    let id = "";
    const release = function* (text: string): Generator<LanguageModelV4StreamPart> {
      isHolding = false;
      if (text !== "") yield { type: "text-delta", id, delta: text };
    };
    try {
      for await (const part of parts) {
        if (part.type === "text-start") id = part.id;
        if (isHolding && part.type === "text-delta") {
          held += part.delta;
          const close = held.match(closing);
          if (close?.index !== undefined) {
            habit = opening.test(held) ? "plain" : "thinks";
            const thought = held.slice(0, close.index).replace(opening, "");
            yield* release(`<think>${thought}</think>${held.slice(close.index + close[0].length)}`);
          } else if (held.length > heldLimit || !(mayThink(held) || opening.test(held)) || /^\s*<think>/.test(held)) {
            yield* release(held);
          }
          continue;
        }
        if (isHolding && !isNeutral(part)) {
          habit = "plain";
          yield* release(held);
        }
        yield part;
      }
    } catch (error) {
      if (isHolding) yield* release(held);
      throw error;
    }
  }
  return {
    specificationVersion: "v4",
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream();
      return { ...rest, stream: ReadableStream.from(complete(stream)) };
    },
  };
}

function isNeutral({ type }: LanguageModelV4StreamPart): boolean {
  return type === "stream-start" || type === "response-metadata" || type === "text-start" || type === "raw";
}
