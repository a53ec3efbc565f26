import path from "node:path";
import { pathToFileURL } from "node:url";
import { type Citation, formatLineFragment, formatLines } from "../../protocol/citation.ts";
import type { Place } from "../../protocol/published-tools.ts";
import { formatMarker } from "../../protocol/passage.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";

/**
 * Where lines are, in a form that a client without our URL scheme can open, and that `verify` reads: `path:lines` of a
 * file on disk, relative to `cwd` if it is in there; a permanent link; else resource, path and lines.
 */
export function formatPlace(place: Place, { cwd }: { cwd: string | undefined }): string {
  const { resource, url, pathOnDisk } = place;
  const lines = formatLines(place);
  if (pathOnDisk !== undefined) {
    const shown = `${toShownPath(pathOnDisk, cwd)}:${lines}`;
    return isPlain.test(shown) ? shown : `${pathToFileURL(pathOnDisk).href}#${formatLineFragment(place)}`;
  }
  if (url !== undefined) return `[${showInvisibleInLine(place.path)}:${lines}](${url})`;
  const shown = `${resource}:${place.path}:${lines}`;
  // A name with a slash cannot be separated from the path after it.
  return isPlain.test(shown) && !resource.includes("/") ? shown : formatMarker(place);
}

/** Of a citation; `directories` are those of the snapshots that are read where they are, by resource. */
export function placeOf(citation: Citation, directories: ReadonlyMap<string, string>): Place {
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
