import { formatCitewellUrl, formatLines, type LineRange } from "./citation.ts";
import { showInvisibleInLine } from "./invisible.ts";
import { numberLines } from "./passage.ts";
import type { NameUses, SearchHit } from "./search.ts";
import { partsOf, type SourceFile } from "./source.ts";

/** A file, and where it can be opened. The URL is that of the lines. */
export interface FilePlace {
  resource: string;
  path: string;
  revision: string;
  url?: string | undefined;
  pathOnDisk?: string | undefined;
}

/** Lines of a file, and where they can be opened. */
export interface Place extends FilePlace, LineRange {}

export interface TextOptions {
  /** The heading above lines of a file; by default a link that the editor opens. */
  headingOf?: (place: Place | FilePlace) => string;
}

/** The passages of a search, each below its heading. The hits of an exact search in one file have one heading. */
export function showHits(hits: readonly SearchHit[], options: TextOptions = {}): string[] {
  const groups: SearchHit[][] = [];
  for (const hit of hits) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && isSameFile(last[0], hit)) last.push(hit);
    else groups.push([hit]);
  }
  return groups.map((group) => showGroup(group, options));
}

/** Ranked passages are not merged, because each is cited separately. */
function isSameFile(first: SearchHit, { resource, path, matchLines }: SearchHit): boolean {
  const areMatches = first.matchLines !== undefined && matchLines !== undefined;
  return areMatches && first.resource === resource && first.path === path;
}

/** A heading has only the path, because each line has its number. */
function showGroup(hits: readonly SearchHit[], { headingOf = linkTo }: TextOptions): string {
  const [first, ...others] = hits;
  if (first === undefined) return "";
  if (others.length === 0) {
    const lines = numberLines({ startLine: first.startLine, lines: first.preview.split("\n") });
    return [`${headingOf(first)} ${aboutOf(first)}`.trimEnd(), ...lines].join("\n");
  }
  const { resource, path, revision, url, pathOnDisk } = first;
  const topLevel = "at the top level";
  let last = topLevel;
  const written = hits.flatMap((hit) => {
    const about = aboutOf(hit) || topLevel;
    const isRepeated = about === last;
    last = about;
    const lines = numberLines({ startLine: hit.startLine, lines: hit.preview.split("\n") });
    return isRepeated ? lines : [`${about}:`, ...lines];
  });
  const file = { resource, path, revision, url: url?.replace(/#.*/, ""), pathOnDisk };
  return [headingOf(file), ...written].join("\n");
}

/** `src/a.ts:10,12 in Retry › next; 40 in run`: where a name is used, by file and definition, without the lines. */
export function showUses({ name, total, places }: NameUses): string {
  if (total === 0) return `${showInvisibleInLine(name)} is used nowhere else, by text.`;
  const isOfOne = new Set(places.map(({ resource }) => resource)).size === 1;
  const files = new Map<string, Map<string, number[]>>();
  for (const { resource, path, line, use, scope = "" } of places) {
    const file = isOfOne ? path : `${resource}:${path}`;
    const around = use === "imports" ? " (import)" : scope === "" ? "" : ` in ${scope}`;
    const own = files.get(file) ?? new Map<string, number[]>();
    files.set(file, own.set(around, [...(own.get(around) ?? []), line]));
  }
  const written = [...files].map(([file, own]) => {
    const lines = [...own].map(([around, numbers]) => `${numbers.join(",")}${around}`);
    return showInvisibleInLine(`${file}:${lines.join("; ")}`);
  });
  const more = total > places.length ? `, ${places.length} of ${total}` : "";
  return [`Used, calls first${more}:`, ...written].join("\n");
}

/** The lines of a file that was read; several ranges have one heading. */
export function showFile(file: SourceFile, { headingOf = linkTo }: TextOptions = {}): string {
  const { resource, path, revision, url, pathOnDisk, ranges } = file;
  const whole = { resource, path, revision, url: url?.replace(/#.*/, ""), pathOnDisk };
  return [headingOf(ranges === undefined ? file : whole), ...partsOf(file).flatMap((part) => numberLines(part))].join(
    "\n",
  );
}

/** `calls in next (lines 50-190)`. */
function aboutOf({ reason, matchLines, scope, continuesTo, also }: SearchHit): string {
  const parts = [
    matchLines === undefined ? undefined : reason,
    scope === undefined ? undefined : `in ${scope}`,
    continuesTo === undefined ? undefined : `(goes on to line ${continuesTo})`,
    also === undefined ? undefined : `(${also})`,
  ];
  return showInvisibleInLine(parts.filter((part) => part !== undefined).join(" "));
}

function linkTo(place: Place | FilePlace): string {
  const { resource, path, url } = place;
  const label = showInvisibleInLine(path);
  if ("startLine" in place) return `${resource}: [${label}:${formatLines(place)}](${url ?? formatCitewellUrl(place)})`;
  return `${resource}: ${url === undefined ? label : `[${label}](${url})`}`;
}
