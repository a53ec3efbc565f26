import { threadMarkdown } from "../../../../client/thread-markdown.ts";
import { parseCitewellUrl, isLinked } from "../../../protocol/citation.ts";
import type { Thread, ThreadTurn } from "../../../protocol/threads.ts";
import { sourcePath } from "./citation.ts";

/**
 * A conversation as a Markdown file whose links open from anywhere: the permanent links of hosts that have some, else this
 * service's page of the lines at their revision.
 * @param base `https://citewell.example/p/<project>`
 */
export function exportMarkdown({ title, turns }: Pick<Thread, "title" | "turns">, base: string): string {
  return threadMarkdown({ title, turns: turns.map((turn) => withLinks(turn, base)) });
}

function withLinks(turn: ThreadTurn, base: string): ThreadTurn {
  const text = turn.text.replaceAll(/\]\((citewell:[^\s()]+)\)/g, (link, url: string) => {
    const place = parseCitewellUrl(url);
    return place === undefined || place.path === "" ? link : `](${sourcePath(place, base)})`;
  });
  const citations = turn.citations.map((citation) =>
    citation.url === undefined && isLinked(citation) ? { ...citation, url: sourcePath(citation, base) } : citation,
  );
  return { ...turn, text, citations };
}
