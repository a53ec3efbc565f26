import type { ReadRequest } from "../../../server/protocol/source.ts";

/** A file of a resource, as `read` takes it; with a commit and an empty path, the commit itself. */
export type CitedFile = Pick<ReadRequest, "path" | "revision"> & { resource: string };

export interface UriParts {
  scheme: "citewell";
  path: string;
  query: string;
}

/** Stands for the slash in a resource's name (U+2215): tabs and breadcrumbs show the path of a URI as it is. */
const innerSlash = "\u2215";

/**
 * The parts of an editor's URI for a file. A resource is one segment, whatever its name: an editor decodes a URI when it
 * reads it, so that the encoded slash of links would divide it. No lines: each fragment would be a document of its own.
 */
export function toUriParts({ resource, path, revision }: CitedFile): UriParts {
  const escaped = resource.replace(/^@(?!.*\/)|[%\\\u2215]/g, encodeURIComponent);
  const segment = escaped.replaceAll("/", innerSlash);
  const query = revision === undefined ? "" : `revision=${encodeURIComponent(revision)}`;
  const file = isCommitDocument({ path, revision }) ? documentOf(revision) : path;
  return { scheme: "citewell", path: `/${segment}/${file}`, query };
}

/** Whether a commit itself is named, and no file of it. */
export function isCommitDocument({ path, revision }: Pick<CitedFile, "path" | "revision">): boolean {
  return path === "" && revision !== undefined && /^[0-9a-f]{7,64}$/.test(revision);
}

/** The name of the document of a commit, which tabs show. */
function documentOf(revision = ""): string {
  return `${revision.slice(0, 7)}.commit`;
}

/** The inverse, also for a link of an answer (`citewell:/…`) that an editor has decoded; undefined for what names no file. */
export function fromUriParts({ path, query }: Pick<UriParts, "path" | "query">): CitedFile | undefined {
  const [first = "", ...rest] = path.replace(/^\//, "").split("/");
  const length = segmentCount(first);
  const resource = decode([first, ...rest.slice(0, length - 1)].join("/").replaceAll(innerSlash, "/"));
  const file = rest.slice(length - 1).join("/");
  const written = /(?:^|&)revision=([^&]+)/.exec(query)?.[1];
  if (resource === "") return undefined;
  if (written === undefined) return { resource, path: file };
  const revision = decode(written);
  const isCommit = isCommitDocument({ path: "", revision }) && file === documentOf(revision);
  return { resource, path: isCommit ? "" : file, revision };
}

/** How many segments a resource takes once it was decoded: `https://host/owner/repository`, `npm:@scope/name`, `@scope/name`. */
function segmentCount(first: string): number {
  if (first === "https:") return 5;
  return /^(?:npm:)?@[^%\u2215]*$/.test(first) ? 2 : 1;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
