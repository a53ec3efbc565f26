import type { LineRange } from "../protocol/citation.ts";

type PermalinkForm = (repository: string, commit: string, path: string, lines: LineRange) => string;

/**
 * The page of a file at a commit, with the lines marked; undefined where it is not known how the host names its pages.
 * `url` is the repository's.
 */
export function permalinkOf(url: string, commit: string, path: string, lines: LineRange): string | undefined {
  const { host, pathname } = new URL(url);
  const form = forms[host] ?? (host.startsWith("gitlab.") ? gitlab : undefined);
  const repository = `https://${host}${pathname.replace(/\/+$/, "").replace(/\.git$/, "")}`;
  return form?.(repository, commit, path.split("/").map(encodePart).join("/"), lines);
}

/** Hosts show these rendered, without lines, unless they are asked for the source. */
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

/** Parentheses too: they would end the link in Markdown. */
function encodePart(part: string): string {
  return encodeURIComponent(part).replace(/[()]/g, (character) => (character === "(" ? "%28" : "%29"));
}
