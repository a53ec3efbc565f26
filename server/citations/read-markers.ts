import { type Marker, markerLengthLimit, parseMarker } from "../protocol/passage.ts";
import { looksLikeFile } from "./find.ts";
import { isCommitAlone, type Sources } from "./sources.ts";

const start = String.raw`(?<start>\d{1,15})`;
const end = String.raw`(?:\s*[-–—]\s*L?(?<end>\d{1,15}))?`;

/** What other things look like, too: slices, page anchors, attributes. */
const looseBodies = [
  // name:path:10-20, name:path#10-20
  String.raw`^(?<target>[^\n#"“”[\]]+)[:#]L?${start}${end}$`,
  // name:path#L10-L20 words, 'words'
  String.raw`^(?<target>[^\n#"“”[\]]+)#L${start}${end}\s+'?(?<quote>[^]+?)'?$`,
  // name:path L10-L20, name:path, lines 10-20
  String.raw`^(?<target>[^\n#"“”[\],]+?)[\s,]+(?:L|lines?\s+)${start}${end}$`,
  // name:path, name:path "words", name:path#section
  String.raw`^(?<target>[^\n#"“”[\]]+?)(?:#[^\n"“”]*)?\s*(?:["“](?<quote>[^]*)["”])?$`,
].map((source) => new RegExp(source));

/**
 * Parses the markers between `[[` and `]]`; none if it is something else. Lists are accepted too (`a:x#L1-L4, a:y#L2` and
 * `a:x#L1-L4, L9`). A looser form counts only if it names a resource or a file that exists, so that `df[[1:3]]` stays text.
 */
export function readMarkers(body: string, sources: Sources): readonly Marker[] {
  const exact = readExact(body);
  if (exact.length > 0) return exact;
  const loose = parseLoose(body);
  if (loose === undefined) return [];
  const isNamed = sources.names().some((name) => loose.target.startsWith(`${name}:`));
  const isKnown = isNamed || namesCommit(loose, sources) || namesFile(loose) || isFile(loose.target, sources);
  return isKnown ? [loose] : [];
}

/**
 * The marker without brackets that text begins with, right after a resource's name: `:path:10-20` or `:path#L10-L20`, perhaps
 * with `@1a2b3c4` before it.
 * Undefined if there is none, `open` if more text may change it.
 */
export function readBare(text: string, name: string, { isEnd }: { isEnd: boolean }): BareMarker | "open" | undefined {
  const run = /^[:@][^\s"“”[\]()<>`*|,;]*/.exec(text)?.[0];
  if (run === undefined) return text === "" && !isEnd ? "open" : undefined;
  if (run.length === text.length && run.length <= markerLengthLimit && !isEnd) return "open";
  const match = bareBody.exec(run);
  const { revision = "", path = "", start: first, end: last = first } = match?.groups ?? {};
  if (match === null || !looksLikeFile(path)) return undefined;
  const marker = { target: `${name}${revision}:${path}`, startLine: Number(first), endLine: Number(last) };
  return { length: match[0].length, marker };
}

/** A marker, and how much of the text after the name it takes up. */
interface BareMarker {
  length: number;
  marker: Marker;
}

const bareBody = new RegExp(
  String.raw`^(?<revision>@[^:#]+)?:(?<path>[^#:]+)(?::|#L)${start}(?:[-–—]L?(?<end>\d{1,15}))?(?![\p{L}\p{N}_])`,
  "u",
);

/** Markers whose form alone says that they are. */
export function readExact(body: string): readonly Marker[] {
  const marker = parseMarker(body);
  return marker === undefined ? parseList(body) : [marker];
}

/** All of its parts, or nothing. A part without a target has that of the one before. */
function parseList(body: string): readonly Marker[] {
  const markers: Marker[] = [];
  for (const part of body.split(/[;,]/)) {
    const last = markers.at(-1);
    const lines = part.trim().replace(/^#/, "");
    const own = parseMarker(part);
    const marker = own?.target || last === undefined ? own : parseMarker(`${last.target}#${lines}`);
    if (marker === undefined) return [];
    markers.push(marker);
  }
  return markers;
}

/** A marker that is not quite one: without lines, or with its parts written otherwise. It may be none at all. */
export function parseLoose(body: string): Marker | undefined {
  const bare = body.trim().replace(/^`+([^]*?)`+$/, "$1");
  for (const pattern of looseBodies) {
    const groups = pattern.exec(bare)?.groups;
    const target = groups?.["target"]?.trim();
    if (groups === undefined || target === undefined || target === "") continue;
    const { start: first = "0", end: last = first, quote } = groups;
    return { target, startLine: Number(first), endLine: Number(last), ...(quote ? { quote } : {}) };
  }
  return undefined;
}

/** `name@1a2b3c4`, of a resource that may have commits; of the only one also `1a2b3c4`. */
function namesCommit({ target, endLine }: Marker, sources: Sources): boolean {
  if (endLine > 0) return false;
  const names = sources.namesWithCommits();
  return names.some((name) => target.startsWith(`${name}@`)) || (names.length > 0 && isCommitAlone(target));
}

/** Whether a loose marker names a resource and a file, whether they exist or not. */
export function namesFile({ target }: Marker): boolean {
  const colon = target.lastIndexOf(":");
  return colon > 0 && looksLikeFile(target.slice(colon + 1));
}

/** Whether it is the whole path of a file. */
function isFile(target: string, sources: Sources): boolean {
  const found = sources.findHere(target);
  return found.type === "file" && found.written === undefined;
}
