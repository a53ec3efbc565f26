import * as vscode from "vscode";
import type * as z from "zod";
import { type AgentTool, type AgentToolName, agentTools } from "../../../server/protocol/agent-tools.ts";
import { type Input, operations } from "../../../server/protocol/operations.ts";
import type { ResourceListing } from "../../../server/protocol/resource.ts";
import type { Citewell } from "../../context.ts";
import { toServerError } from "../../server-error.ts";
import { cutToBudget } from "./budget.ts";

interface ToolContext {
  citewell: Citewell;
  token: vscode.CancellationToken;
}

type ToolInput = Record<string, unknown>;

/** What is said while the tool runs, and what is asked before it fetches something that is not on this computer yet. */
export async function prepareTool(
  name: AgentToolName,
  input: ToolInput,
  { citewell, token }: ToolContext,
): Promise<vscode.PreparedToolInvocation> {
  const invocationMessage = describe(name, input);
  if (name === "listResources") return { invocationMessage };
  const { resources } = await citewell.server.request("listResources", {}, { token });
  const fetched = whatIsFetched(resources, namedIn(input));
  if (fetched.length === 0) return { invocationMessage };
  const title = vscode.l10n.t("Let Citewell fetch what is asked?");
  const message = vscode.l10n.t(
    "Not on this computer yet, and fetched from where it is published: {0}",
    fetched.join(", "),
  );
  return { invocationMessage, confirmationMessages: { title, message } };
}

/** @throws Error, in words for the model: what was wrong and what to do */
export async function runTool(
  name: AgentToolName,
  {
    input,
    tokenizationOptions,
  }: Pick<vscode.LanguageModelToolInvocationOptions<ToolInput>, "input" | "tokenizationOptions">,
  { citewell, token }: ToolContext,
): Promise<vscode.LanguageModelToolResult> {
  try {
    const text = await resultText(name, agentTools[name], input, { citewell, token });
    const cut = await cutToBudget(text, tokenizationOptions);
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(cut)]);
  } catch (error) {
    if (token.isCancellationRequested) throw new vscode.CancellationError();
    const { message, hint } = toServerError(error);
    throw new Error(hint === undefined ? message : `${message}. ${hint}`, { cause: error });
  }
}

async function resultText<Name extends AgentToolName>(
  name: Name,
  { input: accepted, toText }: AgentTool<Name>,
  input: ToolInput,
  { citewell, token }: ToolContext,
): Promise<string> {
  const { shape } = accepted;
  const known = Object.fromEntries(Object.entries(input).filter(([key]) => Object.hasOwn(shape, key)));
  return toText(await citewell.server.request(name, inputs[name].input.parse(known), { token }));
}

const inputs: { [Name in AgentToolName]: { input: z.ZodType<Input<Name>> } } = operations;

function describe(name: AgentToolName, input: ToolInput): string {
  const of = namedIn(input)?.join(", ") ?? "";
  switch (name) {
    case "ask":
      return of === "" ? vscode.l10n.t("Asking Citewell") : vscode.l10n.t("Asking Citewell about {0}", of);
    case "search":
      return of === "" ? vscode.l10n.t("Searching resources") : vscode.l10n.t("Searching {0}", of);
    case "read":
      return vscode.l10n.t("Reading {0} of {1}", String(input["path"]), of);
    case "verify":
      return vscode.l10n.t("Verifying citations");
    case "listResources":
      return vscode.l10n.t("Listing resources");
  }
}

/** Undefined where none is named, which means all. */
function namedIn({ resource, resources }: ToolInput): readonly string[] | undefined {
  if (typeof resource === "string") return [resource];
  const named = Array.isArray(resources) ? resources.filter((name) => typeof name === "string") : [];
  return named.length === 0 ? undefined : named;
}

/** Paths are read where they lie. */
export function whatIsFetched(
  configured: readonly Pick<ResourceListing, "name" | "type" | "state">[],
  named: readonly string[] | undefined,
): string[] {
  const absent = configured.filter(({ type, state }) => type !== "local" && state === "absent").map(({ name }) => name);
  if (named === undefined) return absent;
  const names = new Set(configured.map(({ name }) => name));
  return named.filter((name) => absent.includes(name) || (!names.has(name) && /^(?:https?:|npm:)/i.test(name)));
}
