import { findNodeAtLocation, findNodeAtOffset, getNodePath, type Node } from "jsonc-parser";
import type { ConfigFix, KeyPlace } from "../../protocol/config-language.ts";
import { normalizeGitUrl } from "../../protocol/kinds/git-url.ts";
import { removeChildAt, setValue } from "../edit.ts";
import type { Fault } from "../parse.ts";
import { editBetween, spanOf } from "./nodes.ts";

/** Replaces a string or a key. */
export function replaceFix(at: Pick<Node, "offset" | "length">, value: string): ConfigFix {
  const text = JSON.stringify(value);
  return { title: `Replace by ${text}`, edits: [{ ...spanOf(at), text }], isPreferred: false };
}

/** Renames a key. */
export function renameFix(key: Fault, name: string): ConfigFix {
  const text = JSON.stringify(name);
  return { title: `Rename to ${text}`, edits: [{ ...spanOf(key), text }], isPreferred: true };
}

/** Removes the property with the faulty key, or the item with the fault. */
export function removalFix(text: string, tree: Node, { offset }: Fault, title: string): ConfigFix {
  const node = findNodeAtOffset(tree, offset);
  const path = node === undefined ? [] : holderPath(node);
  return { title, edits: [editBetween(text, removeChildAt(text, path, offset))], isPreferred: false };
}

/** The path of the object of a key; for a faulty name, of the list of its resource. */
function holderPath(node: Node): (string | number)[] {
  const { parent: property } = node;
  if (property === undefined) return [];
  const isKey = property.children?.[0] === node;
  if (isKey) return property.parent === undefined ? [] : getNodePath(property.parent);
  return getNodePath(node).slice(0, -2);
}

/** Replaces an `http:` or SSH address by the equivalent https URL. */
export function httpsFix(tree: Node, { offset, message }: Fault): ConfigFix[] {
  const node = findNodeAtOffset(tree, offset);
  if (node?.type !== "string" || !/must (?:use|be an?) https|not a URL/.test(message)) return [];
  const url = httpsUrl(String(node.value));
  return url === undefined ? [] : [{ ...replaceFix(node, url), isPreferred: true }];
}

function httpsUrl(url: string): string | undefined {
  const ssh = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)(?::\d+\/|[:/])(.+?)\/?$/.exec(url);
  if (ssh !== null) return `https://${ssh[1]}/${ssh[2]}`;
  return /^(?:http|git):\/\//i.test(url) ? url.replace(/^\w+:/, "https:") : undefined;
}

/** Replaces a page's URL by the repository, and adds the page's branch and folder if the resource has none. */
export function pageFix(text: string, resource: Node, page: string): ConfigFix {
  const { url, branch, searchPath } = normalizeGitUrl(page);
  const path = getNodePath(resource).filter((key) => typeof key === "number");
  const [index = 0] = path;
  const has = (key: string) => findNodeAtLocation(resource, [key]) !== undefined;
  let edited = setValue(text, ["resources", index, "url"], url);
  if (branch !== undefined && !has("branch")) edited = setValue(edited, ["resources", index, "branch"], branch);
  if (searchPath !== undefined && !has("searchPath") && !has("searchPaths")) {
    edited = setValue(edited, ["resources", index, "searchPath"], searchPath);
  }
  return { title: `Use the repository ${url}`, edits: [editBetween(text, edited)], isPreferred: true };
}

/** Stores a key and removes it from the file. The key is read by the server, and is not part of the menu. */
export function storeFix(key: KeyPlace): ConfigFix {
  return {
    title: `Take the key out of the file and keep it for ${key.provider}`,
    edits: [],
    isPreferred: true,
    key,
  };
}

const schemaUrl = "https://raw.githubusercontent.com/citewell/citewell/main/schema/citewell.config.schema.json";

/** Adds the address of the schema, for editors without Citewell. */
export function schemaFix(text: string, tree: Node): ConfigFix | undefined {
  if (tree.type !== "object" || findNodeAtLocation(tree, ["$schema"]) !== undefined) return undefined;
  const [first] = tree.children ?? [];
  const indentation =
    first === undefined ? "\n  " : text.slice(tree.offset + 1, first.offset).replace(/\S[\s\S]*$/, "");
  const ending =
    first === undefined ? (text.slice(tree.offset + 1, tree.offset + tree.length - 1).includes("\n") ? "" : "\n") : ",";
  const start = tree.offset + 1;
  const added = `${indentation}"$schema": ${JSON.stringify(schemaUrl)}${ending}`;
  return { title: "Add the address of the schema", edits: [{ start, end: start, text: added }], isPreferred: false };
}

/** Sets the branch of a resource. */
export function branchFix(
  text: string,
  index: number,
  branch: string,
  { isPreferred }: { isPreferred: boolean },
): ConfigFix {
  const edited = setValue(text, ["resources", index, "branch"], branch);
  return { title: `Read the branch ${JSON.stringify(branch)}`, edits: [editBetween(text, edited)], isPreferred };
}
