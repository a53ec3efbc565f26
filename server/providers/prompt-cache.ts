import { createHash } from "node:crypto";
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";

/** Provider options that ask for the prompt to be cached up to where they are attached. */
type Breakpoint = Record<string, Record<string, { type: "ephemeral" }>>;

/** Anthropic's API keeps a cached prefix for five minutes after its last use. */
const ephemeral = { type: "ephemeral" } as const;

/** How each AI SDK package writes a breakpoint. GitHub documents none: its own clients send this field. */
export const breakpoints = {
  anthropic: { anthropic: { cacheControl: ephemeral } },
  openrouter: { openrouter: { cacheControl: ephemeral } },
  copilot: { openaiCompatible: { copilot_cache_control: ephemeral } },
} satisfies Record<string, Breakpoint>;

/**
 * Marks the prompt for providers that cache only up to breakpoints. The four that the API allows go after the tools, the
 * instructions, the last message, and the last message of the previous call. The API looks for an earlier breakpoint in
 * the preceding 20 blocks only. https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export function withBreakpoints(
  { prompt, tools, ...params }: LanguageModelV4CallOptions,
  breakpoint: Breakpoint,
): LanguageModelV4CallOptions {
  const ends = prompt.flatMap(({ role }, index) => (role === "user" || role === "tool" ? [index] : [])).slice(-2);
  const instructions = prompt.findLastIndex(({ role }) => role === "system");
  const marked = new Set([instructions, ...ends]);
  return {
    ...params,
    prompt: prompt.map((message, index) => (marked.has(index) ? markEnd(message, breakpoint) : message)),
    ...(tools === undefined ? {} : { tools: markLastTool(tools, breakpoint) }),
  };
}

/** Sends calls with the same instructions to the machine that has them cached. https://platform.openai.com/docs/guides/prompt-caching */
export function withCacheKey(params: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const instructions = params.prompt.flatMap((message) => (message.role === "system" ? [message.content] : []));
  const promptCacheKey = `citewell-${createHash("sha256").update(instructions.join("\n")).digest("hex").slice(0, 16)}`;
  const { openai } = params.providerOptions ?? {};
  return { ...params, providerOptions: { ...params.providerOptions, openai: { promptCacheKey, ...openai } } };
}

/** The AI SDK packages read the options of a message's last part; a system message has no parts. */
function markEnd(message: LanguageModelV4Message, breakpoint: Breakpoint): LanguageModelV4Message {
  switch (message.role) {
    case "system":
      return { ...message, providerOptions: { ...message.providerOptions, ...breakpoint } };
    case "user":
      return { ...message, content: markLast(message.content, breakpoint) };
    case "tool":
      return { ...message, content: markLast(message.content, breakpoint) };
    case "assistant":
      return message;
  }
}

function markLast<Part extends { providerOptions?: object }>(parts: readonly Part[], breakpoint: Breakpoint): Part[] {
  return parts.map((part, index) =>
    index === parts.length - 1 ? { ...part, providerOptions: { ...part.providerOptions, ...breakpoint } } : part,
  );
}

function markLastTool(tools: NonNullable<LanguageModelV4CallOptions["tools"]>, breakpoint: Breakpoint) {
  return tools.map((tool, index) =>
    index === tools.length - 1 && tool.type === "function"
      ? { ...tool, providerOptions: { ...tool.providerOptions, ...breakpoint } }
      : tool,
  );
}
