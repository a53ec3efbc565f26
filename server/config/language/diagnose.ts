import { findNodeAtLocation, type Node } from "jsonc-parser";
import { toAbsolutePath } from "../../lib/absolute-path.ts";
import { nearest } from "../../lib/nearest.ts";
import type { ConfigFinding, ConfigFix } from "../../protocol/config-language.ts";
import { gitUrlFault, isPageUrl, normalizeGitUrl } from "../../protocol/kinds/git-url.ts";
import { kindOf, sourceOf } from "../../protocol/kinds/kinds.ts";
import { ignoredInProject } from "../ignored.ts";
import { checkConfig, type CheckedConfig, type Fault } from "../parse.ts";
import { finding } from "./finding.ts";
import { httpsFix, pageFix, removalFix, renameFix, replaceFix } from "./fixes.ts";
import type { Lookups, Place } from "./lookups.ts";
import { resourceNodes, textAt } from "./nodes.ts";
import { findSecrets } from "./secrets.ts";

/** All findings in a text. Error messages are those of the `ConfigInvalid` that loading the file would throw. */
export async function diagnose(
  text: string,
  { lookups, place }: { lookups: Lookups; place: Place },
): Promise<ConfigFinding[]> {
  const checked = checkConfig(text);
  const { tree, faults } = checked;
  if (tree === undefined || !checked.isObject) return faults.map((fault) => finding("error", "syntax", fault));
  return [
    ...faults.map((fault) => finding("error", "invalid", fault, { fixes: fixesOf(text, tree, fault) })),
    ...checked.unknownKeys.map(({ nearest: close, ...fault }) =>
      finding("warning", "unknown-key", fault, {
        isUnnecessary: true,
        fixes: [
          ...(close === undefined ? [] : [renameFix(fault, close)]),
          removalFix(text, tree, fault, "Remove the key"),
        ],
      }),
    ),
    ...checked.repeatedKeys.map((fault) =>
      finding("warning", "repeated-key", fault, { fixes: [removalFix(text, tree, fault, "Remove this one")] }),
    ),
    ...(await findSecrets(text, tree, lookups)),
    ...pageUrls(text, tree),
    ...(place.level === "global" ? [] : await ignored(checked, lookups)),
    ...(await unknownModels(tree, lookups)),
    ...(await missingFolders(tree, { lookups, place })),
    ...(place.level === "other" ? [] : await failedResources(tree, lookups)),
  ];
}

/** The fixes for an invalid value. */
function fixesOf(text: string, tree: Node, fault: Fault): ConfigFix[] {
  if (/ is repeated$| has this name already$/.test(fault.message)) {
    return [removalFix(text, tree, fault, "Remove this one")];
  }
  return httpsFix(tree, fault);
}

/** URLs of web pages of a repository, which only `add` accepts as the repository. */
function pageUrls(text: string, tree: Node): ConfigFinding[] {
  return resourceNodes(tree).flatMap(({ node }) => {
    const url = textAt(node, ["url"]);
    const urlNode = findNodeAtLocation(node, ["url"]);
    if (url === undefined || urlNode === undefined || gitUrlFault(url) !== undefined || !isPageUrl(url)) return [];
    const message = `this is a page of the repository ${normalizeGitUrl(url).url}`;
    return finding("warning", "page-url", { ...urlNode, message }, { fixes: [pageFix(text, node, url)] });
  });
}

async function ignored({ tree, value }: CheckedConfig, lookups: Lookups): Promise<ConfigFinding[]> {
  if (tree === undefined || value === undefined) return [];
  const ineffective = ignoredInProject(value).map(({ path, fault }) => ({ path, message: fault }));
  const servers = Object.entries(value.providerOptions ?? {}).filter(([, { baseURL }]) => baseURL !== undefined);
  const { all, connected } = servers.length === 0 ? { all: [], connected: [] } : await lookups.providers();
  for (const [provider] of servers) {
    const takesKey = all.some(({ id, auth }) => id === provider && !auth.includes("none"));
    if (!takesKey || !connected.includes(provider)) continue;
    const message = `the stored key of ${provider} is not sent to an address from a project: the options of the global file apply`;
    ineffective.push({ path: ["providerOptions", provider, "baseURL"], message });
  }
  return ineffective.flatMap(({ path, message }) => {
    const node = findNodeAtLocation(tree, path)?.parent?.children?.[0];
    return node === undefined ? [] : finding("information", "ignored", { ...node, message }, { isUnnecessary: true });
  });
}

/** Reports an unknown provider, and a model whose name looks like a misspelling of one of the provider's models. */
async function unknownModels(tree: Node, lookups: Lookups): Promise<ConfigFinding[]> {
  const [provider, model] = [findNodeAtLocation(tree, ["provider"]), findNodeAtLocation(tree, ["model"])];
  if (provider?.type !== "string") return [];
  const { all } = await lookups.providers();
  if (all.length === 0) return [];
  const found = all.find(({ id }) => id === provider.value);
  if (found === undefined) {
    const ids = all.map(({ id }) => id);
    const close = nearest(String(provider.value), ids);
    const meant = close.length > 0 ? `: did you mean ${close.join(" or ")}?` : "";
    const message = `no provider ${JSON.stringify(provider.value)}${meant}`;
    const fixes = close.map((id) => replaceFix(provider, id));
    return [finding("warning", "unknown-provider", { ...provider, message }, { fixes })];
  }
  const known = Object.keys(found.models);
  if (model?.type !== "string" || known.length === 0 || known.includes(String(model.value))) return [];
  const close = nearest(String(model.value), known);
  const isOnlyOne = found.id === "builtin";
  if (close.length === 0 && !isOnlyOne) return [];
  const offered = isOnlyOne ? known : close;
  const message = isOnlyOne
    ? `the provider ${found.id} has no model ${JSON.stringify(model.value)}`
    : `${JSON.stringify(model.value)} is not among the known models of ${found.id}: did you mean ${close.join(" or ")}?`;
  const fixes = offered.map((id) => replaceFix(model, id));
  return [finding(isOnlyOne ? "warning" : "information", "unknown-model", { ...model, message }, { fixes })];
}

async function missingFolders(
  tree: Node,
  { lookups, place }: { lookups: Lookups; place: Place },
): Promise<ConfigFinding[]> {
  const found = resourceNodes(tree).map(async ({ node, type }) => {
    const pathNode = findNodeAtLocation(node, ["path"]);
    if (type !== "local" || pathNode?.type !== "string" || pathNode.value === "") return [];
    const absolute = toAbsolutePath(String(pathNode.value), place);
    if (await lookups.exists(absolute)) return [];
    return finding("warning", "missing-folder", { ...pathNode, message: `there is no folder ${absolute}` });
  });
  return (await Promise.all(found)).flat();
}

/** Reports resources whose last fetch failed, unless the file now describes another source. */
async function failedResources(tree: Node, lookups: Lookups): Promise<ConfigFinding[]> {
  const nodes = resourceNodes(tree);
  if (nodes.length === 0) return [];
  const listings = await lookups.resources();
  return nodes.flatMap(({ node, name, nameNode }) => {
    const listing = listings.find((resource) => resource.name === name);
    if (nameNode === undefined || listing === undefined || listing.failure === null) return [];
    if (textAt(node, [kindOf(listing).sourceField]) !== sourceOf(listing)) return [];
    const branch = findNodeAtLocation(node, ["branch"]);
    if (listing.type === "git" && (textAt(node, ["branch"]) ?? "main") !== listing.branch) return [];
    const at = listing.type === "git" && isAboutBranch(listing.failure) ? (branch ?? nameNode) : nameNode;
    return finding("warning", "resource-failed", { ...at, message: listing.failure });
  });
}

/** Whether a failure is about the branch: see BranchNotFound in resources/git/git-refs.ts. */
export function isAboutBranch(failure: string): boolean {
  return /\bbranch(?:es)?\b/.test(failure);
}
