import path from "node:path";
import { pathToFileURL } from "node:url";
import { type Citation, formatLineFragment, formatLines } from "../../protocol/citation.ts";
import type { FilePlace, Place } from "../../protocol/show-lines.ts";
import { encodeName, formatMarker } from "../../protocol/passage.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";

/**
 * Where lines are, in a form that a client without our URL scheme can open, and that `verify` reads: `path:lines` of a
 * file on disk, relative to `cwd` if it is in there; a permanent link; else resource, path and lines. Without lines,
 * the same for the file.
 */
export function formatPlace(place: Place | FilePlace, { cwd }: { cwd: string | undefined }): string {
  const { resource, path: file, url, pathOnDisk } = place;
  const range = "startLine" in place ? place : undefined;
  const lines = range === undefined ? "" : `:${formatLines(range)}`;
  if (pathOnDisk !== undefined) {
    const shown = `${toShownPath(pathOnDisk, cwd)}${lines}`;
    const fragment = range === undefined ? "" : `#${formatLineFragment(range)}`;
    return isPlain.test(shown) ? shown : `${pathToFileURL(pathOnDisk).href}${fragment}`;
  }
  if (url !== undefined) return `[${showInvisibleInLine(file)}${lines}](${url})`;
  const shown = `${resource}:${file}${lines}`;
  // A name with a slash cannot be separated from the path after it.
  if (isPlain.test(shown) && !resource.includes("/")) return shown;
  return range === undefined ? `[[${encodeName(resource)}:${encodeName(file)}]]` : formatMarker({ ...place, ...range });
}

/** Places of a citation; `directories` are those of the snapshots that are read where they are, by resource. */
export function placeOf(citation: Citation, directories: ReadonlyMap<string, string>): Place {
  if (citation.commit !== undefined) return citation;
  const directory = directories.get(citation.resource);
  return directory === undefined ? citation : { ...citation, pathOnDisk: path.join(directory, citation.path) };
}

/** What ends where the text around it begins, for people, terminals and `verify` alike. */
const isPlain = /^[\p{L}\p{N}_@.~$+%/:-]+$/u;

function toShownPath(file: string, cwd: string | undefined): string {
  if (cwd === undefined) return file;
  const relative = path.relative(cwd, file);
  const isInside = !path.isAbsolute(relative) && relative.split(path.sep)[0] !== "..";
  return isInside ? relative.split(path.sep).join("/") : file;
}
