import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import * as z from "zod";
import { builtinKey, CallData, ToolData } from "../../protocol/tool-data.ts";

/** The conversation in the prompt of one call. */
export interface Conversation {
  question: string;
  /** The questions before it, oldest first. */
  earlier: string[];
  /** Names of the resources. */
  resources: string[];
  /** How many steps the model has taken since the question. */
  steps: number;
  /** The results of tools since the question, in the order of the calls. */
  results: ToolResult[];
}

/** The call of a tool with its result. */
export interface ToolResult extends ToolData {
  tool: string;
  input: Readonly<Record<string, unknown>>;
  /** A failed call has no data. */
  isFailed: boolean;
}

/** Reads the question, the resources and the results of tools from a call. */
export function readConversation({
  prompt,
  providerOptions,
}: Pick<LanguageModelV4CallOptions, "prompt" | "providerOptions">): Conversation {
  const last = prompt.findLastIndex(({ role }) => role === "user");
  const questions = prompt
    .slice(0, last + 1)
    .filter(({ role }) => role === "user")
    .map(textOf);
  const since = prompt.slice(last + 1);
  const inputs = inputsIn(since);
  return {
    question: questions.at(-1) ?? "",
    earlier: questions.slice(0, -1),
    resources: CallData.safeParse(providerOptions?.[builtinKey]).data?.resources ?? [],
    steps: since.filter(({ role }) => role === "assistant").length,
    results: since.flatMap((message) => resultsIn(message, inputs)),
  };
}

function textOf({ content }: LanguageModelV4Message): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n")
    .trim();
}

/** Inputs by the id of the call. */
function inputsIn(messages: readonly LanguageModelV4Message[]): Map<string, ToolResult["input"]> {
  const inputs = new Map<string, ToolResult["input"]>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) {
      if (part.type === "tool-call") inputs.set(part.toolCallId, Input.parse(part.input));
    }
  }
  return inputs;
}

const Input = z.record(z.string(), z.unknown()).catch({});

function resultsIn(message: LanguageModelV4Message, inputs: ReadonlyMap<string, ToolResult["input"]>): ToolResult[] {
  if (message.role !== "assistant" && message.role !== "tool") return [];
  return message.content.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const input = inputs.get(part.toolCallId) ?? {};
    const options = "providerOptions" in part.output ? part.output.providerOptions : undefined;
    const { data } = ToolData.safeParse(options?.[builtinKey]);
    return { tool: part.toolName, input, isFailed: data === undefined, ...(data ?? ToolData.parse({})) };
  });
}
