import { type Node, parseTree } from "jsonc-parser";
import type { ConfigSymbol } from "../../protocol/config-language.ts";
import { kinds } from "../../protocol/kinds/kinds.ts";
import { Settings } from "../../protocol/settings.ts";
import { resourceNodes, spanOf, textAt } from "./nodes.ts";

/** The top-level keys, and the resources by name. */
export function outline(text: string): ConfigSymbol[] {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  if (tree?.type !== "object") return [];
  return (tree.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined || key.value === "") return [];
    const children = key.value === "resources" ? resources(tree) : [];
    const name = String(key.value);
    const kind = value.type === "array" || value.type === "object" ? ("list" as const) : ("key" as const);
    return [{ name, kind, ...spanOf(property), nameSpan: spanOf(key), children, ...detailOf(name, value) }];
  });
}

/** The value of a setting. Values of unknown keys are not shown: they may be secrets. */
function detailOf(key: string, { type, value }: Node): { detail?: string } {
  const isShown = key === "dataDirectory" || Object.hasOwn(Settings.shape, key);
  return isShown && (type === "string" || type === "number") ? { detail: String(value) } : {};
}

function resources(tree: Node): ConfigSymbol[] {
  return resourceNodes(tree).map(({ index, node, name, type, nameNode }) => {
    const source = Object.values(kinds).flatMap(({ sourceField }) => textAt(node, [sourceField]) ?? [])[0];
    return {
      name: name || `${type ?? "resource"} ${index + 1}`,
      kind: "resource",
      ...(source === undefined ? {} : { detail: source }),
      ...spanOf(node),
      nameSpan: spanOf(nameNode ?? node),
      children: [],
    };
  });
}
