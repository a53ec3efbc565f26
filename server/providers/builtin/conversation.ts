import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import * as z from "zod";
import { builtinKey, CallData, ToolData } from "../../protocol/tool-data.ts";

/** The conversation in the prompt of one call. */
export interface Conversation {
  question: string;
  /** The turns before it, oldest first. */
  earlier: Turn[];
  /** Names of the resources. */
  resources: string[];
  /** How many steps the model has taken since the question. */
  steps: number;
  /** The results of tools since the question, in the order of the calls. */
  results: ToolResult[];
}

export interface Turn {
  question: string;
  answer: string;
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
  const since = prompt.slice(last + 1);
  const inputs = inputsIn(since);
  return {
    question: last === -1 ? "" : textOf(prompt[last]),
    earlier: turnsIn(prompt.slice(0, Math.max(0, last))),
    resources: CallData.safeParse(providerOptions?.[builtinKey]).data?.resources ?? [],
    steps: since.filter(({ role }) => role === "assistant").length,
    results: since.flatMap((message) => resultsIn(message, inputs)),
  };
}

function turnsIn(messages: readonly LanguageModelV4Message[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const open = turns.at(-1);
    if (message.role === "user") turns.push({ question: textOf(message), answer: "" });
    else if (message.role === "assistant" && open !== undefined) open.answer += textOf(message);
  }
  return turns;
}

function textOf(message: LanguageModelV4Message | undefined): string {
  const content = message?.content ?? "";
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
