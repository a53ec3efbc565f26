import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { EditorMessage, EditorModelRequest } from "../protocol/editor-model.ts";

type UserPart = Extract<EditorMessage, { role: "user" }>["content"][number];
type AssistantPart = Extract<EditorMessage, { role: "assistant" }>["content"][number];

/**
 * Converts a call for the editor's models. They know only users and assistants, so the system prompt becomes the first
 * user message. If tools must not be called, none are offered and earlier tool results become text, because several
 * vendors reject calls of tools that are not offered.
 */
export function toEditorRequest(model: string, { prompt, tools = [], toolChoice }: CallOptions): EditorModelRequest {
  const hasTools = tools.length > 0 && toolChoice?.type !== "none";
  const messages = prompt.map(toMessage).filter(({ content }) => content.length > 0);
  return {
    model,
    messages: hasTools ? messages : messages.map(describeTools),
    tools: hasTools
      ? tools.flatMap((tool) =>
          tool.type === "function"
            ? [{ name: tool.name, description: tool.description ?? "", inputSchema: { ...tool.inputSchema } }]
            : [],
        )
      : [],
  };
}

type CallOptions = Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "toolChoice">;

function toMessage(message: LanguageModelV4Message): EditorMessage {
  switch (message.role) {
    case "system":
      return { role: "user", content: [{ type: "text", text: message.content }] };
    case "user":
      return { role: "user", content: message.content.flatMap((part) => (part.type === "text" ? textOf(part) : [])) };
    case "assistant":
      return { role: "assistant", content: message.content.flatMap(assistantPart) };
    case "tool":
      return { role: "user", content: message.content.flatMap((part) => ("output" in part ? [resultOf(part)] : [])) };
  }
}

/** Drops earlier reasoning: only the model that produced it can read it. */
function assistantPart(part: AssistantContent): AssistantPart[] {
  if (part.type === "text") return textOf(part);
  if (part.type !== "tool-call") return [];
  const { toolCallId: callId, toolName: name, input } = part;
  return [{ type: "tool-call", callId, name, input: isRecord(input) ? input : { input } }];
}

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

function textOf({ text }: { text: string }): { type: "text"; text: string }[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function resultOf({ toolCallId: callId, output }: LanguageModelV4ToolResultPart): UserPart {
  return { type: "tool-result", callId, text: outputText(output) };
}

function outputText(output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return typeof output.value === "string" ? output.value : JSON.stringify(output.value);
    case "content":
      return output.value.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    case "execution-denied":
      return output.reason ?? "not run";
  }
}

function describeTools(message: EditorMessage): EditorMessage {
  if (message.role === "user") {
    const content = message.content.map((part): UserPart => ({ type: "text", text: part.text }));
    return { role: "user", content };
  }
  const content = message.content.map((part): AssistantPart => {
    if (part.type === "text") return part;
    return { type: "text", text: `I call ${part.name} with ${JSON.stringify(part.input)}.` };
  });
  return { role: "assistant", content };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
