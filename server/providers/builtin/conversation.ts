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
  /** What was searched for, of a search. */
  query: string | undefined;
  passages: ReturnType<typeof parsePassages>;
}

export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  const asked = prompt.findLastIndex(({ role }) => role === "user");
  const questions = prompt
    .slice(0, asked + 1)
    .filter(({ role }) => role === "user")
    .map(textOf);
  const since = prompt.slice(asked + 1);
  return {
    question: questions.at(-1) ?? "",
    earlier: questions.slice(0, -1),
    resources: prompt.flatMap((message) => (message.role === "system" ? resourcesIn(message.content) : [])),
    steps: since.filter(({ role }) => role === "assistant").length,
    results: resultsIn(since),
  };
}

/** The list that server/agent/prompt.ts writes: `- express: npm package, express 5.3.0`. */
function resourcesIn(instructions: string): string[] {
  const lines = instructions.matchAll(/^- (\S.*?): (?:git repository|local folder|npm package), /gm);
  return [...lines].map(([, name = ""]) => name);
}

function textOf({ content }: LanguageModelV4Message): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n")
    .trim();
}

const SearchInput = z.object({ query: z.string() });

function resultsIn(messages: readonly LanguageModelV4Message[]): ToolResult[] {
  const queries = new Map<string, string>();
  const results: ToolResult[] = [];
  for (const message of messages) {
    if (message.role !== "assistant" && message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type === "tool-call") {
        const input = SearchInput.safeParse(part.input);
        if (input.success) queries.set(part.toolCallId, input.data.query);
      }
      if (part.type === "tool-result") {
        const query = queries.get(part.toolCallId);
        results.push({ tool: part.toolName, query, passages: parsePassages(textOfOutput(part.output)) });
      }
    }
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
