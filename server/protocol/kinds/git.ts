import * as z from "zod";
import { readUrl, RefreshPolicy } from "../resource-fields.ts";
import { Branch, GitResource, SearchPath, searchPathsOf } from "./git-fields.ts";
import { gitUrlFault, normalizeGitUrl } from "./git-url.ts";
import { type FieldsOf, invalidReference, nameFromPath, notFetched, type ResourceKind } from "./kind.ts";

/** The URL of a page also has a branch or a folder. */
export interface GitReference {
  type: "git";
  canonical: string;
  url: string;
  branch?: string;
  searchPath?: string;
}

export const gitListing = {
  url: z.string().nullable(),
  branch: z.string().nullable(),
  searchPath: z.string().nullable(),
  searchPaths: z.array(z.string()).nullable(),
  refresh: RefreshPolicy.nullable(),
};

export const git: ResourceKind<GitResource, GitReference, FieldsOf<typeof gitListing>> = {
  schema: GitResource,
  sourceField: "url",
  isFetched: true,
  noun: "git repository",
  form: "an HTTPS git URL",
  icon: "repo",
  snippet: { url: "https://${1:github.com/owner/repository}", branch: "${3:main}" },
  label: (l10n) => l10n.t("Git repository"),
  summary: (l10n) => l10n.t("By its HTTPS address; private ones as your git reaches them"),
  prompt: (l10n) => ({
    prompt: l10n.t("The repository's HTTPS address. That of any page of it will do."),
    placeholder: "https://…",
  }),

  read(text) {
    if (/^[\w.-]+@[\w.-]+:/.test(text)) return invalidReference(text, "a git URL must use https");
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? readGitUrl(text) : undefined;
  },
  readAs: (text) => git.read(text) ?? invalidReference(text, "not an HTTPS git URL"),
  faultOf({ branch, searchPath }) {
    const { error } = z
      .object({ branch: Branch.optional(), searchPath: SearchPath.optional() })
      .safeParse({ branch, searchPath });
    const reason = error?.issues[0]?.message;
    return reason === undefined ? undefined : { reason, hint: "give the repository's own URL" };
  },
  toText: (_reference, text) => text.trim(),
  suggestName: ({ url }) => nameFromPath(new URL(url).pathname),
  toSpec: ({ url }, { name, branch = "main", searchPaths = [] }) => ({
    type: "git",
    name,
    url,
    branch,
    ...(searchPaths.length === 0 ? {} : { searchPaths: [...searchPaths] }),
  }),
  normalize: (spec) => ({ ...spec, url: normalizeGitUrl(spec.url).url }),
  urlOf: ({ url }) => url,

  atRevision: ({ url }, { canonical, revision }) =>
    /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(revision) ? { type: "git", canonical, url, branch: revision } : undefined,
  pin: (spec, revision) => ({ ...spec, branch: revision }),
  isPinned: ({ branch }) => isCommit(branch ?? ""),
  shortRevision: (revision) => (isCommit(revision) ? revision.slice(0, 7) : revision),

  origin({ url, branch, ...paths }) {
    const below = searchPathsOf(paths);
    return `${url ?? ""}#${branch ?? "main"}${below.length === 0 ? "" : ` (${below.join(", ")})`}`;
  },
  current({ branch, revision }, l10n) {
    const commit = git.shortRevision(revision ?? branch ?? "");
    if (isCommit(branch ?? "")) return l10n.t("pinned to {0}", commit);
    return revision === null ? (branch ?? "") : `${branch ?? ""}@${commit}`;
  },
  facts({ url, branch, ...paths }, l10n) {
    const below = searchPathsOf(paths);
    return [
      l10n.t("Repository: {0}", url ?? ""),
      l10n.t("Branch: {0}", branch ?? ""),
      ...(below.length === 0 ? [] : [l10n.t("Only below: {0}", below.join(", "))]),
    ];
  },
  absent: notFetched,
};

function readGitUrl(text: string): GitReference | ReturnType<typeof invalidReference> {
  const fault = readUrl(text) === undefined ? "not a URL" : gitUrlFault(text);
  if (fault !== undefined) return invalidReference(text, fault);
  const normal = normalizeGitUrl(text);
  return { type: "git", canonical: normal.url, ...normal };
}

function isCommit(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text);
}
