import { getLocation, type JSONPath, type Node, parseTree } from "jsonc-parser";
import { defaultSettings } from "../../protocol/settings.ts";
import type { ConfigHover } from "../../protocol/config-language.ts";
import { describeModel } from "./choices.ts";
import type { Lookups } from "./lookups.ts";
import { spanOf, textAt } from "./nodes.ts";
import type { ConfigSchema, Rule } from "./schema.ts";
import { describeState } from "./state.ts";

/** Explains the key or value at an offset. */
export async function hover(
  text: string,
  offset: number,
  { schema, lookups }: { schema: ConfigSchema; lookups: Lookups },
): Promise<ConfigHover | undefined> {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const { path, previousNode } = getLocation(text, offset);
  if (tree === undefined || previousNode === undefined) return undefined;
  const span = spanOf(previousNode);
  if (offset > span.end || path.length === 0) return undefined;
  const rule = schema(path, tree);
  const key = path.findLast((part) => typeof part === "string") ?? "";
  const paragraphs = [
    ...(rule === undefined ? [] : describeRule(key, rule)),
    ...(await describeValue(path, tree, lookups)),
  ];
  if (paragraphs.length === 0) return undefined;
  return { ...span, markdown: [`**${escapeMarkdown(key)}**`, ...paragraphs].join("\n\n") };
}

function describeRule(key: string, rule: Rule): string[] {
  const initial = rule.default ?? new Map<string, unknown>(Object.entries(defaultSettings)).get(key);
  const values = rule.values.map(({ value, description }) =>
    description === undefined ? `- \`${value}\`` : `- \`${value}\`: ${description}`,
  );
  return [
    ...(rule.description === undefined ? [] : [rule.description]),
    ...(values.length === 0 ? [] : [values.join("\n")]),
    ...(initial === undefined || rule.description?.includes("Default: ")
      ? []
      : [`Default: \`${JSON.stringify(initial)}\``]),
    ...describeRange(rule),
  ];
}

function describeRange({ minimum, maximum }: Rule): string[] {
  if (minimum !== undefined && maximum !== undefined) return [`From ${minimum} to ${maximum}.`];
  if (minimum !== undefined) return [`At least ${minimum}.`];
  return maximum === undefined ? [] : [`At most ${maximum}.`];
}

async function describeValue(path: JSONPath, tree: Node, lookups: Lookups): Promise<string[]> {
  const [first, index, key] = path;
  const value = textAt(tree, path);
  if (value === undefined) return [];
  if (path.length === 1 && first === "provider") return describeProvider(value, lookups);
  if (path.length === 1 && first === "model") {
    const found = await lookups.models(textAt(tree, ["provider"]) ?? defaultSettings.provider);
    const info = Object.hasOwn(found, value) ? found[value] : undefined;
    if (info === undefined) return [];
    return [...(info.name === undefined ? [] : [escapeMarkdown(info.name)]), describeModel(info)].filter(Boolean);
  }
  if (first !== "resources" || key !== "name" || path.length !== 3 || typeof index !== "number") return [];
  const listing = (await lookups.resources()).find(({ name }) => name === value);
  return listing === undefined ? [] : [escapeMarkdown(describeState(listing, Date.now()))];
}

async function describeProvider(id: string, lookups: Lookups): Promise<string[]> {
  const { all, connected } = await lookups.providers();
  const found = all.find((provider) => provider.id === id);
  if (found === undefined) return [];
  const state = connected.includes(id) ? "It is connected." : "It is not connected yet.";
  const variable = found.envVar === undefined ? "" : ` A key may also be in \`${found.envVar}\`.`;
  return [`${escapeMarkdown(found.name)}. ${state}${variable}`];
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|!]/g, "\\$&");
}
