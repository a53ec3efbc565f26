import * as z from "zod";
import type { GitHost, ListedRepository } from "./git-host.ts";
import type { HostClient } from "./host-client.ts";
import { listAll } from "./listing.ts";

/** `Repository` of Gitea's and Forgejo's API; `size` is in KB. */
const Repository = z.object({
  id: z.int(),
  full_name: z.string(),
  clone_url: z.url(),
  default_branch: z.string().nullish(),
  archived: z.boolean().default(false),
  empty: z.boolean().default(false),
  fork: z.boolean(),
  private: z.boolean(),
  size: z.number().nullish(),
});

/**
 * Gitea and Forgejo: an organization, or a person. `X-Total-Count` also counts repositories whose code the token may not
 * read, which the list omits, so it does not show whether the list is complete.
 */
export function createGitea(client: HostClient): GitHost {
  return {
    list(account, { signal }) {
      const name = encodeURIComponent(account);
      return listAll(client, {
        account,
        addresses: [`/orgs/${name}/repos?limit=50`, `/users/${name}/repos?limit=50`],
        schema: z.array(Repository),
        readPage: ({ data }) => ({ repositories: data.map(toListed), total: undefined }),
        signal,
      });
    },
  };
}

function toListed(repository: z.infer<typeof Repository>): ListedRepository {
  const { id, size } = repository;
  return {
    id: String(id),
    fullName: repository.full_name,
    cloneUrl: repository.clone_url,
    defaultBranch: repository.default_branch || null,
    isArchived: repository.archived,
    isFork: repository.fork,
    isEmpty: repository.empty,
    isPrivate: repository.private,
    sizeBytes: size == null ? null : size * 1024,
  };
}
