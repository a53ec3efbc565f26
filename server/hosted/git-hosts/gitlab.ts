import * as z from "zod";
import type { GitHost, ListedRepository } from "./git-host.ts";
import type { HostClient } from "./host-client.ts";
import { listAll, readAll } from "./listing.ts";
import { readPerson } from "./person.ts";

/**
 * https://docs.gitlab.com/api/groups/#list-projects. `statistics` are for those only who may see them. A project that is
 * going to be deleted is still listed, under another path.
 */
const Project = z.object({
  id: z.int(),
  path_with_namespace: z.string(),
  http_url_to_repo: z.url(),
  default_branch: z.string().nullish(),
  archived: z.boolean().default(false),
  empty_repo: z.boolean().default(false),
  visibility: z.string().default("private"),
  forked_from_project: z.unknown().optional(),
  marked_for_deletion_on: z.string().nullish(),
  statistics: z.object({ repository_size: z.number() }).nullish(),
});

/**
 * https://docs.gitlab.com/api/members/#list-all-members-of-a-group-or-project-including-inherited-and-invited-members.
 * Members who are blocked, or whom an owner has not approved, are listed, too.
 */
const Member = z.object({
  id: z.int(),
  access_level: z.int(),
  state: z.string().default("active"),
  membership_state: z.string().default("active"),
});
/** The first role that reads the code of a private project: https://docs.gitlab.com/user/permissions/ */
const reporter = 20;
const needs = "the right to see the members of a project: read_api, of a member";
const User = z
  .object({ id: z.int(), username: z.string() })
  .transform((user) => ({ id: String(user.id), login: user.username }));

/** GitLab: a group with its subgroups, or a person. */
export function createGitLab(client: HostClient): GitHost {
  return {
    list(account, { signal }) {
      const name = encodeURIComponent(account);
      const query = "order_by=id&sort=asc&statistics=true&per_page=100";
      let deleted = 0;
      return listAll(client, {
        account,
        addresses: [
          `/groups/${name}/projects?include_subgroups=true&with_shared=false&${query}`,
          `/users/${name}/projects?${query}`,
        ],
        schema: z.array(Project),
        readPage({ data, count }) {
          const kept = data.filter(({ marked_for_deletion_on: deletion }) => deletion == null);
          deleted += data.length - kept.length;
          // Of more than 10,000, GitLab does not count them.
          const total = count("x-total");
          return { repositories: kept.map(toListed), total: total === undefined ? undefined : total - deleted };
        },
        signal,
      });
    },
    async readersOf(repository, { signal }) {
      const ids = await readAll(client, `/projects/${encodeURIComponent(repository)}/members/all?per_page=100`, {
        schema: z.array(Member),
        itemsOf: (members) => members.filter(mayRead).map(({ id }) => String(id)),
        needs,
        signal,
      });
      return ids && new Set(ids);
    },
    // https://docs.gitlab.com/api/users/#retrieve-the-current-user
    person: ({ signal }) => readPerson(client, { schema: User, signal }),
  };
}

function mayRead({ access_level: level, state, membership_state: membership }: z.infer<typeof Member>): boolean {
  return level >= reporter && state === "active" && membership === "active";
}

function toListed(project: z.infer<typeof Project>): ListedRepository {
  return {
    id: String(project.id),
    fullName: project.path_with_namespace,
    cloneUrl: project.http_url_to_repo,
    defaultBranch: project.default_branch || null,
    isArchived: project.archived,
    isFork: project.forked_from_project != null,
    isEmpty: project.empty_repo,
    isPrivate: project.visibility !== "public",
    sizeBytes: project.statistics?.repository_size ?? null,
  };
}
