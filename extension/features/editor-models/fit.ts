import type { EditorMessage, EditorModelRequest } from "../../../server/protocol/editor-model.ts";

export interface FitOptions extends Pick<EditorModelRequest, "tools"> {
  /** What the model takes, in tokens; 0 where that is not known. */
  limit: number;
  count(text: string): Promise<number>;
}

/** Replaces a result that does not fit. */
export const leftOut = "(Left out, for there is no more room. Read it again if you need it, in smaller pieces.)";

/**
 * The messages that fit the model's context. The oldest tool results are dropped first. Questions and the model's own
 * messages always stay; `hasRoom` is false if they alone are too long.
 */
export async function fitMessages(
  messages: readonly EditorMessage[],
  { tools, limit, count }: FitOptions,
): Promise<{ messages: readonly EditorMessage[]; tokens: number; hasRoom: boolean }> {
  const counts = await Promise.all(messages.map((message) => count(textOf(message))));
  let tokens = counts.reduce((sum, each) => sum + each, tools.length === 0 ? 0 : await count(JSON.stringify(tools)));
  if (limit === 0) return { messages, tokens, hasRoom: true };
  const fitted = [...messages];
  for (const [index, message] of messages.entries()) {
    if (tokens <= limit) break;
    const shortened = withoutResults(message);
    if (shortened === undefined) continue;
    tokens -= (counts[index] ?? 0) - (await count(textOf(shortened)));
    fitted[index] = shortened;
  }
  return { messages: fitted, tokens, hasRoom: tokens <= limit };
}

function withoutResults(message: EditorMessage): EditorMessage | undefined {
  if (message.role !== "user" || !message.content.some(({ type }) => type === "tool-result")) return undefined;
  return {
    role: "user",
    content: message.content.map((part) => (part.type === "tool-result" ? { ...part, text: leftOut } : part)),
  };
}

function textOf({ content }: EditorMessage): string {
  return content.map((part) => (part.type === "tool-call" ? JSON.stringify(part.input) : part.text)).join("\n");
}
