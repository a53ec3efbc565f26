import { CitewellError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import { anthropic } from "./anthropic.ts";
import type { ProviderDefinition } from "./definition.ts";
import { githubCopilot } from "./github-copilot.ts";
import { google } from "./google.ts";
import { minimax } from "./minimax.ts";
import { openai } from "./openai.ts";
import { openaiCompat } from "./openai-compat.ts";
import { opencode } from "./opencode.ts";
import { openrouter } from "./openrouter.ts";
import { vercel } from "./vercel.ts";
import { vscode } from "./vscode.ts";

const builtin: ProviderDefinition = {
  name: "Built-in (extracts)",
  auth: ["none"],
  models: { extractive: { name: "Extracts, no key and no network" } },
  pricedAs: () => ({ type: "free" }),
  // server/agent/run-builtin.ts answers without a language model.
  async openModel(model) {
    throw new CitewellError("ModelNotFound", `the provider builtin has no model ${JSON.stringify(model)}`, {
      hint: "its only model is extractive",
    });
  },
};

/** All providers by id, in display order. */
export const definitions: Readonly<Record<string, ProviderDefinition>> = {
  builtin,
  vscode,
  openrouter,
  opencode,
  anthropic,
  openai,
  "github-copilot": githubCopilot,
  google,
  "openai-compat": openaiCompat,
  minimax,
  vercel,
};

/** Looks up a provider by id. @throws ProviderNotFound, with similar ids as hint */
export function findDefinition(provider: string): ProviderDefinition {
  const definition = Object.hasOwn(definitions, provider) ? definitions[provider] : undefined;
  if (definition !== undefined) return definition;
  const known = Object.keys(definitions);
  const close = nearest(provider, known);
  throw new CitewellError("ProviderNotFound", `no provider ${JSON.stringify(provider)}`, {
    hint: close.length > 0 ? `did you mean ${close.join(" or ")}?` : `known providers: ${known.join(", ")}`,
  });
}
