import type { SkippedSearch } from "../../retrieval/retrieval.ts";
import { note } from "./show.ts";

/**
 * `(not searched: demo:a.png, demo:b.png (binary), demo:vendor (installed packages), and 3 more)`. Of a question, each
 * file is counted once, unless nothing was found: then the model may look for it there.
 */
export type SkippedNotes = (skipped: readonly SkippedSearch[], options: { isEmpty: boolean }) => string[];

const namedFiles = 3;

export function createSkippedNotes(): SkippedNotes {
  const said = new Set<string>();
  return (skipped, { isEmpty }) => {
    const files = skipped.filter(({ resource, path }) => isEmpty || !said.has(`${resource}:${path}`));
    for (const { resource, path } of files) said.add(`${resource}:${path}`);
    if (files.length === 0) return [];
    const first = files.slice(0, namedFiles);
    const named = [...new Set(first.map(({ reason }) => reason))].map((reason) => {
      const group = first.filter((file) => file.reason === reason);
      return `${group.map(({ resource, path }) => `${resource}:${path}`).join(", ")} (${reason})`;
    });
    const more = files.length - namedFiles;
    return [note(`not searched: ${named.join(", ")}${more > 0 ? `, and ${more} more` : ""}`)];
  };
}
