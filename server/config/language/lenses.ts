import { parseTree } from "jsonc-parser";
import type { ConfigLens } from "../../protocol/config-language.ts";
import type { Lookups } from "./lookups.ts";
import { resourceNodes } from "./nodes.ts";
import { describeState } from "./state.ts";

/** The lenses above each resource in effect: a link to ask about it, and its state. */
export async function findLenses(text: string, lookups: Lookups): Promise<ConfigLens[]> {
  const nodes = resourceNodes(parseTree(text, [], { allowTrailingComma: true }));
  if (nodes.length === 0) return [];
  const listings = await lookups.resources();
  return nodes.flatMap(({ node, name, type }) => {
    const listing = listings.find((resource) => resource.name === name && resource.type === type);
    if (listing === undefined) return [];
    const span = { start: node.offset, end: node.offset + 1 };
    return [
      { ...span, title: "Ask about this resource", askAbout: listing.name },
      { ...span, title: describeState(listing, Date.now()) },
    ];
  });
}
