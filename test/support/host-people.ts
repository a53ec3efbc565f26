import type { IncomingMessage, ServerResponse } from "node:http";
import type { HostKind } from "../../server/protocol/followed-accounts.ts";

/** Someone whom a host lists among the people of a repository. */
export interface ScriptedPerson {
  id: number;
  /** Guests and the like are listed, too, and may not read the code. */
  mayRead?: boolean;
  isBlocked?: boolean;
}

/** A team of a Gitea organization. */
export interface ScriptedTeam {
  id: number;
  /** What it may do with the code; older versions list the names of what it has only. */
  code: "none" | "read" | "older";
  members: number[];
}

/** The part of a git host's API that lists people. Its `answer` is an `intercept` of the API. */
export interface HostPeople {
  /** By `acme/lib`; the host shows no other repositories. */
  readers: Map<string, ScriptedPerson[]>;
  /** The accounts that are people and not organizations, with their ids (Gitea). */
  owners: Map<string, number>;
  /** The teams of all repositories of an organization (Gitea). */
  teams: ScriptedTeam[];
  /** Whose token an `Authorization` header has. */
  persons: Map<string, { id: number; login: string }>;
  /** The paths that were read. */
  requests: string[];
  /** Answers a path in another way with a status. */
  refuse: ((path: string) => { status: number; headers?: Record<string, string> } | undefined) | undefined;
  answer(request: IncomingMessage, response: ServerResponse, url: URL): boolean;
}

/** Lists have `length` people on a page at most. */
export function createHostPeople(kind: HostKind, { length = 100 }: { length?: number } = {}): HostPeople {
  const userOf = (id: number) =>
    kind === "gitlab"
      ? { id, username: `u${id}` }
      : kind === "bitbucket"
        ? { uuid: `{${id}}` }
        : { id, login: `u${id}` };
  const writePerson = ({ id, mayRead = true, isBlocked = false }: ScriptedPerson): unknown => {
    switch (kind) {
      case "github":
        return { ...userOf(id), permissions: { pull: mayRead, push: false } };
      case "gitlab":
        return { ...userOf(id), state: isBlocked ? "blocked" : "active", access_level: mayRead ? 20 : 15 };
      case "gitea":
        return userOf(id);
      case "bitbucket":
        return { type: "repository_permission", permission: mayRead ? "read" : "none", user: userOf(id) };
    }
  };
  const writeTeam = ({ id, code }: ScriptedTeam) =>
    code === "older"
      ? { id, name: `team-${id}`, units: ["repo.code", "repo.issues"] }
      : { id, name: `team-${id}`, units: ["repo.issues"], units_map: { "repo.code": code, "repo.issues": "write" } };

  function listAt(path: string): unknown[] | undefined {
    const [, repository, list] =
      kind === "gitlab"
        ? (/^projects\/([^/]+)\/(members\/all)$/.exec(path) ?? [])
        : kind === "bitbucket"
          ? (/^workspaces\/(.+)$/.exec(path.replace("/permissions/repositories/", "/")) ?? [])
          : (/^repos\/([^/]+\/[^/]+)\/(collaborators|teams)$/.exec(path) ?? []);
    const team = own.teams.find(({ id }) => path === `teams/${id}/members`);
    if (team !== undefined) return team.members.map(userOf);
    if (list === "teams") return own.teams.map(writeTeam);
    return own.readers.get(decodeURIComponent(repository ?? ""))?.map(writePerson);
  }

  const own: HostPeople = {
    readers: new Map(),
    owners: new Map(),
    teams: [],
    persons: new Map(),
    requests: [],
    refuse: undefined,
    answer(request, response, url) {
      const path = url.pathname.replace(/^\/(?:api\/v\d|2\.0)\//, "");
      own.requests.push(path);
      const send = (status: number, body: unknown, headers: Record<string, string> = {}) => {
        response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
        return true;
      };
      const refused = own.refuse?.(path);
      if (refused !== undefined) return send(refused.status, { message: "not for you" }, refused.headers);
      const missing = () => send(404, { message: "Not Found" });
      if (path === "user") {
        const person = own.persons.get(request.headers.authorization ?? "");
        if (person === undefined) return send(401, { message: "Bad credentials" });
        return send(200, {
          ...userOf(person.id),
          login: person.login,
          username: person.login,
          display_name: person.login,
        });
      }
      const [, account = ""] = /^(?:orgs|users)\/([^/]+)$/.exec(path) ?? [];
      if (account !== "") {
        const id = own.owners.get(account);
        if (path.startsWith("orgs/")) return id === undefined ? send(200, { id: 1 }) : missing();
        return id === undefined ? missing() : send(200, userOf(id));
      }
      const all = listAt(path);
      if (all === undefined) return missing();
      const page = Number(url.searchParams.get("page") ?? 1);
      const items = all.slice((page - 1) * length, page * length);
      const next = new URL(url);
      next.searchParams.set("page", String(page + 1));
      const isLast = page * length >= all.length;
      if (kind === "bitbucket") return send(200, { values: items, ...(isLast ? {} : { next: next.href }) });
      return send(200, items, isLast ? {} : { link: `<${next.href}>; rel="next"` });
    },
  };
  return own;
}
