import { ErrorCode, type GetPromptResult, type Prompt } from "@modelcontextprotocol/sdk/types.js";
import { toCitewellError } from "../../errors.ts";
import { isPackageReference, packageForms, packageReference } from "../../protocol/kinds/names.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { publishedTools, toolInput } from "../../protocol/published-tools.ts";
import { callOperation } from "../call-operation.ts";
import { inTime, usualDeadlineMs } from "./calls.ts";
import { hintForAgent } from "./hints.ts";
import { codeOf, refusal } from "./refusal.ts";
import type { AgentHandlers } from "./tools.ts";

interface PromptDefinition extends Prompt {
  arguments: { name: string; description: string; required?: boolean }[];
  write(given: Readonly<Record<string, string>>, options: PromptOptions): string | Promise<string>;
}

/** What a prompt may look up. */
export interface PromptOptions {
  app: Pick<AgentHandlers, "upgrade">;
  signal: AbortSignal;
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
      `Use the citewell tools with resources ["${isPackageReference(name) ? name : packageReference("npm", name)}"] to explain ${topic === undefined ? "what this package does, its main entry points and how they work" : topic}. ` +
      `Name the version that was read. ${keepCitations}`,
  },
  {
    name: "upgrade",
    title: "What breaks if I upgrade?",
    description: "Compares what this project uses of a dependency with another version, and asks for the edits.",
    arguments: [
      {
        name: "package",
        description: "The dependency, as its manifest names it: zod; or with its ecosystem: npm:zod.",
        required: true,
      },
      { name: "to", description: "The wanted version; the newest where nothing is said." },
    ],
    write: async (given, options) =>
      "Say what this upgrade breaks in the project, the most certain first, and the edits that you would make. Citewell " +
      "compared the versions by text, and its report is below. Look with its tools search and read at what the report " +
      "leaves open, and keep the marker of each line that you use; the tool verify checks them.\n\n" +
      (await reportUpgrade(given, options)),
  },
];

async function reportUpgrade(given: Readonly<Record<string, string>>, { app, signal }: PromptOptions): Promise<string> {
  const { package: name, to } = given;
  const request = toolInput(publishedTools.upgrade, { package: name, ...(to?.trim() ? { to } : {}) });
  const report = await inTime(callOperation(app, "upgrade", request, { signal }), usualDeadlineMs);
  return publishedTools.upgrade.toText(report);
}

export function listPrompts(): Prompt[] {
  return definitions.map((definition) => {
    const { write: _, ...prompt } = definition;
    return prompt;
  });
}

/** @throws a refusal: no such prompt, an argument is missing, or what it looks up is not there */
export async function getPrompt(
  name: string,
  given: Readonly<Record<string, string>>,
  options: PromptOptions,
): Promise<GetPromptResult> {
  const prompt = definitions.find((candidate) => candidate.name === name);
  if (prompt === undefined) {
    const known = definitions.map((candidate) => candidate.name).join(", ");
    throw refusal(ErrorCode.InvalidParams, `no prompt ${quoteValue(name)}: there are ${known}`);
  }
  const missing = prompt.arguments.find((argument) => argument.required === true && !given[argument.name]?.trim());
  if (missing !== undefined) {
    throw refusal(ErrorCode.InvalidParams, `${name} needs the argument "${missing.name}": ${missing.description}`);
  }
  const text = await writePrompt(prompt, given, options);
  return { description: prompt.description ?? name, messages: [{ role: "user", content: { type: "text", text } }] };
}

async function writePrompt(
  prompt: PromptDefinition,
  given: Readonly<Record<string, string>>,
  options: PromptOptions,
): Promise<string> {
  try {
    return await prompt.write(given, options);
  } catch (error) {
    const { kind, tag, message, hint: usual } = toCitewellError(error);
    const hint = hintForAgent({ tag, hint: usual });
    const code = kind === "not-found" ? ErrorCode.InvalidParams : codeOf(kind);
    // A client shows the message alone.
    throw refusal(code, hint === undefined ? message : `${message}: ${hint}`, { tag });
  }
}
