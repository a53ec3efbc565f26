import { createHash } from "node:crypto";

/** A node that accepts calls from other nodes. */
export interface LivingNode {
  /** The origin at which other nodes reach it. It also names the node, because the files on disk outlive the process. */
  url: string;
  /** The number of calls that it is answering. */
  running: number;
}

/**
 * A node is skipped when its number of running calls is above this multiple of the mean
 * (Mirrokni et al., Consistent Hashing with Bounded Loads, https://arxiv.org/abs/1608.01350).
 */
const boundOfMean = 1.25;

/**
 * The node that should answer calls about `key`, by rendezvous hashing: all nodes choose the same one, and when a node
 * comes or goes, only its own keys move. A node above its share of the running calls is skipped.
 * Undefined without nodes.
 */
export function preferredNode<Node extends LivingNode>(nodes: readonly Node[], key: string): Node | undefined {
  const total = nodes.reduce((sum, { running }) => sum + running, 0);
  // Includes the call to route.
  const capacity = Math.ceil((boundOfMean * (total + 1)) / nodes.length);
  const scored = nodes.map((node) => ({ node, score: scoreOf(node, key) }));
  const ordered = scored.toSorted((a, b) => Buffer.compare(b.score, a.score));
  return ordered.find(({ node }) => node.running < capacity)?.node;
}

function scoreOf({ url }: LivingNode, key: string): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([url, key]))
    .digest();
}
