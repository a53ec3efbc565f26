import type { Wire } from "../wires.ts";
import { loneThink } from "./lone-think.ts";
import { type ReasoningField, strictFetch } from "./strict-stream.ts";
import { textCalls } from "./text-call-parts.ts";

/** OpenAI's chat-completions API, which most servers support, each in its own way. */
export const openChatCompletions: Wire = async (model, { name, baseURL, fetch, account, headers = {} }) => {
  const [{ createOpenAICompatible }, { extractReasoningMiddleware, wrapLanguageModel }] = await Promise.all([
    import("@ai-sdk/openai-compatible"),
    import("ai"),
  ]);
  const key = account.type === "key" ? { apiKey: account.key } : {};
  let sentAs: ReasoningField = "reasoning_content";
  const provider = createOpenAICompatible({
    name,
    baseURL,
    fetch: strictFetch(fetch, (field) => (sentAs = field)),
    headers,
    includeUsage: true,
    transformRequestBody: (body) => ({ ...body, messages: renameReasoning(body["messages"], sentAs) }),
    ...key,
  });
  // The innermost is first: local servers leave reasoning in the text, between <think> and </think>, and calls after
  // it.
  const middleware = [textCalls(), extractReasoningMiddleware({ tagName: "think" }), loneThink(model)];
  return wrapLanguageModel({ model: provider.chatModel(model), middleware });
};

/** The SDK sends all reasoning back as `reasoning_content`. */
function renameReasoning(messages: unknown, field: ReasoningField): unknown {
  if (field === "reasoning_content" || !Array.isArray(messages)) return messages;
  return messages.map(({ reasoning_content: reasoning, ...message }) =>
    reasoning === undefined ? message : { ...message, [field]: reasoning },
  );
}
