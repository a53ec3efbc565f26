import type { IncomingMessage, ServerResponse } from "node:http";
import type { HostKind } from "../../server/protocol/followed-accounts.ts";

/** A repository of the scripted host. */
export interface ScriptedRepository {
  id: number;
  /** `acme/lib` */
  fullName: string;
  isArchived?: boolean;
  isFork?: boolean;
  isEmpty?: boolean;
  isPrivate?: boolean;
  isDeleted?: boolean;
  sizeKb?: number;
  /** `main` by default. */
  branch?: string;
}

/** The API of a git host of some kind, on the origin of the git server. */
export interface HostApi {
  /** Those of all accounts; a test changes them. */
  repositories: ScriptedRepository[];
  /** What it adds to the number of repositories that it counts. */
  miscounted: number;
  /** The `Authorization` header that it wants; undefined: it answers everybody. */
  authorization: string | undefined;
  /** Answers a request of the API in another way if it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse, url: URL) => boolean) | undefined;
  /** The paths of its requests. */
  requests: string[];
  /** Answers a request of the API; false if it is none. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
}

const roots: Readonly<Record<HostKind, string>> = {
  github: "/api/v3/",
  gitlab: "/api/v4/",
  gitea: "/api/v1/",
  bitbucket: "/2.0/",
};

/** Pages have `length` repositories at most, whatever is asked for, as hosts with a lower limit of their own answer. */
export function createHostApi(kind: HostKind, { origin, length = 100 }: { origin: string; length?: number }): HostApi {
  const cloneUrl = ({ fullName }: ScriptedRepository) => `${origin}/${fullName}.git`;
  const write: Readonly<Record<HostKind, (repository: ScriptedRepository) => unknown>> = {
    github: (one) => ({
      id: one.id,
      node_id: `R_${one.id}`,
      name: one.fullName.split("/").at(-1),
      full_name: one.fullName,
      private: one.isPrivate ?? false,
      fork: one.isFork ?? false,
      archived: one.isArchived ?? false,
      size: one.sizeKb ?? 0,
      clone_url: cloneUrl(one),
      default_branch: one.branch ?? "main",
    }),
    gitlab: (one) => ({
      id: one.id,
      name: one.fullName.split("/").at(-1),
      path_with_namespace: one.fullName,
      http_url_to_repo: cloneUrl(one),
      default_branch: one.isEmpty === true ? null : (one.branch ?? "main"),
      visibility: one.isPrivate === true ? "private" : "public",
      archived: one.isArchived ?? false,
      empty_repo: one.isEmpty ?? false,
      ...(one.isFork === true ? { forked_from_project: { id: 1 } } : {}),
      ...(one.isDeleted === true ? { marked_for_deletion_on: "2026-12-01" } : {}),
      ...(one.sizeKb === undefined ? {} : { statistics: { repository_size: one.sizeKb * 1024 } }),
    }),
    gitea: (one) => ({
      id: one.id,
      full_name: one.fullName,
      private: one.isPrivate ?? false,
      fork: one.isFork ?? false,
      archived: one.isArchived ?? false,
      empty: one.isEmpty ?? false,
      size: one.sizeKb ?? 0,
      clone_url: cloneUrl(one),
      default_branch: one.branch ?? "main",
    }),
    bitbucket: (one) => ({
      uuid: `{${one.id}}`,
      full_name: one.fullName,
      is_private: one.isPrivate ?? false,
      ...(one.isFork === true ? { parent: { full_name: "other/original" } } : {}),
      mainbranch: one.isEmpty === true ? null : { name: one.branch ?? "main", type: "branch" },
      ...(one.sizeKb === undefined ? {} : { size: one.sizeKb * 1024 }),
      links: {
        clone: [
          { name: "https", href: cloneUrl(one).replace("https://", "https://ada@") },
          { name: "ssh", href: `git@bitbucket.org:${one.fullName}.git` },
        ],
      },
    }),
  };
  const accountIn = (path: string) => {
    const [, account] =
      kind === "gitlab"
        ? (/^groups\/([^/]+)\/projects$/.exec(path) ?? [])
        : kind === "bitbucket"
          ? (/^repositories\/([^/]+)$/.exec(path) ?? [])
          : (/^(?:orgs|users)\/([^/]+)\/repos$/.exec(path) ?? []);
    return account === undefined ? undefined : decodeURIComponent(account);
  };

  const own: HostApi = {
    repositories: [],
    miscounted: 0,
    authorization: undefined,
    intercept: undefined,
    requests: [],
    answer(request, response) {
      const url = new URL(request.url ?? "/", origin);
      const root = roots[kind];
      if (!url.pathname.startsWith(root)) return false;
      own.requests.push(`${url.pathname}${url.search}`);
      if (own.intercept?.(request, response, url) === true) return true;
      const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
        response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
      if (own.authorization !== undefined && request.headers.authorization !== own.authorization) {
        send(401, { message: "Bad credentials" });
        return true;
      }
      const path = url.pathname.slice(root.length);
      const account = accountIn(path);
      const isInstallation = kind === "github" && path === "installation/repositories";
      const all = own.repositories.filter(
        ({ fullName }) => isInstallation || fullName.toLowerCase().startsWith(`${account?.toLowerCase() ?? "?"}/`),
      );
      const isUser = path.startsWith("users/");
      if (all.length === 0 && !isInstallation && (account !== "empty" || isUser)) {
        send(404, { message: "Not Found" });
        return true;
      }
      const page = Number(url.searchParams.get("page") ?? 1);
      const asked = Number(
        url.searchParams.get(kind === "gitea" ? "limit" : kind === "bitbucket" ? "pagelen" : "per_page"),
      );
      const size = Math.min(length, asked || 20);
      const items = all.slice((page - 1) * size, page * size).map((one) => write[kind](one));
      const isLast = page * size >= all.length;
      const next = new URL(url);
      next.searchParams.set("page", String(page + 1));
      const total = all.length + own.miscounted;
      if (kind === "bitbucket") {
        send(200, { pagelen: size, page, size: total, values: items, ...(isLast ? {} : { next: next.href }) });
        return true;
      }
      // Hosts write their configured name into it, which need not be the one that was asked.
      const link = `<https://other.example${url.pathname}?page=1>; rel="first"`;
      const headers = {
        link: isLast ? link : `${link}, <https://other.example${next.pathname}${next.search}>; rel="next"`,
        ...(kind === "gitlab" ? { "x-total": String(total) } : {}),
        ...(kind === "gitea" ? { "x-total-count": String(total) } : {}),
      };
      send(200, isInstallation ? { total_count: total, repositories: items } : items, headers);
      return true;
    },
  };
  return own;
}
