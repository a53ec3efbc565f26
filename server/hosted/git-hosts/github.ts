import * as z from "zod";
import type { GitHost, ListedRepository } from "./git-host.ts";
import type { HostClient } from "./host-client.ts";
import { listAll, readAll } from "./listing.ts";
import { readPerson } from "./person.ts";

/** https://docs.github.com/rest/repos/repos#list-organization-repositories; `size` is in KB, and hours old. */
export const GitHubRepository = z.object({
  id: z.int(),
  full_name: z.string(),
  clone_url: z.url(),
  default_branch: z.string().nullish(),
  archived: z.boolean().default(false),
  fork: z.boolean(),
  private: z.boolean(),
  size: z.number().nullish(),
});
/** https://docs.github.com/rest/apps/installations#list-repositories-accessible-to-the-app-installation */
const Installed = z.object({ total_count: z.int(), repositories: z.array(GitHubRepository) });

/** https://docs.github.com/rest/collaborators/collaborators#list-repository-collaborators; also those of teams, and owners. */
const Collaborators = z.array(z.object({ id: z.int(), permissions: z.object({ pull: z.boolean() }) }));
const needs = "the right to see who may read a repository: Metadata: read-only, of a person who may push to it";

/** GitHub and GitHub Enterprise Server: an organization, or the public repositories of a person. */
export function createGitHub(client: HostClient): GitHost {
  return {
    list(account, { signal }) {
      const name = encodeURIComponent(account);
      return listAll(client, {
        account,
        addresses: [
          `/orgs/${name}/repos?type=all&sort=full_name&per_page=100`,
          `/users/${name}/repos?type=owner&sort=full_name&per_page=100`,
        ],
        schema: z.array(GitHubRepository),
        readPage: ({ data }) => ({ repositories: data.map(toListed), total: undefined }),
        signal,
      });
    },
    async readersOf(repository, { signal }) {
      const [owner = "", name = ""] = repository.split("/").map(encodeURIComponent);
      const ids = await readAll(client, `/repos/${owner}/${name}/collaborators?per_page=100`, {
        schema: Collaborators,
        itemsOf: (people) => people.filter(({ permissions }) => permissions.pull).map(({ id }) => String(id)),
        needs,
        signal,
      });
      return ids && new Set(ids);
    },
    // https://docs.github.com/rest/users/users#get-the-authenticated-user
    person: ({ signal }) => readPerson(client, { schema: GitHubUser, signal }),
  };
}

/** A person, also of Gitea's API. */
export const GitHubUser = z
  .object({ id: z.int(), login: z.string() })
  .transform(({ id, login }) => ({ id: String(id), login }));

/** The repositories to which an account gave a GitHub App access. The client's credential is a token of the installation. */
export function createGitHubInstallation(client: HostClient): GitHost {
  return {
    ...createGitHub(client),
    list: (account, { signal }) =>
      listAll(client, {
        account,
        addresses: ["/installation/repositories?per_page=100"],
        schema: Installed,
        readPage: ({ data }) => ({ repositories: data.repositories.map(toListed), total: data.total_count }),
        signal,
      }),
  };
}

export function toListed(repository: z.infer<typeof GitHubRepository>): ListedRepository {
  const { id, size } = repository;
  return {
    id: String(id),
    fullName: repository.full_name,
    cloneUrl: repository.clone_url,
    defaultBranch: repository.default_branch || null,
    isArchived: repository.archived,
    isFork: repository.fork,
    // GitHub reports 0 KB for hours after the first push.
    isEmpty: false,
    isPrivate: repository.private,
    sizeBytes: size == null ? null : size * 1024,
  };
}
