import { kinds } from "../../protocol/kinds/kinds.ts";
import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import * as z from "zod";
import { parsePassages } from "../../protocol/passage.ts";

/** What the prompt of one call says, as far as this model reads it. */
export interface Conversation {
  question: string;
  /** The questions before it, oldest first. */
  earlier: string[];
  /** Names of the resources, as the instructions list them; empty where they list none. */
  resources: string[];
  /** How often the model was asked since the question. */
  steps: number;
  /** What tools answered since the question, in the order of the calls. */
  results: ToolResult[];
}

export interface ToolResult {
  tool: string;
  /** What the tool was asked. */
  input: Readonly<Record<string, unknown>>;
  /** Empty where the tool failed; what found nothing says so. */
  text: string;
  passages: ReturnType<typeof parsePassages>;
}

export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  const asked = prompt.findLastIndex(({ role }) => role === "user");
  const questions = prompt
    .slice(0, asked + 1)
    .filter(({ role }) => role === "user")
    .map(textOf);
  const since = prompt.slice(asked + 1);
  const inputs = inputsIn(since);
  return {
    question: questions.at(-1) ?? "",
    earlier: questions.slice(0, -1),
    resources: prompt.flatMap((message) => (message.role === "system" ? resourcesIn(message.content) : [])),
    steps: since.filter(({ role }) => role === "assistant").length,
    results: since.flatMap((message) => resultsIn(message, inputs)),
  };
}

/** The list that server/agent/prompt.ts writes: `- express: npm package, express 5.3.0`. */
function resourcesIn(instructions: string): string[] {
  const nouns = Object.values(kinds).map(({ noun }) => noun);
  const lines = instructions.matchAll(new RegExp(`^- (\\S.*?): (?:${nouns.join("|")}), `, "gm"));
  return [...lines].map(([, name = ""]) => name);
}

function textOf({ content }: LanguageModelV4Message): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n")
    .trim();
}

/** What was asked, by the id of the call. */
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
  const results: ToolResult[] = [];
  for (const part of message.content) {
    if (part.type !== "tool-result") continue;
    const text = textOfOutput(part.output);
    const input = inputs.get(part.toolCallId) ?? {};
    results.push({ tool: part.toolName, input, text, passages: parsePassages(text) });
  }
  return results;
}

/** A tool that failed says why, in words for a model that can read them. */
function textOfOutput(output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case "text":
      return output.value;
    case "json":
      return typeof output.value === "string" ? output.value : "";
    case "content":
      return output.value.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    case "error-text":
    case "error-json":
    case "execution-denied":
      return "";
  }
}
