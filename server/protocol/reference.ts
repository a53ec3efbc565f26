import { gitUrlFault, isAbsolutePath, readUrl, ResourceName, type ResourceSpec } from "./resource.ts";

/**
 * What a resource is called in a question, in `add` and on every wire: a configured name, or a one-off reference.
 * `canonical` is a one-off's name everywhere: its normalised URL, package reference or path as given.
 */
export type Reference =
  | { type: "name"; name: string }
  | { type: "git"; canonical: string; url: string; branch?: string; searchPath?: string }
  | { type: "npm"; canonical: string; package: string; version?: string }
  | { type: "local"; canonical: string; path: string }
  | { type: "invalid"; text: string; reason: string };

/**
 * Reads a reference by its form alone: nothing is looked up. A bare word is a name, never a path; a path starts
 * with `.`, `~`, `/` or a drive. `file:` and `ssh:` URLs and the like are `invalid`, with the reason.
 */
export function parseReference(text: string): Reference {
  const trimmed = text.trim();
  if (trimmed.startsWith("npm:")) return parsePackage(trimmed.slice("npm:".length), trimmed);
  if (isAbsolutePath(trimmed) || /^(\.{1,2}|~)([/\\]|$)/.test(trimmed)) {
    return { type: "local", canonical: trimmed, path: trimmed };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return parseUrl(trimmed);
  if (/^[\w.-]+@[\w.-]+:/.test(trimmed)) return invalid(trimmed, "a git URL must use https");
  if (ResourceName.safeParse(trimmed).success) return { type: "name", name: trimmed };
  return invalid(trimmed, "not a resource name, an HTTPS git URL, a package reference or a path");
}

/** Hosts whose repositories answer with and without `.git` and `www.`; of others the path is kept as it is. */
const knownHosts = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitea.com"];

/**
 * A repository host's page (a file, a branch, an issue, a commit) as the repository it belongs to; what the page
 * names (branch, sub-folder) comes along. Query, fragment and a slash at the end are dropped on any host.
 */
export function normalizeGitUrl(text: string): { url: string; branch?: string; searchPath?: string } {
  const { host, pathname } = new URL(text);
  const bareHost = host.replace(/^www\./, "");
  const isKnown = knownHosts.includes(bareHost);
  const page = pageOf(
    bareHost,
    pathname.split("/").filter((segment) => segment !== ""),
  );
  const path = page.repository.join("/");
  return {
    url: isKnown ? `https://${bareHost}/${path.replace(/\.git$/, "")}` : `https://${host}/${path}`,
    ...(page.branch === undefined ? {} : { branch: decodeURIComponent(page.branch) }),
    ...(page.path.length === 0 ? {} : { searchPath: decodeURIComponent(page.path.join("/")) }),
  };
}

/** Whether a URL names more than a repository: a page of its host, or a part of a page. */
export function isPageUrl(text: string): boolean {
  const { pathname, search, hash } = new URL(text);
  const depth = (path: string) => path.split("/").filter((segment) => segment !== "").length;
  return search !== "" || hash !== "" || depth(pathname) !== depth(new URL(normalizeGitUrl(text).url).pathname);
}

/** A resource as it is kept: a page's URL becomes its repository's. */
export function normalizeSpec(spec: ResourceSpec): ResourceSpec {
  return spec.type === "git" ? { ...spec, url: normalizeGitUrl(spec.url).url } : spec;
}

/** The last segment of a URL, package or path as a resource name. */
export function suggestName(reference: Exclude<Reference, { type: "name" | "invalid" }>): string {
  if (reference.type === "npm") return reference.package;
  const text = reference.type === "git" ? new URL(reference.url).pathname : reference.path;
  const last = text.split(/[/\\]/).findLast((segment) => segment !== "" && !/^\.+$/.test(segment)) ?? "resource";
  const name = last
    .replace(/\.git$/, "")
    .replace(/[^a-zA-Z0-9._-]+/g, "-")
    .replace(/\.{2,}/g, ".");
  return name.replace(/^[^a-zA-Z0-9]+/, "").slice(0, 64) || "resource";
}

interface Page {
  repository: string[];
  branch?: string | undefined;
  path: string[];
}

/** GitHub, Codeberg, Gitea: `/o/r/tree/b/…`; GitLab: `/g/…/r/-/tree/b/…`; Bitbucket: `/o/r/src/b/…`. */
function pageOf(host: string, segments: string[]): Page {
  const dash = segments.indexOf("-");
  if (dash > 1) return pageFrom(segments.slice(0, dash), segments.slice(dash + 1), ["tree", "blob", "raw"]);
  if (host === "github.com") return pageFrom(segments.slice(0, 2), segments.slice(2), ["tree", "blob", "raw"]);
  if (host === "bitbucket.org") return pageFrom(segments.slice(0, 2), segments.slice(2), ["src"]);
  if (host === "codeberg.org" || host === "gitea.com") {
    const rest = segments.slice(2);
    const isBranch = rest[0] === "src" && rest[1] === "branch";
    return isBranch
      ? pageFrom(segments.slice(0, 2), ["src", ...rest.slice(2)], ["src"])
      : pageFrom(segments.slice(0, 2), [], []);
  }
  return { repository: segments, path: [] };
}

function pageFrom(repository: string[], rest: string[], kinds: string[]): Page {
  const [kind, branch, ...path] = rest;
  if (kind === undefined || !kinds.includes(kind)) return { repository, path: [] };
  return { repository, branch, path };
}

function parseUrl(text: string): Reference {
  const url = readUrl(text);
  if (url === undefined) return invalid(text, "not a URL");
  const packagePage = packageOfPage(url);
  if (packagePage !== undefined) return parsePackage(packagePage, text);
  const fault = gitUrlFault(text);
  if (fault !== undefined) return invalid(text, fault);
  const normal = normalizeGitUrl(text);
  return { type: "git", canonical: normal.url, ...normal };
}

/** `npmjs.com/package/<name>[/v/<version>]` as `<name>[@<version>]`. */
function packageOfPage(url: URL): string | undefined {
  if (!/^(www\.)?npmjs\.(com|org)$/.test(url.hostname)) return undefined;
  const match = /^\/package\/((?:@[^/]+\/)?[^/]+)(?:\/v\/([^/]+))?\/?$/.exec(decodeURIComponent(url.pathname));
  if (match === null) return undefined;
  return match[2] === undefined ? match[1] : `${match[1]}@${match[2]}`;
}

function parsePackage(text: string, original: string): Reference {
  const at = text.indexOf("@", 1);
  const name = at === -1 ? text : text.slice(0, at);
  const version = at === -1 ? undefined : text.slice(at + 1);
  if (name === "") return invalid(original, "a package reference needs a name, as in npm:zod");
  if (version === "") return invalid(original, "nothing follows the '@' of the package reference");
  return version === undefined
    ? { type: "npm", canonical: `npm:${name}`, package: name }
    : { type: "npm", canonical: `npm:${name}@${version}`, package: name, version };
}

function invalid(text: string, reason: string): Reference {
  return { type: "invalid", text, reason };
}
