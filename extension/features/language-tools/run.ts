import { allPackagePrefixes, packageReference } from "../../../server/protocol/kinds/names.ts";
import * as vscode from "vscode";
import * as z from "zod";
import { kindOf } from "../../../server/protocol/kinds/kinds.ts";
import { checkFields, describeFields, type RequestWords } from "../../../server/protocol/known-fields.ts";
import {
  type PublishedTool,
  type PublishedToolName,
  publishedTools,
  toolInput,
} from "../../../server/protocol/published-tools.ts";
import { type Input, operations } from "../../../server/protocol/operations.ts";
import type { Dependency, ResourceListing } from "../../../server/protocol/resource.ts";
import { describeIssues } from "../../../server/protocol/validation.ts";
import type { Citewell } from "../../context.ts";
import { toServerError } from "../../server-error.ts";
import { chosenNames } from "../resources/chosen.ts";
import { cutToBudget } from "./budget.ts";

interface ToolContext {
  citewell: Citewell;
  token: vscode.CancellationToken;
}

type ToolInput = Record<string, unknown>;

/** The message while the tool runs, and the confirmation before it fetches a resource. */
export async function prepareTool(
  name: PublishedToolName,
  input: ToolInput,
  { citewell, token }: ToolContext,
): Promise<vscode.PreparedToolInvocation> {
  const { refusal } = checkFields(publishedTools[name].input, input, wordsOf(name));
  const invocationMessage = describe(name, input);
  if (name === "listResources" || refusal !== undefined) return { invocationMessage };
  const { server } = citewell;
  const { resources } = await server.request("listResources", {}, { token });
  const named = namedIn(input);
  const isPackageNamed = named?.some((name) => isPackageReference(name)) === true;
  const { dependencies } = isPackageNamed ? await server.request("listDependencies", {}, { token }) : noDependencies;
  const fetched = whatIsFetched(resources, { named, dependencies: dependencies ?? [] });
  if (fetched.length === 0) return { invocationMessage };
  const title = vscode.l10n.t("Let Citewell fetch resources?");
  const message = vscode.l10n.t(
    "Not on this computer yet, and fetched from where it is published: {0}",
    fetched.join(", "),
  );
  return { invocationMessage, confirmationMessages: { title, message } };
}

/** @throws Error, in words for the model: what was wrong and what to do */
export async function runTool(
  name: PublishedToolName,
  {
    input,
    tokenizationOptions,
  }: Pick<vscode.LanguageModelToolInvocationOptions<ToolInput>, "input" | "tokenizationOptions">,
  { citewell, token }: ToolContext,
): Promise<vscode.LanguageModelToolResult> {
  try {
    const text = await resultText(name, publishedTools[name], input, { citewell, token });
    const cut = await cutToBudget(text, tokenizationOptions);
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(cut)]);
  } catch (error) {
    if (token.isCancellationRequested) throw new vscode.CancellationError();
    const { message, hint } = toServerError(error);
    throw new Error(hint === undefined ? message : `${message}. ${hint}`, { cause: error });
  }
}

async function resultText<Name extends PublishedToolName>(
  name: Name,
  tool: PublishedTool<Name>,
  input: ToolInput,
  { citewell, token }: ToolContext,
): Promise<string> {
  const { value, refusal } = checkFields(tool.input, input, wordsOf(name));
  const request = toolInput(tool, Said.parse(value));
  const { data, error } = inputs[name].input.safeParse(request);
  const fault = refusal ?? (error === undefined ? undefined : describeIssues(error, request));
  if (data === undefined || fault !== undefined) {
    throw new Error(`${fault}\n${describeFields(wordsOf(name).subject, tool.input)}`);
  }
  return tool.toText(await citewell.server.request(name, data, { token }));
}

const Said = z.record(z.string(), z.unknown());

function wordsOf(name: PublishedToolName): RequestWords {
  return { subject: `citewell_${name}`, noun: "argument" };
}

const inputs: { [Name in PublishedToolName]: { input: z.ZodType<Input<Name>> } } = operations;

function describe(name: PublishedToolName, input: ToolInput): string {
  const of = namedIn(input)?.join(", ") ?? "";
  switch (name) {
    case "ask":
      return of === "" ? vscode.l10n.t("Asking Citewell") : vscode.l10n.t("Asking Citewell about {0}", of);
    case "search":
      return of === "" ? vscode.l10n.t("Searching resources") : vscode.l10n.t("Searching {0}", of);
    case "history":
      return vscode.l10n.t(
        "Looking into the history of {0}",
        String(input["place"] ?? input["text"] ?? input["commit"]),
      );
    case "upgrade":
      return vscode.l10n.t("Comparing the versions of {0}", String(input["package"]));
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

/** Also as a package URL, `pkg:pypi/requests`. */
function isPackageReference(name: string): boolean {
  return ["pkg", ...allPackagePrefixes].some((prefix) => name.toLowerCase().startsWith(`${prefix}:`));
}

type InstalledDependency = Pick<Dependency, "version"> & { spec: Pick<Dependency["spec"], "type" | "package"> };

const noDependencies = { dependencies: null };

/**
 * What a call fetches: of the named resources, or of those that a call without names is about, the ones that are not on
 * disk. Folders are read in place, and a package that a project depends on is installed with it.
 */
export function whatIsFetched(
  listings: readonly Pick<ResourceListing, "name" | "type" | "state" | "origin">[],
  { named, dependencies }: { named: readonly string[] | undefined; dependencies: readonly InstalledDependency[] },
): string[] {
  const absent = listings
    .filter((listing) => kindOf(listing).isFetched && listing.state === "absent")
    .map(({ name }) => name);
  const unnamed = chosenNames([], listings);
  if (named === undefined) return absent.filter((name) => unnamed.includes(name));
  const names = new Set(listings.map(({ name }) => name));
  const installed = dependencies.flatMap(({ version, spec: { type, package: name } }) =>
    version === null ? [] : [packageReference(type, name), packageReference(type, name, version)],
  );
  const isFetched = (name: string) => (/^https?:/i.test(name) || isPackageReference(name)) && !installed.includes(name);
  return named.filter((name) => absent.includes(name) || (!names.has(name) && isFetched(name)));
}
