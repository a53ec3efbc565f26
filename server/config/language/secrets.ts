import { findNodeAtLocation, type JSONPath, type Node } from "jsonc-parser";
import { holdsSecret } from "../../source/mask.ts";
import type { ConfigFinding, KeyPlace } from "../../protocol/config-language.ts";
import { finding } from "./finding.ts";
import { storeFix } from "./fixes.ts";
import type { Lookups } from "./lookups.ts";
import { textAt, textsBelow } from "./nodes.ts";

/** Keys, tokens and passwords in the text. Others can read them, because projects are shared. */
export async function findSecrets(text: string, tree: Node, lookups: Lookups): Promise<ConfigFinding[]> {
  const secrets = textsBelow(tree).filter(({ node, path }) => isSecret(text, node, path));
  if (secrets.length === 0) return [];
  const { all } = await lookups.providers();
  return secrets.map(({ node, path }) => {
    const provider = providerOf(path, tree);
    const takesKey = all.some(({ id, auth }) => id === provider && auth.includes("api"));
    const fixes = provider !== undefined && takesKey ? [storeFix({ provider, path: [...path] })] : [];
    const message = `this looks like a key, which must not be in this file (citewell connect${takesKey ? ` -p ${provider}` : ""})`;
    return finding("warning", "secret", { offset: node.offset, length: node.length, message }, { fixes });
  });
}

/** The key at a place; undefined if there is none. */
export function keyAt(tree: Node | undefined, { path }: KeyPlace): string | undefined {
  const key = textAt(tree, path);
  return key === undefined || key.trim() === "" ? undefined : key.trim();
}

const secretNames =
  /^(?:(?:api|access|secret|auth)?[-_]?(?:key|token)|(?:client)?[-_]?secret|password|authorization)$/i;

function isSecret(text: string, { value, offset, length, parent }: Node, path: JSONPath): boolean {
  if (String(value).trim() === "") return false;
  if (secretNames.test(String(path.at(-1)))) return true;
  const written = parent?.type === "property" ? parent : { offset, length };
  return holdsSecret(text.slice(written.offset, written.offset + written.length));
}

/** The provider whose options contain the key, else the selected one. */
function providerOf([first, second]: JSONPath, tree: Node): string | undefined {
  if (first === "providerOptions" && typeof second === "string") return second;
  const provider: unknown = findNodeAtLocation(tree, ["provider"])?.value;
  return typeof provider === "string" ? provider : undefined;
}
