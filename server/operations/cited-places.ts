import type { CitedPlace } from "../protocol/cited-place.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { maskLines } from "../source/mask.ts";

/** Lines of a snapshot, 1-based. */
export interface Lines {
  snapshot: Snapshot;
  path: string;
  line: number;
  endLine?: number | undefined;
}

/** Reads lines as people see them: secrets are masked. */
export function citedPlaces(
  nameOfSnapshot: (snapshot: Snapshot) => string,
  signal: AbortSignal,
): (lines: Lines) => Promise<CitedPlace> {
  return async ({ snapshot, path, line, endLine = line }) => {
    const { lines } = await snapshot.read(path, { signal });
    const [text = ""] = maskLines(lines, { startLine: line, endLine: line });
    const commit = snapshot.commit === undefined ? {} : { commit: snapshot.revision };
    return {
      resource: nameOfSnapshot(snapshot),
      ...commit,
      path,
      startLine: line,
      endLine,
      text: text.slice(0, textLength),
    };
  };
}

const textLength = 400;
