import type { JSONPath, Node } from "jsonc-parser";
import { toAbsolutePath } from "../../lib/absolute-path.ts";
import { defaultSettings } from "../../protocol/settings.ts";
import type { ConfigCompletion } from "../../protocol/config-language.ts";
import type { ModelInfo } from "../../protocol/provider.ts";
import { gitUrlFault, normalizeGitUrl } from "../../protocol/kinds/git-url.ts";
import { kinds } from "../../protocol/kinds/kinds.ts";
import { suggestName } from "../../protocol/reference.ts";
import type { FolderEntry, Lookups, Place } from "./lookups.ts";
import { textAt } from "./nodes.ts";
import type { ConfigSchema } from "./schema.ts";

/** A possible value. */
export interface Choice {
  value: string;
  /** The text shown for it. Default: the value. */
  label?: string;
  kind: ConfigCompletion["kind"];
  detail?: string;
  documentation?: string;
}

interface ChoiceContext {
  schema: ConfigSchema;
  lookups: Lookups;
  place: Place;
  tree: Node;
  /** The part of the string before the cursor. */
  typed: string;
}

/** The maximum number of tags: a repository may have thousands. */
const tagLimit = 300;

/** The known values for a path. */
export async function findChoices(path: JSONPath, context: ChoiceContext): Promise<Choice[]> {
  const { schema, tree } = context;
  const [first, index, key] = path;
  if (path.length === 1 && first === "provider") return providers(context);
  if (path.length === 1 && first === "model") return models(context);
  if (path.length === 1 && first === "dataDirectory") return folders(context);
  if (first === "resources" && typeof index === "number" && typeof key === "string") {
    const found = await resourceChoices(key, (field) => textAt(tree, ["resources", index, field]), context);
    if (found !== undefined) return found;
  }
  const rule = schema(path, tree);
  return (rule?.values ?? []).map(({ value, description }) => ({
    value,
    kind: "value",
    ...(description === undefined ? {} : { documentation: description }),
  }));
}

/** Undefined for a key whose values come from the schema. */
async function resourceChoices(
  key: string,
  field: (name: string) => string | undefined,
  context: ChoiceContext,
): Promise<Choice[] | undefined> {
  switch (key) {
    case "name":
      return names(field);
    case "branch":
      return branches(field("url"), context);
    case "searchPath":
    case "searchPaths":
      return searchPaths(field("name"), context);
    case "path":
      return folders(context);
    case "package":
      return packages(context);
    case "version":
      return versions(field("package"), context);
    default:
      return undefined;
  }
}

async function providers({ lookups }: ChoiceContext): Promise<Choice[]> {
  const { all, connected } = await lookups.providers();
  const items = all.map(({ id, name, envVar }) => ({
    value: id,
    kind: "provider" as const,
    detail: connected.includes(id) ? `${name} · connected` : name,
    ...(envVar === undefined ? {} : { documentation: `A key may also be in \`${envVar}\`.` }),
    isConnected: connected.includes(id),
  }));
  return [...items.filter(({ isConnected }) => isConnected), ...items.filter(({ isConnected }) => !isConnected)];
}

async function models({ lookups, tree }: ChoiceContext): Promise<Choice[]> {
  const found = await lookups.models(textAt(tree, ["provider"]) ?? defaultSettings.provider);
  return Object.entries(found).map(([id, info]) => ({
    value: id,
    kind: "model",
    ...(info.name === undefined ? {} : { detail: info.name }),
    documentation: describeModel(info),
  }));
}

/** The context size and price of a model, in Markdown. */
export function describeModel({ contextTokens, pricing }: ModelInfo): string {
  const lines = [
    ...(contextTokens === undefined ? [] : [`Context: ${contextTokens.toLocaleString("en")} tokens.`]),
    ...(pricing === undefined
      ? []
      : [`US$ per million tokens: ${pricing.ratesUsdPerMTokens.input} in, ${pricing.ratesUsdPerMTokens.output} out.`]),
  ];
  return lines.join("\n\n");
}

async function branches(url: string | undefined, { lookups }: ChoiceContext): Promise<Choice[]> {
  if (url === undefined || gitUrlFault(url) !== undefined) return [];
  const { main, branches: all, tags } = await lookups.branches(normalizeGitUrl(url).url);
  const others = all.filter((branch) => branch !== main);
  return [
    ...(main === null ? [] : [{ value: main, kind: "branch" as const, detail: "default branch" }]),
    ...others.map((value) => ({ value, kind: "branch" as const, detail: "branch" })),
    ...tags
      .slice(-tagLimit)
      .toReversed()
      .map((value) => ({ value, kind: "tag" as const, detail: "tag" })),
  ];
}

async function folders({ lookups, place, typed }: ChoiceContext): Promise<Choice[]> {
  const { parent, isHidden } = splitPath(typed);
  const entries = (await lookups.folder(toAbsolutePath(parent === "" ? "." : parent, place))) ?? [];
  return toChoices(
    entries.filter(({ type }) => type === "folder"),
    { parent, isHidden },
  );
}

async function searchPaths(name: string | undefined, { lookups, typed }: ChoiceContext): Promise<Choice[]> {
  if (name === undefined) return [];
  const { parent, isHidden } = splitPath(typed);
  return toChoices(await lookups.files(name, parent.replace(/^\.\/|\/+$/g, "")), { parent, isHidden });
}

function toChoices(
  entries: readonly FolderEntry[],
  { parent, isHidden }: { parent: string; isHidden: boolean },
): Choice[] {
  const shown = entries.filter(({ name }) => isHidden || !name.startsWith("."));
  return shown.map(({ name, type }) => ({ value: parent + name, label: name, kind: type }));
}

/** The folder typed so far, with its slash; hidden names are shown once the dot is typed. */
function splitPath(typed: string): { parent: string; isHidden: boolean } {
  const parent = /^.*[/\\]/.exec(typed)?.[0] ?? "";
  return { parent, isHidden: typed.slice(parent.length).startsWith(".") };
}

async function packages({ lookups }: ChoiceContext): Promise<Choice[]> {
  const found = await lookups.dependencies();
  return found.map(({ name, version }) => ({
    value: name,
    kind: "package",
    ...(version === null ? {} : { detail: `${version} in this workspace` }),
  }));
}

async function versions(name: string | undefined, { lookups }: ChoiceContext): Promise<Choice[]> {
  const installed = (await lookups.dependencies()).find((dependency) => dependency.name === name)?.version;
  return [
    ...(installed ? [{ value: installed, kind: "value" as const, detail: "installed" }] : []),
    { value: "latest", kind: "value", detail: "the newest release" },
  ];
}

/** The name that `add` would choose. */
function names(field: (name: string) => string | undefined): Choice[] {
  const suggested = Object.values(kinds).flatMap((kind) => {
    const source = field(kind.sourceField);
    const reference = source === undefined ? undefined : kind.readAs(source);
    return reference === undefined || reference.type === "invalid" ? [] : [suggestName(reference)];
  });
  return suggested.map((value) => ({ value, kind: "value" }));
}
