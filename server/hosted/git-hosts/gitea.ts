import * as z from "zod";
import type { GitHost } from "./git-host.ts";
import { GitHubRepository, toListed } from "./github.ts";
import type { HostClient } from "./host-client.ts";
import { listAll } from "./listing.ts";

/** Gitea's and Forgejo's API has GitHub's fields, `size` in KB as well. */
const Repository = GitHubRepository.extend({ empty: z.boolean().default(false) });

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
        readPage: ({ data }) => ({
          repositories: data.map((one) => ({ ...toListed(one), isEmpty: one.empty })),
          total: undefined,
        }),
        signal,
      });
    },
  };
}
