import { readUrl, unstorable } from "../resource-fields.ts";

/** Why a git URL is refused by its text alone, or undefined. */
export function gitUrlFault(text: string): string | undefined {
  if (unstorable.test(text) || /\s/.test(text)) {
    return "a git URL must not contain spaces, control characters or unpaired surrogates";
  }
  const url = readUrl(text);
  if (url === undefined) return "not a URL";
  if (url.protocol !== "https:") return "a git URL must use https";
  if (url.username !== "" || url.password !== "") return "a git URL must not contain credentials";
  if (url.hostname === "") return "a git URL needs a host";
  if (url.pathname === "" || url.pathname === "/") return "a git URL needs the repository's path";
  return undefined;
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
