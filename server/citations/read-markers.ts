import { type Marker, parseMarker } from "../protocol/passage.ts";
import type { Sources } from "./sources.ts";

/** `name:path:10-20` and `name:path#10-20`: also what slices and page anchors look like. */
const looseBody = /^(?<target>[^\n#"“”[\]]+)[:#]L?(?<start>\d{1,15})(?:\s*[-–—]\s*L?(?<end>\d{1,15}))?$/;

/**
 * Parses the markers between `[[` and `]]`; none if it is something else. Lists are accepted too (`a:x#L1-L4, a:y#L2` and
 * `a:x#L1-L4, L9`). A looser form counts only if it names a file that exists, so that `df[[1:3]]` stays text.
 */
export function readMarkers(body: string, sources: Sources): readonly Marker[] {
  const marker = parseMarker(body);
  if (marker !== undefined) return [marker];
  const list = parseList(body);
  if (list.length > 0) return list;
  const loose = parseLoose(body);
  return loose !== undefined && sources.find(loose.target).type === "file" ? [loose] : [];
}

/** All of its parts, or nothing. A part without a target has that of the one before. */
function parseList(body: string): readonly Marker[] {
  const markers: Marker[] = [];
  for (const part of body.split(/[;,]/)) {
    const last = markers.at(-1);
    const marker = parseMarker(part) ?? (last === undefined ? undefined : parseMarker(`${last.target}#${part.trim()}`));
    if (marker === undefined) return [];
    markers.push(marker);
  }
  return markers;
}

/** `name:path:10`, which many other things look like. */
export function parseLoose(body: string): Marker | undefined {
  const groups = looseBody.exec(body.trim())?.groups;
  const target = groups?.["target"];
  if (groups === undefined || target === undefined) return undefined;
  const startLine = Number(groups["start"]);
  return { target, startLine, endLine: Number(groups["end"] ?? startLine) };
}
