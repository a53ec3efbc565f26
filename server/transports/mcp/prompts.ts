import { ErrorCode, type GetPromptResult, type Prompt } from "@modelcontextprotocol/sdk/types.js";
import { packageForms, packageReference, packageTypes, withoutPrefix } from "../../protocol/kinds/names.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { refusal } from "./refusal.ts";

interface PromptDefinition extends Prompt {
  arguments: { name: string; description: string; required?: boolean }[];
  write(given: Readonly<Record<string, string>>): string;
}

const keepCitations =
  "Keep the citations of the answer as they are, with their links; say of those that were not verified that they were not.";

const definitions: readonly PromptDefinition[] = [
  {
    name: "ask",
    title: "Ask a codebase",
    description: "Asks Citewell, and answers with citations that were checked.",
    arguments: [
      { name: "question", description: "What you want to know.", required: true },
      { name: "resource", description: `A configured name, a git URL (https), or a package: ${packageForms}.` },
    ],
    write: ({ question = "", resource }) =>
      `Use the citewell tool "ask"${resource === undefined ? "" : ` with resources ["${resource}"]`} to answer this question:\n\n${question}\n\n${keepCitations}`,
  },
  {
    name: "explain-dependency",
    title: "Explain a dependency",
    description: "Explains how a package works, at the version that this workspace has installed.",
    arguments: [
      { name: "package", description: `Its name on npm, or with its ecosystem: ${packageForms}.`, required: true },
      { name: "topic", description: "What of it; all of it where nothing is said." },
    ],
    write: ({ package: name = "", topic }) =>
      `Use the citewell tools with resources ["${hasPrefix(name) ? name : packageReference("npm", name)}"] to explain ${topic === undefined ? "what this package does, its main entry points and how they work" : topic}. ` +
      `Name the version that was read. ${keepCitations}`,
  },
];

function hasPrefix(name: string): boolean {
  return packageTypes.some((type) => withoutPrefix(type, name) !== undefined);
}

export function listPrompts(): Prompt[] {
  return definitions.map((definition) => {
    const { write: _, ...prompt } = definition;
    return prompt;
  });
}

/** @throws a refusal: no such prompt, or an argument is missing */
export function getPrompt(name: string, given: Readonly<Record<string, string>>): GetPromptResult {
  const prompt = definitions.find((candidate) => candidate.name === name);
  if (prompt === undefined) {
    const known = definitions.map((candidate) => candidate.name).join(", ");
    throw refusal(ErrorCode.InvalidParams, `no prompt ${quoteValue(name)}: there are ${known}`);
  }
  const missing = prompt.arguments.find((argument) => argument.required === true && !given[argument.name]?.trim());
  if (missing !== undefined) {
    throw refusal(ErrorCode.InvalidParams, `${name} needs the argument "${missing.name}": ${missing.description}`);
  }
  const text = prompt.write(given);
  return { description: prompt.description ?? name, messages: [{ role: "user", content: { type: "text", text } }] };
}
