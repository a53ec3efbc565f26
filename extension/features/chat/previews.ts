import { type Citation, isCommitCited } from "../../../server/protocol/citation.ts";
import type { CitedText } from "../../../server/protocol/threads.ts";
import type { Server } from "../../context.ts";

/** What the hover over a citation shows: the first lines, or why there are none. */
export type Preview = { text: string; startLine: number } | { reason: string };

const lineLimit = 40;
const cacheLimit = 100;

export interface Previews {
  of(citation: Citation, cited: readonly CitedText[]): Promise<Preview>;
}

/** Reads cited lines at their revision, and caches those that were read last. */
export function createPreviews(server: Server): Previews {
  const known = new Map<string, string>();

  async function read(citation: Citation): Promise<string> {
    const { resource, path, revision } = citation;
    const [startLine, endLine] = isCommitCited(citation)
      ? [1, lineLimit]
      : [citation.startLine, Math.min(citation.endLine, citation.startLine + lineLimit - 1)];
    const key = JSON.stringify([resource, path, revision, startLine, endLine]);
    const text =
      known.get(key) ?? (await server.request("read", { resource, path, revision, startLine, endLine })).text;
    known.delete(key);
    known.set(key, text);
    for (const oldest of known.keys()) {
      if (known.size <= cacheLimit) break;
      known.delete(oldest);
    }
    return text;
  }

  return {
    async of(citation, cited) {
      const { id, endLine, state, reason } = citation;
      const isCommit = isCommitCited(citation);
      const startLine = isCommit ? 1 : citation.startLine;
      const hasLines = isCommit || (startLine >= 1 && endLine >= startLine);
      const isReal = hasLines && state !== "missing" && state !== "out-of-range";
      if (!isReal) return { reason: reason ?? state };
      const kept = cited.find((text) => text.citation === id)?.lines;
      if (kept !== undefined) return { text: kept.slice(0, lineLimit).join("\n"), startLine };
      try {
        return { text: await read(citation), startLine };
      } catch (error) {
        return { reason: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}
