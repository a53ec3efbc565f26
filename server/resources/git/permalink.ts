import { type LineRange, parseLineFragment } from "../../protocol/citation.ts";

type PermalinkForm = (repository: string, commit: string, path: string, lines: LineRange) => string;

/**
 * The URL of a file's page at a commit, with the lines selected; undefined for hosts whose URLs are unknown. `url` is
 * the repository's.
 */
export function permalinkOf(url: string, commit: string, path: string, lines: LineRange): string | undefined {
  const { host, repository } = partsOf(url);
  return formOf(host)?.(repository, commit, path.split("/").map(encodePart).join("/"), lines);
}

/** The URL of a commit's page; undefined for hosts whose URLs are unknown. */
export function commitLinkOf(url: string, commit: string): string | undefined {
  const { host, repository } = partsOf(url);
  const folder = commitFolders.get(formOf(host));
  return folder === undefined ? undefined : `${repository}/${folder}/${commit}`;
}

function partsOf(url: string): { host: string; repository: string } {
  const { host, pathname } = new URL(url);
  return { host, repository: `https://${host}${pathname.replace(/\/+$/, "").replace(/\.git$/, "")}` };
}

function formOf(host: string): PermalinkForm | undefined {
  return forms[host] ?? (host.startsWith("gitlab.") ? gitlab : undefined);
}

/** The lines that a page's URL selects. */
export interface Permalink extends LineRange {
  /** The repository's URL, as `permalinkOf` takes it. */
  url: string;
  /** A commit; a branch or tag if the page is not permanent. */
  revision: string;
  path: string;
}

/**
 * The inverse of `permalinkOf`, for a page of these hosts with selected lines, and of `commitLinkOf`, with an empty path
 * and lines 0; undefined for other URLs.
 */
export function parsePermalink(text: string): Permalink | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, pathname, hash } = new URL(text);
  const groups = pages.map((page) => page.exec(pathname)?.groups).find((found) => found !== undefined);
  const lines = parseLineFragment(hash.slice(1)) ?? parseBitbucketLines(hash);
  const commit = commitPage.exec(pathname)?.groups;
  if (/^https?:$/.test(protocol) && groups === undefined && commit !== undefined) {
    const { repository = "", revision = "" } = commit;
    return { url: urlOf(host, repository), revision, path: "", startLine: 0, endLine: 0 };
  }
  if (!/^https?:$/.test(protocol) || groups === undefined || lines === undefined) return undefined;
  const { repository = "", revision = "", path = "" } = groups;
  try {
    const url = urlOf(host, repository);
    return { url, revision: decodeURIComponent(revision), path: decodeURIComponent(path), ...lines };
  } catch {
    return undefined;
  }
}

function urlOf(host: string, repository: string): string {
  return `https://${host.replace(/^www\./, "")}${repository}`;
}

const commitPage = /^(?<repository>\/.+?)(?:\/-)?\/commits?\/(?<revision>[0-9a-f]{7,64})\/?$/;

const pages = [
  /^(?<repository>\/.+?)\/-\/(?:blob|blame|raw)\/(?<revision>[^/]+)\/(?<path>.+)$/,
  /^(?<repository>\/[^/]+\/[^/]+)\/(?:blob|blame|raw|src\/commit|src\/branch)\/(?<revision>[^/]+)\/(?<path>.+)$/,
  /^(?<repository>\/[^/]+\/[^/]+)\/src\/(?<revision>[^/]+)\/(?<path>.+)$/,
];

function parseBitbucketLines(hash: string): LineRange | undefined {
  const [, start, end] = /^#lines-(\d{1,9})(?::(\d{1,9}))?$/.exec(hash) ?? [];
  return start === undefined ? undefined : { startLine: Number(start), endLine: Number(end ?? start) };
}

/** Hosts render these files without line numbers, unless the URL requests the source. */
const rendered = /\.(?:md|markdown|rst|adoc|asciidoc|org|textile)$/i;

const github: PermalinkForm = (repository, commit, path, { startLine, endLine }) =>
  `${repository}/blob/${commit}/${path}${rendered.test(path) ? "?plain=1" : ""}#L${startLine}${endLine === startLine ? "" : `-L${endLine}`}`;

const gitlab: PermalinkForm = (repository, commit, path, { startLine, endLine }) =>
  `${repository}/-/blob/${commit}/${path}${rendered.test(path) ? "?plain=1" : ""}#L${startLine}${endLine === startLine ? "" : `-${endLine}`}`;

const bitbucket: PermalinkForm = (repository, commit, path, { startLine, endLine }) =>
  `${repository}/src/${commit}/${path}#lines-${startLine}${endLine === startLine ? "" : `:${endLine}`}`;

const gitea: PermalinkForm = (repository, commit, path, { startLine, endLine }) =>
  `${repository}/src/commit/${commit}/${path}${rendered.test(path) ? "?display=source" : ""}#L${startLine}${endLine === startLine ? "" : `-L${endLine}`}`;

const forms: Record<string, PermalinkForm> = {
  "github.com": github,
  "gitlab.com": gitlab,
  "bitbucket.org": bitbucket,
  "codeberg.org": gitea,
  "gitea.com": gitea,
};

/** The folder of commits' pages on hosts with these URLs. */
const commitFolders = new Map<PermalinkForm | undefined, string>([
  [github, "commit"],
  [gitlab, "-/commit"],
  [bitbucket, "commits"],
  [gitea, "commit"],
]);

/** Also encodes parentheses, which would end a Markdown link. */
function encodePart(part: string): string {
  return encodeURIComponent(part).replace(/[()]/g, (character) => (character === "(" ? "%28" : "%29"));
}
