/** The page of a repository at a branch or commit; of a host whose pages are not known, the repository's. */
export function hostPage(url: string, branch: string | null): string {
  const { host } = new URL(url);
  const form = forms[host] ?? (host.startsWith("gitlab.") ? gitlab : undefined);
  if (branch === null || form === undefined) return url;
  return form(url.replace(/\/+$/, "").replace(/\.git$/, ""), branch.split("/").map(encodeURIComponent).join("/"));
}

type PageForm = (repository: string, branch: string) => string;

const github: PageForm = (repository, branch) => `${repository}/tree/${branch}`;
const gitlab: PageForm = (repository, branch) => `${repository}/-/tree/${branch}`;
const bitbucket: PageForm = (repository, branch) => `${repository}/src/${branch}`;
const gitea: PageForm = (repository, branch) =>
  `${repository}/src/${/^[0-9a-f]{40}$/i.test(branch) ? "commit" : "branch"}/${branch}`;

const forms: Record<string, PageForm> = {
  "github.com": github,
  "gitlab.com": gitlab,
  "bitbucket.org": bitbucket,
  "codeberg.org": gitea,
  "gitea.com": gitea,
};
